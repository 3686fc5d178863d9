// matmul_bm1684: contract, cost and reference kernel.
#include "ops/matmul/matmul_bm1684.h"

#include "base/bits.h"
#include "base/errors/okkernel.h"
#include "numerics/accumulate.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684_window.h"

namespace tputwin {
namespace {

float element(const MatrixView& m, const Memory& memory, uint32_t r, uint32_t c) {
  return f32::from_bits(static_cast<uint32_t>(memory.read(m, r, c)));
}

Status check_matrix(std::string_view name, const MatrixView& m, const Chip& chip) {
  const Shape& s = m.tensor.shape;
  TW_RETURN_IF_ERROR(check_bm1684_operand(name, m.tensor, chip, 128));
  TW_RETURN_IF_ERROR(check_bm1684_element(name, m.tensor, 4));
  return require(m.rows == s.n && s.h == 1 && m.cols >= 1 && s.c == ceil_div(uint64_t{m.cols}, s.w),
                 errors::okk_extents, name, m);
}

// Checks that `cols` columns are in channels of `per_channel`, the last of which is full.
Status check_whole_channels(std::string_view name, const MatrixView& m, uint32_t cols,
                            uint32_t per_channel) {
  return require(m.cols == cols && m.tensor.shape.w == per_channel && cols % per_channel == 0,
                 errors::okk_extents, name, m);
}

}  // namespace

std::string_view name(const MatmulBm1684&) { return "matmul_f32"; }

void attributes(const MatmulBm1684& op, AttributeSink& to) {
  to.extents("size", {op.left.rows, op.left.cols, op.right.cols});
  to.flag("accumulate", op.accumulate);
}

OperandList operands(const MatmulBm1684& op) {
  OperandList list{
      {"output_addr", &op.out.tensor, op.accumulate ? Access::read_write : Access::write},
      {"left_addr", &op.left.tensor, Access::read},
      {"right_addr", &op.right.tensor, Access::read}};
  if (op.bias) list.push_back({"bias_addr", &op.bias->tensor, Access::read});
  return list;
}

Footprint footprint(const MatmulBm1684& op, const Chip& chip) {
  Footprint f;
  add_ranges(op.out, chip, f.writes);
  add_ranges(op.left, chip, f.reads);
  add_ranges(op.right, chip, f.reads);
  if (op.bias) add_ranges(*op.bias, chip, f.reads);
  if (op.accumulate) add_ranges(op.out, chip, f.reads);
  sort_and_merge(f.reads);
  sort_and_merge(f.writes);
  return f;
}

Status check(const MatmulBm1684& op, const Chip& chip) {
  const uint32_t width = op.out.tensor.shape.w;
  TW_RETURN_IF_ERROR(check_matrix("output_addr", op.out, chip));
  TW_RETURN_IF_ERROR(check_matrix("left_addr", op.left, chip));
  TW_RETURN_IF_ERROR(check_matrix("right_addr", op.right, chip));
  TW_RETURN_IF_ERROR(
      require(op.left.rows == op.out.rows, errors::okk_extents, "left_addr", op.left));
  TW_RETURN_IF_ERROR(
      require(op.right.rows == op.left.cols, errors::okk_matmul_depth, "right_addr", op.right));
  TW_RETURN_IF_ERROR(check_whole_channels("output_addr", op.out, op.out.cols, width));
  TW_RETURN_IF_ERROR(check_whole_channels("right_addr", op.right, op.out.cols, width));
  if (op.bias) {
    TW_RETURN_IF_ERROR(check_matrix("bias_addr", *op.bias, chip));
    TW_RETURN_IF_ERROR(require(op.bias->rows == 1, errors::okk_extents, "bias_addr", *op.bias));
    TW_RETURN_IF_ERROR(check_whole_channels("bias_addr", *op.bias, op.out.cols, width));
    TW_RETURN_IF_ERROR(advise_bm1684_same_npu("bias_addr", op.bias->tensor, op.out.tensor, chip));
  }
  return advise_bm1684_same_npu("right_addr", op.right.tensor, op.out.tensor, chip);
}

Cost cost(const MatmulBm1684& op, const Chip& chip) {
  const uint64_t depth = op.left.cols;
  return compute_cost(lane_passes(op.out.tensor.shape, chip, 4) * depth,
                      uint64_t{op.out.rows} * op.out.cols * depth, operands(op), chip);
}

float result_at(const MatmulBm1684& op, const Memory& memory, uint32_t i, uint32_t j) {
  AlternatingSum products;
  for (uint32_t k = 0; k < op.left.cols; ++k)
    products.add(element(op.left, memory, i, k), element(op.right, memory, k, j));
  float sum = products.total();
  if (op.bias) sum = f32::add(sum, element(*op.bias, memory, 0, j));
  if (op.accumulate) sum = f32::add(sum, element(op.out, memory, i, j));
  return sum;
}

void execute(const MatmulBm1684& op, const Memory& memory) {
  for (uint32_t i = 0; i < op.out.rows; ++i)
    for (uint32_t j = 0; j < op.out.cols; ++j)
      memory.write(op.out, i, j, static_cast<int32_t>(f32::bits(result_at(op, memory, i, j))));
}

}  // namespace tputwin
