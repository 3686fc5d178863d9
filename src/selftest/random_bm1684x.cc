#include "selftest/random_bm1684x.h"

#include "numerics/float16.h"

namespace tputwin::testing {

uint32_t random_bits(Rng& rng, DType dtype, F32Fill mode) {
  if (dtype == DType::f16 && (mode == F32Fill::integers || mode == F32Fill::usual))
    return f16::from_f32(f32::from_bits(random_f32(rng, mode)));
  if (dtype == DType::bf16) return random_f32(rng, mode) >> 16;
  if (dtype == DType::f32) return random_f32(rng, mode);
  if (rng.coin()) return static_cast<uint32_t>(rng.next());
  return static_cast<uint32_t>(rng.pick({0, 1, -1, 127, 128, -128, 255, 32767, -32768, 65535, 3, -7,
                                         0x7c00, 0xfc00, 0x7e01, 0x0001, 0x03ff}));
}

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
