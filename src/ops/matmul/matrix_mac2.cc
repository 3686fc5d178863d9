// matrix_mac2: contract, cost and reference kernel.
#include "ops/matmul/matrix_mac2.h"

#include "base/errors/ops.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1880.h"

namespace tputwin {

std::string_view name(const MatrixMac2&) { return "matrix_mac_2"; }

void attributes(const MatrixMac2&, AttributeSink&) {}

OperandList operands(const MatrixMac2& op) {
  return {{"res", &op.res, Access::write},
          {"left", &op.left, Access::read},
          {"right", &op.right, Access::read}};
}

Status check(const MatrixMac2& op, const Chip& chip) {
  constexpr Shape kSquare{1, 256, 1, 256}, kRight{256, 16, 1, 16};
  for (const Operand& operand : operands(op)) {
    const Shape& shape = operand.view == &op.right ? kRight : kSquare;
    TW_RETURN_IF_ERROR(check_bm1880_operand(operand.name, *operand.view, chip));
    TW_RETURN_IF_ERROR(check_bm1880_8bit(operand.name, *operand.view));
    TW_RETURN_IF_ERROR(check_shape(operand.name, *operand.view, shape, errors::ops_matrix2_shape));
    TW_RETURN_IF_ERROR(check_bm1880_aligned_strides(operand.name, *operand.view, chip));
  }
  TW_RETURN_IF_ERROR(check_bm1880_lane_zero("right", op.right, chip));
  for (const Operand& operand : operands(op))
    TW_RETURN_IF_ERROR(advise_bm1880_aligned_start(operand.name, *operand.view, chip));
  return advise_bm1880_start_lane("left", op.left, op.res, chip);
}

Cost cost(const MatrixMac2& op, const Chip& chip) {
  const uint64_t inner = op.left.shape.w;
  return compute_cost(lane_passes(op.res.shape, chip) * inner, op.res.shape.count() * inner,
                      operands(op), chip);
}

void execute(const MatrixMac2& op, const Memory& memory) {
  for (uint32_t i = 0; i < op.res.shape.c; ++i)
    for (uint32_t j = 0; j < op.res.shape.w; ++j) {
      int64_t sum = 0;
      for (uint32_t k = 0; k < op.left.shape.w; ++k)
        sum += memory.read(op.left, 0, i, 0, k) * memory.read(op.right, j, k / 16, 0, k % 16);
      memory.write(op.res, 0, i, 0, j, static_cast<int32_t>((sum & 255) + (sum >> 8 & 255)));
    }
}

}  // namespace tputwin
