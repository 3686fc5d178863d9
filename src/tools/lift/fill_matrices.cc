// The roles of products and copies of matrices.
#include "tools/lift/fill.h"

#include <algorithm>

namespace tputwin::lift {
namespace {

Constant constant(const MatrixOperand& m) { return {m.constant, m.dtype()}; }

// Sets addresses, stored extents, and types. The right extent of a product with a constant is that
// of the result.
template <class Op>
void product(const Op& op, Filler& f) {
  Roles& r = f.roles;
  const auto& [out, left, right] = std::tie(op.out, op.left, op.right);
  r.output_addr = f.address(out.matrix.tensor);
  r.output_dtype = out.dtype();
  r.left_dtype = left.dtype();
  r.right_dtype = r.right_zp_dtype = right.dtype();
  r.left_right_dtype = r.right_C_dtype = r.C_dtype = left.dtype();
  r.left_C_dtype = left.dtype();
  r.C_zp_dtype = right.dtype();
  if (left.is_constant) r.C = constant(left), r.right_C_dtype = right.dtype();
  if (right.is_constant) r.C = constant(right);
  if (!left.is_constant) r.left_addr = f.address(left.matrix.tensor);
  if (!right.is_constant) r.right_addr = f.address(right.matrix.tensor);
  // A constant matrix of a transposed call also has its stored extents.
  const bool swapped = left.transposed || (left.is_constant && out.transposed);
  r.left_rows = f.number(swapped ? left.cols() : left.rows());
  r.left_cols = f.number(swapped ? left.rows() : left.cols());
  r.right_cols = r.right_rows = f.number(out.cols());
  r.left_cols_per_channel = f.number(left.matrix.tensor.shape.w);
  r.right_cols_per_channel = f.number(right.matrix.tensor.shape.w);
}

void bias(const std::optional<MatrixView>& bias, Filler& f) {
  f.roles.has_bias.value = bias.has_value();
  if (!bias) return;
  f.roles.bias_addr = f.address(bias->tensor);
  f.roles.bias_dtype = bias->tensor.dtype;
}

}  // namespace

void fill(const MatmulBm1684xFp32& op, Filler& f) {
  product(op, f);
  bias(op.bias, f);
  f.roles.result_add.value = op.accumulate;
}

void fill(const MatmulBm1684xHalf& op, Filler& f) {
  product(op, f);
  f.roles.result_add.value = op.accumulate;
}

void fill(const MatmulBm1684xInt& op, Filler& f) {
  Roles& r = f.roles;
  product(op, f);
  const bool has_sign = is_signed(op.left.dtype()) || is_signed(op.right.dtype());
  r.bias_dtype = has_sign ? DType::i16 : DType::u16;
  bias(op.bias, f);
  r.result_add.value = op.old.has_value();
  r.result_relu.value = op.relu;
  r.rounding_mode = op.rounding;
  r.lshift = f.number(op.lshift);
  if (op.zero_point) {
    r.zp_val = f.constant(*op.zero_point);
    if (!op.zero_point->is_constant) r.zp_addr = f.address(op.zero_point->view);
  }
  if (!op.shift) return;
  if (!op.shift->is_constant) r.shift_addr = f.address(op.shift->matrix.tensor);
  r.shift.value = static_cast<int32_t>(op.shift->constant);
  r.rshift.value = -r.shift.value;
}

// Rows and columns are those of the local side; the system side may be transposed.
void fill(const CopyMatrix& op, Filler& f) {
  Roles& r = f.roles;
  const bool to_lanes = op.dst.tensor.space == Space::local;
  const MatrixView &lanes = to_lanes ? op.dst : op.src, &system = to_lanes ? op.src : op.dst;
  const TensorView& line = system.tensor;
  const uint32_t bytes = element_bytes(line.dtype);
  const bool transposed = line.shape.w > 1 && line.stride.w != bytes;
  r.dst_addr = f.address(op.dst.tensor);
  r.src_addr = f.address(op.src.tensor);
  r.dtype = line.dtype;
  r.rows = f.number(lanes.rows);
  r.cols = f.number(lanes.cols);
  r.src_rows = to_lanes ? r.cols : r.rows;
  r.src_cols = to_lanes ? r.rows : r.cols;
  const uint32_t per_channel = std::min(lanes.tensor.shape.w, lanes.cols);
  r.cols_per_channel = r.dst_cols_per_channel = r.src_cols_per_channel = r.len_per_channel =
      f.number(per_channel);
  const uint32_t stride = (transposed ? line.stride.w : line.stride.n) / bytes;
  r.row_stride = r.src_row_stride = r.dst_row_stride =
      f.number(std::max(stride, transposed ? lanes.rows : lanes.cols));
  if (lanes.rows == 1) r.len = r.cols;
}

}  // namespace tputwin::lift
