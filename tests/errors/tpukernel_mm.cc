// TW-TPU-03xx: products of matrices.
#include "base/errors/tpukernel.h"
#include "errors/tpu_kernel.h"
#include "errors/trigger.h"
#include "ops/operation.h"

namespace tputwin::testing {
namespace {

constexpr local_addr_t kOut = 0, kLeft = 0x4000, kRight = 0x8000, kBias = 0xc000;

TW_TRIGGER(tpu_matrix_per_channel, [] {
  return in_tpu_kernel(
      [] { tpu_bdc_fp32_mm(kOut, kLeft, kRight, kBias, 4, 4, 4, 5, 4, false, false); });
});

TW_TRIGGER(tpu_rshift, [] {
  return in_tpu_kernel([] {
    tpu_bdc_int8_mm(kOut, kLeft, kRight, kBias, 4, 4, 4, 4, 4, DT_INT8, DT_INT8, DT_INT8, DT_INT16,
                    0, 32, false, false, false);
  });
});

// A result with columns in channels, of factors with rows in channels.
TW_TRIGGER(tpu_layout, [] {
  auto matrix = [](uint64_t address, bool row_per_channel) {
    const Shape shape = row_per_channel ? Shape{1, 4, 1, 4} : Shape{4, 1, 1, 4};
    const TensorView tensor{
        .dtype = DType::i8, .address = address, .shape = shape, .stride = {64, 64, 4, 1}};
    return MatrixOperand{.matrix = {tensor, 4, 4}, .row_per_channel = row_per_channel};
  };
  const MatmulBm1684xInt op{
      .out = matrix(kOut, false), .left = matrix(kLeft, true), .right = matrix(kRight, true)};
  return check(Operation(op), bm1684x());
});

}  // namespace
}  // namespace tputwin::testing
