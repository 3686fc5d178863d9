// Operands, footprint, cost and rules of the products of the BM1684X.
#include "ops/matmul/matmul_bm1684x.h"

#include "base/bits.h"
#include "base/errors/tpukernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/timing.h"

namespace tputwin {
namespace {

// Checks a matrix in memory: its tensor, its start, and its extents in the product.
Status check_matrix(std::string_view name, const MatrixOperand& m, uint32_t rows, uint32_t cols,
                    const Chip& chip) {
  if (m.is_constant) return require(!m.transposed, errors::tpu_layout, name, m.matrix);
  const Shape& s = m.matrix.tensor.shape;
  TW_RETURN_IF_ERROR(check_bm1684x_operand(name, m.matrix.tensor, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_npu_0(name, m.matrix.tensor, chip));
  const Shape stored = m.row_per_channel
                           ? Shape{1, m.matrix.rows, 1, m.matrix.cols}
                           : Shape{m.matrix.rows, ceil_div(m.matrix.cols, s.w), 1, s.w};
  TW_RETURN_IF_ERROR(require(s == stored, errors::tpu_extents, name, m.matrix));
  return require(m.rows() == rows && m.cols() == cols, errors::tpu_extents, name, m.matrix);
}

// Checks that the last channel is full.
Status check_whole_channels(std::string_view name, const MatrixView& m, const MatrixView& out) {
  return require(m.cols % m.tensor.shape.w == 0 && m.tensor.shape.w == out.tensor.shape.w,
                 errors::tpu_extents, name, m);
}

Status check_matrices(const MatrixOperand& out, const MatrixOperand& left,
                      const MatrixOperand& right, const Chip& chip) {
  const uint32_t rows = out.rows(), cols = out.cols(), depth = left.cols();
  TW_RETURN_IF_ERROR(require(!out.is_constant, errors::tpu_layout, "output_addr", out.matrix));
  TW_RETURN_IF_ERROR(check_matrix("output_addr", out, rows, cols, chip));
  TW_RETURN_IF_ERROR(require(depth >= 1, errors::tpu_count, "left_addr", left.matrix));
  TW_RETURN_IF_ERROR(check_matrix("left_addr", left, rows, depth, chip));
  return check_matrix("right_addr", right, depth, cols, chip);
}

}  // namespace

void matrix_attributes(const MatrixOperand& out, const MatrixOperand& left,
                       const MatrixOperand& right, AttributeSink& to) {
  to.extents("size", {out.rows(), left.cols(), out.cols()});
  if (left.is_constant) to.bits("left", left.constant);
  if (right.is_constant) to.bits("right", right.constant);
  to.flag("out_transposed", out.transposed);
  to.flag("left_transposed", left.transposed);
  to.flag("right_transposed", right.transposed);
}

OperandList matrix_operands(const MatrixOperand& out, const MatrixOperand& left,
                            const MatrixOperand& right, bool accumulate) {
  OperandList list{
      {"output_addr", &out.matrix.tensor, accumulate ? Access::read_write : Access::write}};
  if (!left.is_constant) list.push_back({"left_addr", &left.matrix.tensor, Access::read});
  if (!right.is_constant) list.push_back({"right_addr", &right.matrix.tensor, Access::read});
  return list;
}

void add_ranges(const MatrixOperand& m, const Chip& chip, std::vector<ByteRange>& ranges) {
  if (m.is_constant) return;
  if (m.row_per_channel)
    add_ranges(m.matrix.tensor, chip, ranges);
  else
    add_ranges(m.matrix, chip, ranges);
}

Footprint matrix_footprint(const MatrixOperand& out, const MatrixOperand& left,
                           const MatrixOperand& right, bool accumulate, const Chip& chip) {
  Footprint f;
  add_ranges(out, chip, f.writes);
  sort_and_merge(f.writes);
  add_ranges(left, chip, f.reads);
  add_ranges(right, chip, f.reads);
  if (accumulate) add_ranges(out, chip, f.reads);
  return f;
}

Cost matrix_cost(const MatrixOperand& out, uint64_t depth, uint32_t group,
                 const OperandList& operands, const Chip& chip) {
  constexpr uint32_t kColumns = 4;
  const Shape& s = out.matrix.tensor.shape;
  const uint64_t steps = ceil_div(depth, uint64_t{group}) * ceil_div(s.w, kColumns);
  return compute_cost(ceil_div(s.c, chip.lanes) * steps, s.count() * depth, operands, chip);
}

Status check_column_channels(const MatrixOperand& out, const MatrixOperand& left,
                             const MatrixOperand& right, const Chip& chip) {
  for (const MatrixOperand* m : {&out, &left, &right})
    TW_RETURN_IF_ERROR(require(!m->row_per_channel, errors::tpu_layout, "output_addr", m->matrix));
  TW_RETURN_IF_ERROR(check_matrices(out, left, right, chip));
  TW_RETURN_IF_ERROR(require(!out.transposed && !right.transposed && !right.is_constant,
                             errors::tpu_layout, "right_addr", right.matrix));
  TW_RETURN_IF_ERROR(check_whole_channels("output_addr", out.matrix, out.matrix));
  return check_whole_channels("right_addr", right.matrix, out.matrix);
}

Status check_row(std::string_view name, const MatrixView& row, const MatrixOperand& out,
                 const Chip& chip) {
  TW_RETURN_IF_ERROR(check_matrix(name, {.matrix = row}, 1, out.cols(), chip));
  return check_whole_channels(name, row, out.matrix);
}

Status check_row_channels(const MatrixOperand& out, const MatrixOperand& left,
                          const MatrixOperand& right, const Chip& chip) {
  for (const MatrixOperand* m : {&out, &left, &right})
    TW_RETURN_IF_ERROR(require(m->row_per_channel || m->is_constant, errors::tpu_layout,
                               "output_addr", m->matrix));
  return check_matrices(out, left, right, chip);
}

Status advise_matrix_banks(const MatrixOperand& out, const MatrixOperand& left,
                           const MatrixOperand& right, const Chip& chip) {
  const TensorView &o = out.matrix.tensor, &l = left.matrix.tensor, &r = right.matrix.tensor;
  if (!left.is_constant) TW_RETURN_IF_ERROR(advise_bm1684x_banks("left_addr", l, o, chip));
  if (!right.is_constant) TW_RETURN_IF_ERROR(advise_bm1684x_banks("right_addr", r, o, chip));
  if (left.is_constant || right.is_constant) return {};
  return advise_bm1684x_banks("right_addr", r, l, chip);
}

}  // namespace tputwin
