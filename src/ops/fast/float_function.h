// The functions of float_function that every floating-point type has.
#pragma once

#include "ops/elementwise/float_function.h"
#include "ops/fast/dispatch/fast_kernel.h"

namespace tputwin::fast {

// Runs taylor, hsigmoid, hswish and isfinite.
Declined rows_of_any_type(const FloatFunction& op, const Memory& memory);

}  // namespace tputwin::fast
