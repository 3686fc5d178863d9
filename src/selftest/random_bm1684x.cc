#include "selftest/random_bm1684x.h"

namespace tputwin::testing {

Operation random_bm1684x_operation(Rng& rng, OperationKind kind, const Chip& chip) {
  using enum OperationKind;
  switch (kind) {
    case float_function:
      return random_tpu_function(rng, kind, chip);
    case unary:
    case convert:
    case requantise:
    case tpu_select:
      return random_tpu_convert(rng, kind, chip);
    case int_arithmetic:
    case tpu_float_arithmetic:
    case tpu_bitwise:
      return random_tpu_elem(rng, kind, chip);
    case conv2d_float:
    case conv2d_quant:
    case depthwise2d_float:
    case depthwise2d_quant:
    case pool2d_float:
    case pool2d_quant:
      return random_tpu_nn(rng, kind, chip);
    case matmul_float:
    case matmul_grouped:
    case matmul_int:
      return random_tpu_mm(rng, kind, chip);
    default:
      return random_tpu_move(rng, kind, chip);
  }
}

}  // namespace tputwin::testing
