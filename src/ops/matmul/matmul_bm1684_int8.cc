// matmul_bm1684_int8: contract, cost and reference kernel.
#include "ops/matmul/matmul_bm1684_int8.h"

#include "base/bits.h"
#include "base/errors/okkernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684_bytes.h"

namespace tputwin {
namespace {

// Checks a matrix of at most `most_bytes` an element, with columns in channels.
Status check_matrix(std::string_view name, const MatrixView& m, uint32_t most_bytes,
                    const Chip& chip) {
  const Shape& s = m.tensor.shape;
  TW_RETURN_IF_ERROR(check_bm1684_operand(name, m.tensor, chip, 128));
  TW_RETURN_IF_ERROR(
      require(element_bytes(m.tensor.dtype) <= most_bytes && m.tensor.pack == 1 && is_run(m.tensor),
              errors::okk_element, name, m));
  return require(m.rows == s.n && s.h == 1 && m.cols >= 1 && s.c == ceil_div(uint64_t{m.cols}, s.w),
                 errors::okk_extents, name, m);
}

Status check_columns(std::string_view name, const MatrixView& m, const MatrixView& out) {
  return require(m.cols == out.cols && m.tensor.shape.w == out.tensor.shape.w &&
                     out.cols % out.tensor.shape.w == 0,
                 errors::okk_extents, name, m);
}

}  // namespace

std::string_view name(const MatmulBm1684Int8&) { return "matmul_int8"; }

void attributes(const MatmulBm1684Int8& op, AttributeSink& to) {
  to.extents("size", {op.left.rows, op.left.cols, op.right.cols});
  to.number("rshift", op.rshift);
}

OperandList operands(const MatmulBm1684Int8& op) {
  OperandList list{{"output_addr", &op.out.tensor, Access::write},
                   {"left_addr", &op.left.tensor, Access::read},
                   {"right_addr", &op.right.tensor, Access::read}};
  if (op.bias) list.push_back({"bias_addr", &op.bias->tensor, Access::read});
  return list;
}

Footprint footprint(const MatmulBm1684Int8& op, const Chip& chip) {
  Footprint f;
  add_ranges(op.out, chip, f.writes);
  for (const MatrixView* m : {&op.left, &op.right}) add_ranges(*m, chip, f.reads);
  if (op.bias) add_ranges(*op.bias, chip, f.reads);
  sort_and_merge(f.reads);
  sort_and_merge(f.writes);
  return f;
}

Status check(const MatmulBm1684Int8& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_matrix("output_addr", op.out, 2, chip));
  TW_RETURN_IF_ERROR(check_matrix("left_addr", op.left, 1, chip));
  TW_RETURN_IF_ERROR(check_matrix("right_addr", op.right, 1, chip));
  TW_RETURN_IF_ERROR(
      require(op.left.rows == op.out.rows, errors::okk_extents, "left_addr", op.left));
  TW_RETURN_IF_ERROR(
      require(op.right.rows == op.left.cols, errors::okk_matmul_depth, "right_addr", op.right));
  TW_RETURN_IF_ERROR(check_columns("output_addr", op.out, op.out));
  TW_RETURN_IF_ERROR(check_columns("right_addr", op.right, op.out));
  TW_RETURN_IF_ERROR(check_bm1684_rshift(op.rshift));
  if (op.bias) {
    TW_RETURN_IF_ERROR(check_matrix("bias_addr", *op.bias, 2, chip));
    TW_RETURN_IF_ERROR(require(op.bias->rows == 1 && is_16bit(op.bias->tensor.dtype),
                               errors::okk_extents, "bias_addr", *op.bias));
    TW_RETURN_IF_ERROR(check_columns("bias_addr", *op.bias, op.out));
    TW_RETURN_IF_ERROR(advise_bm1684_same_npu("bias_addr", op.bias->tensor, op.out.tensor, chip));
  }
  return advise_bm1684_same_npu("right_addr", op.right.tensor, op.out.tensor, chip);
}

Cost cost(const MatmulBm1684Int8& op, const Chip& chip) {
  const uint64_t depth = op.left.cols;
  return compute_cost(lane_passes(op.out.tensor.shape, chip) * depth,
                      uint64_t{op.out.rows} * op.out.cols * depth, operands(op), chip);
}

void execute(const MatmulBm1684Int8& op, const Memory& memory) {
  for (uint32_t i = 0; i < op.out.rows; ++i)
    for (uint32_t j = 0; j < op.out.cols; ++j) {
      int64_t sum = op.bias ? memory.read(*op.bias, 0, j) : 0;
      for (uint32_t k = 0; k < op.left.cols; ++k)
        sum += int64_t{memory.read(op.left, i, k)} * memory.read(op.right, k, j);
      memory.write(op.out, i, j, saturate(round_shift(sum, op.rshift), op.out.tensor.dtype));
    }
}

}  // namespace tputwin
