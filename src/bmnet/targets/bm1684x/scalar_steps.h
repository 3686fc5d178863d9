// Functions of one value as sequences of steps, each of which is a command or a function of the
// kernel library. The base is the value before the first step, or the one at the last `base`.
#pragma once

#include <vector>

#include "bmnet/ir/network.h"
#include "chip/dtype.h"
#include "ops/elementwise/convert.h"
#include "ops/elementwise/float_function.h"

namespace tputwin::net::bm1684x {

struct ScalarStep {
  enum class Kind {
    add,            // y + constant
    multiply,       // y * constant
    at_least,       // the larger of y and constant
    at_most,        // the smaller of y and constant
    leaky,          // y, or y * constant if y is negative
    square,         // y * y
    round,          // y as a whole number
    absolute,       // |y|
    above,          // y if it is larger than constant, else 0
    sign,           // 1, 0 or -1
    is,             // 1 if y is constant or other, else 0
    is_not,         // 0 if y is constant, else 1
    is_above,       // 1 if y is larger than constant, or is other, else 0
    is_nan,         // 1 or 0
    finite,         // the largest or lowest number of the type if y is infinite, else y
    wrap,           // y plus the multiple of constant that is in [other, other + constant)
    nan_below,      // NaN where the base is less than constant, else y
    at_zero,        // constant where the base is 0, else y
    at_least_base,  // the larger of y and the base
    function,       // a function of the kernel library
    gate,           // y * the base
    gate_first,     // y * the value before the first step
    base            // y, which is the base from here on
  };
  Kind kind = Kind::function;
  float constant = 0, other = 0;
  FloatFunction::Kind function = FloatFunction::Kind::exp;
  function32::Parameters parameters = {};
  Rounding rounding = Rounding::half_even;
};

// Returns the steps of an activation, a power, a clip or a function; empty if there are none.
std::vector<ScalarStep> scalar_steps(const TensorOp& op);
// Returns true if the steps must compute in fp32 for a result of `type` that is rounded once.
bool are_fp32(const std::vector<ScalarStep>& steps, DType type);

}  // namespace tputwin::net::bm1684x
