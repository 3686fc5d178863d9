// Encodes the BM1684X's matrix products: MM and MM2 of class MM.
#include "base/bits.h"
#include "isa/bm1684x/codes.h"
#include "isa/bm1684x/writer.h"

namespace tputwin::isa::bm1684x_streams {
namespace {

// ---- MM: columns in channels ----

// Writes a matrix in which every channel has all its columns. Its extents follow from other
// operands.
void whole(const OperandFields& fields, const MatrixView& m, TiuWriter& w) {
  w.require(m.cols == m.tensor.shape.c * m.tensor.shape.w, fields.name, describe(m.tensor));
  w.aligned(fields, m.tensor);
}

// Writes the left matrix. Columns of a constant one are counted in channels of 64 bytes.
void left_of(const MatrixOperand& left, TiuWriter& w) {
  TiuCommand& c = w.command;
  w.type(kOpd0, left.dtype());
  const MatrixView& m = left.matrix;
  c.opd0_n = m.rows;
  c.left_tran = left.transposed;
  if (left.is_constant) {
    w.constant(kOpd0, left.constant);
    c.opd0_w = w.chip().eu_bytes / element_bytes(left.dtype());
    c.opd0_c = ceil_div(m.cols, static_cast<uint32_t>(c.opd0_w));
  } else {
    w.aligned(kOpd0, m.tensor);
    c.opd0_w = m.tensor.shape.w;
    c.opd0_c = m.tensor.shape.c;
  }
  c.opd1_w = m.cols - (c.opd0_c - 1) * c.opd0_w;
}

template <class Op>
void matrices(const Op& op, TiuWriter& w) {
  const Shape& out = op.out.matrix.tensor.shape;
  w.command.res0_c = out.c;
  w.command.res0_w = out.w;
  whole(kRes0, op.out.matrix, w);
  left_of(op.left, w);
  w.require(!op.right.is_constant && op.right.matrix.tensor.shape.w == out.w, "right", "");
  whole(kOpd1, op.right.matrix, w);
}

// A negative constant is signed.
template <class Op>
void column_bias(const Op& op, TiuWriter& w) {
  if (!op.bias) {
    if constexpr (std::is_signed_v<decltype(op.constant_bias)>)
      w.command.opd2_sign = op.constant_bias < 0;
    return w.constant(kOpd2, static_cast<uint32_t>(op.constant_bias));
  }
  w.type(kOpd2, op.bias->tensor.dtype);
  whole(kOpd2, *op.bias, w);
}

// Returns true for results of 8 and 16 bits. Only those products shift their sums.
bool is_int8_product(const MatmulBm1684xInt& op) { return element_bytes(op.out.dtype()) < 4; }

// ---- MM2: rows in channels ----

void row_matrix(const OperandFields& fields, const MatrixOperand& m, TiuWriter& w) {
  w.type(fields, m.dtype());
  if (m.is_constant) return w.constant(fields, m.constant);
  w.require(m.row_per_channel, fields.name, describe(m.matrix.tensor));
  w.aligned(fields, m.matrix.tensor);
}

Product product_of(const MatrixOperand& out, const MatrixOperand& right, bool right_known) {
  if (out.transposed) return Product::all_transposed;
  return right_known && right.transposed ? Product::right_transposed : Product::plain;
}

template <class Op>
void row_matrices(const Op& op, TiuWriter& w) {
  TiuCommand& c = w.command;
  const Product product = product_of(op.out, op.right, !op.right.is_constant);
  row_matrix(kRes0, op.out, w);
  row_matrix(kOpd0, op.left, w);
  row_matrix(kOpd1, op.right, w);
  c.res0_c = op.out.matrix.rows;
  c.res0_w = op.out.matrix.cols;
  const uint32_t depth = op.left.cols();
  c.opd1_c = product == Product::plain ? depth : op.out.cols();
  c.opd1_w = product == Product::plain ? op.out.cols() : depth;
  w.operation(kMm, mm2, [&](const TiuVariant& v) { return v.product == product; });
}

}  // namespace

void encode(const MatmulBm1684xFp32& op, TiuWriter& w) {
  matrices(op, w);
  column_bias(op, w);
  w.command.res_add = op.accumulate;
  w.operation(kMm, mm);
}

void encode(const MatmulBm1684xHalf& op, TiuWriter& w) {
  row_matrices(op, w);
  w.command.res_add = op.accumulate;
}

void encode(const MatmulBm1684xInt& op, TiuWriter& w) {
  TiuCommand& c = w.command;
  if (op.out.row_per_channel) {
    row_matrices(op, w);
    c.res_add = op.old.has_value();
    const Source& zero = *op.zero_point;
    if (zero.is_constant) return w.constant(kOpd2, zero.constant);
    return w.fixed(kOpd2, zero.view, zero.view.shape, &CommandReader::compact);
  }
  matrices(op, w);
  if (is_int8_product(op)) {
    column_bias(op, w);
    c.res_add = op.old.has_value();
    w.require(op.shift && op.shift->is_constant, "shift", "");
    c.opd3_addr = op.lshift | (0u - op.shift->constant) << 8;
    return w.operation(kMm, int8_mm, [&](const TiuVariant& v) { return v.relu == op.relu; });
  }
  c.opd2_n_str = static_cast<uint64_t>(op.rounding);
  c.res_add = op.old.has_value();
  w.operation(kMm, mm);
  if (!op.shift || op.shift->is_constant)
    return w.constant(kOpd2, op.shift ? op.shift->constant : 0);
  w.type(kOpd2, DType::i8);
  whole(kOpd2, op.shift->matrix, w);
}

}  // namespace tputwin::isa::bm1684x_streams
