// The functions of float_function that every floating-point type has.
#pragma once

#include "ops/elementwise/float_function.h"

namespace tputwin::fast {

// taylor, hsigmoid, hswish and isfinite; as fast::execute().
bool execute_typed(const FloatFunction&, const Memory&);

}  // namespace tputwin::fast
