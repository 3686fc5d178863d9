// matmul_bm1684x_fp32: contract, cost and reference kernel.
#include "ops/matmul/matmul_bm1684x_fp32.h"

#include "base/errors/tpukernel.h"
#include "numerics/accumulate.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/matmul/matmul_bm1684x.h"

namespace tputwin {

std::string_view name(const MatmulBm1684xFp32&) { return "matmul_float"; }

void attributes(const MatmulBm1684xFp32& op, AttributeSink& to) {
  matrix_attributes(op.out, op.left, op.right, to);
  if (op.constant_bias != 0) to.bits("bias", op.constant_bias);
  to.flag("accumulate", op.accumulate);
}

OperandList operands(const MatmulBm1684xFp32& op) {
  OperandList list = matrix_operands(op.out, op.left, op.right, op.accumulate);
  if (op.bias) list.push_back({"bias_addr", &op.bias->tensor, Access::read});
  return list;
}

Footprint footprint(const MatmulBm1684xFp32& op, const Chip& chip) {
  Footprint f = matrix_footprint(op.out, op.left, op.right, op.accumulate, chip);
  if (op.bias) add_ranges(*op.bias, chip, f.reads);
  sort_and_merge(f.reads);
  return f;
}

Status check(const MatmulBm1684xFp32& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_column_channels(op.out, op.left, op.right, chip));
  if (op.bias) TW_RETURN_IF_ERROR(check_row("bias_addr", *op.bias, op.out, chip));
  for (const Operand& operand : operands(op))
    TW_RETURN_IF_ERROR(require(operand.view->dtype == DType::f32, errors::tpu_element, operand.name,
                               *operand.view));
  return {};
}

Cost cost(const MatmulBm1684xFp32& op, const Chip& chip) {
  const uint64_t depth = op.left.cols();
  return compute_cost(lane_passes(op.out.matrix.tensor.shape, chip, 4) * depth,
                      uint64_t{op.out.rows()} * op.out.cols() * depth, operands(op), chip);
}

float result_at(const MatmulBm1684xFp32& op, const Memory& memory, uint32_t i, uint32_t j) {
  auto value = [](int32_t bits) { return f32::from_bits(static_cast<uint32_t>(bits)); };
  const float bias =
      op.bias ? value(memory.read(*op.bias, 0, j)) : f32::from_bits(op.constant_bias);
  float sums[2] = {0.0f, bias};
  if (op.accumulate) sums[0] = bias, sums[1] = value(op.out.read(memory, i, j));
  for (uint32_t k = 0; k < op.left.cols(); ++k)
    sums[k % 2] = f32::add(sums[k % 2], f32::mul(value(op.left.read(memory, i, k)),
                                                 value(op.right.read(memory, k, j))));
  // If both sums are NaN, the result is that of the sum with the bias.
  return op.accumulate ? f32::add(sums[0], sums[1]) : f32::add(sums[1], sums[0]);
}

void execute(const MatmulBm1684xFp32& op, const Memory& memory) {
  for (uint32_t i = 0; i < op.out.rows(); ++i)
    for (uint32_t j = 0; j < op.out.cols(); ++j)
      op.out.write(memory, i, j, static_cast<int32_t>(f32::bits(result_at(op, memory, i, j))));
}

}  // namespace tputwin
