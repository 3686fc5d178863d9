// One element of the functions of float_function that every floating-point type has.
#pragma once

#include "ops/float_function.h"

namespace tputwin {

// taylor, hsigmoid, hswish or isfinite of x, which is a number of the type; all steps but the last
// are rounded to it.
float typed_element(const FloatFunction& op, const Memory& memory, uint32_t lane, float x);

}  // namespace tputwin
