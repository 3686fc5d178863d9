// int_arithmetic: integer arithmetic with shift, rounding and saturation.
#pragma once

#include "ops/contract.h"
#include "ops/source.h"

namespace tputwin {

struct IntArithmetic {
  TensorView out;
};

TW_OPERATION(IntArithmetic);

}  // namespace tputwin
