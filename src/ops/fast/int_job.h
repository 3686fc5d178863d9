// The parameters of the kernels of int_arithmetic.
#pragma once

#include <cstdint>

#include "ops/elementwise/int_arithmetic.h"

namespace tputwin::fast {

struct IntLimits {
  int64_t low, high;
};

struct IntJob {
  const IntArithmetic& op;
  int32_t shift;
  IntLimits limits;
};

}  // namespace tputwin::fast
