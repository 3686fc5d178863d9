// Decodes the BM1684X's matrix products: class MM (2), whose operations from 4 on are MM2.
#include "isa/bm1684x/decode.h"

#include "base/bits.h"

namespace tputwin::isa::bm1684x_streams {
namespace {

MatrixOperand constant_matrix(uint64_t bits, uint32_t rows, uint32_t cols, DType dtype) {
  return {.matrix = {{.dtype = dtype}, rows, cols},
          .is_constant = true,
          .constant = element_bits(bits, dtype)};
}

// ---- MM: columns in channels ----

// The left matrix as stored. A constant one has the extents of a stored one.
struct Left {
  uint32_t rows, channels, width, cols;
};
Left left_of(const TiuCommand& c, CommandReader& r) {
  const Left left{r.extent(TW_OF(c, opd0_n)), r.extent(TW_OF(c, opd0_c)),
                  r.extent(TW_OF(c, opd0_w)), r.extent(TW_OF(c, opd1_w))};
  r.require(left.cols <= left.width, errors::isa_stream_extent, TW_OF(c, opd1_w));
  return {left.rows, left.channels, left.width, (left.channels - 1) * left.width + left.cols};
}

// Reads a matrix in which every channel, including the last, has all its columns.
MatrixView whole(const TiuCommand& c, CommandReader& r, const Named& address, uint32_t rows,
                 DType dtype) {
  return r.lane_matrix(address, rows, r.extent(TW_OF(c, res0_c)), r.extent(TW_OF(c, res0_w)),
                       dtype);
}

template <class Op>
void set_matrices(const TiuCommand& c, CommandReader& r, DType out, DType left_type,
                  DType right_type, Op& op) {
  const Left left = left_of(c, r);
  const bool transposed = c.left_tran != 0;
  const uint32_t rows = transposed ? left.cols : left.rows;
  const uint32_t depth = transposed ? left.rows : left.cols;
  op.out.matrix = whole(c, r, TW_OF(c, res0_addr), rows, out);
  op.right.matrix = whole(c, r, TW_OF(c, opd1_addr), depth, right_type);
  if (c.opd0_const != 0) {
    op.left = constant_matrix(c.opd0_addr, rows, depth, left_type);
    return;
  }
  op.left.transposed = transposed;
  op.left.matrix =
      r.lane_matrix(TW_OF(c, opd0_addr), left.rows, left.channels, left.width, left_type);
  op.left.matrix.cols = left.cols;
}

template <class Op>
void set_column_bias(const TiuCommand& c, CommandReader& r, DType dtype, Op& op) {
  if (c.opd2_const == 0)
    op.bias = whole(c, r, TW_OF(c, opd2_addr), 1, dtype);
  else  // sign-extended
    op.constant_bias = static_cast<decltype(op.constant_bias)>(element_bits(c.opd2_addr, dtype));
}

Operation mm_float(const TiuCommand& c, CommandReader& r) {
  MatmulBm1684xFp32 op{.accumulate = c.res_add != 0};
  const DType dtype = DType::f32;
  r.require(c.res0_prec == kFp32, errors::isa_stream_type, TW_OF(c, res0_prec));
  set_matrices(c, r, dtype, dtype, dtype, op);
  set_column_bias(c, r, dtype, op);
  return op;
}

// Left and right have equal widths, but may differ in sign.
struct IntTypes {
  DType left, right;
  bool has_sign;
};
IntTypes int_types(const TiuCommand& c, CommandReader& r) {
  return {r.int_type(TW_OF(c, opd0_prec), c.opd0_sign != 0),
          r.int_type(TW_OF(c, opd0_prec), c.opd1_sign != 0), c.opd0_sign != 0 || c.opd1_sign != 0};
}

}  // namespace

Operation mm(const TiuCommand& c, CommandReader& r, const TiuVariant&) {
  if (c.opd0_prec == kFp32) return mm_float(c, r);
  const IntTypes t = int_types(c, r);
  r.require(c.res0_prec == kInt32, errors::isa_stream_type, TW_OF(c, res0_prec));
  r.supports(c.res_add == 0 || c.opd0_prec != kInt32, TW_OF(c, res_add),
             "the old result may be added before the shift or after it");
  r.unconfirmed(c.res_add != 0, TW_OF(c, res_add), "the old result is added modulo 2^32");
  MatmulBm1684xInt op{.rounding = r.rounding(TW_OF(c, opd2_n_str))};
  set_matrices(c, r, t.has_sign ? DType::i32 : DType::u32, t.left, t.right, op);
  if (c.res_add != 0) op.old = op.out;
  // The chip does not shift sums of 8 and 16-bit numbers.
  if (c.opd0_prec != kInt32) return op;
  op.shift = c.opd2_const != 0
                 ? constant_matrix(c.opd2_addr, 1, op.out.matrix.cols, DType::i8)
                 : MatrixOperand{.matrix = whole(c, r, TW_OF(c, opd2_addr), 1, DType::i8)};
  return op;
}

Operation int8_mm(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  const IntTypes t = int_types(c, r);
  r.require(c.opd0_prec == kInt8, errors::isa_stream_type, TW_OF(c, opd0_prec));
  MatmulBm1684xInt op{.rounding = Rounding::half_up,
                      .lshift = static_cast<uint32_t>(c.opd3_addr & 0xff),
                      .relu = v.relu};
  set_matrices(c, r, r.int_type(TW_OF(c, res0_prec), t.has_sign && !v.relu), t.left, t.right, op);
  const uint32_t right_shift = static_cast<uint32_t>(c.opd3_addr >> 8 & 0xff);
  constexpr uint32_t kShifts = 32, kOldBits = 16;
  r.supports(c.res_add == 0 || op.lshift <= 63 - kOldBits, TW_OF(c, opd3_addr),
             "the old result must keep within 64 bits after its left shift");
  // Without old result the shift has no effect.
  if (c.res_add == 0) op.lshift = 0;
  r.unconfirmed(op.lshift >= kShifts || right_shift >= kShifts, TW_OF(c, opd3_addr),
                "sums are shifted as numbers of 64 bits");
  const MatrixView& out = op.out.matrix;
  op.shift = MatrixOperand{.matrix = {{.dtype = DType::i8}, 1, out.cols},
                           .is_constant = true,
                           .constant = 0 - right_shift};
  // Read as 16-bit values for any result type.
  if (c.res_add != 0)
    op.old = MatrixOperand{
        .matrix = whole(c, r, TW_OF(c, res0_addr), out.rows, t.has_sign ? DType::i16 : DType::u16)};
  set_column_bias(c, r, make_dtype(c.opd2_sign != 0, /*is_8bit=*/false), op);
  return op;
}

// ---- MM2: rows in channels ----

namespace {

MatrixOperand row_matrix(CommandReader& r, const Named& address, bool is_constant, uint32_t rows,
                         uint32_t cols, bool transposed, DType dtype) {
  if (is_constant) return constant_matrix(address.value, rows, cols, dtype);
  if (transposed) std::swap(rows, cols);
  return {.matrix = {r.aligned(address, {1, rows, 1, cols}, dtype), rows, cols},
          .row_per_channel = true,
          .transposed = transposed};
}

template <class Op>
void set_row_matrices(const TiuCommand& c, CommandReader& r, Product product, DType out, DType left,
                      DType right, Op& op) {
  const bool all = product == Product::all_transposed;
  const bool right_transposed = product != Product::plain;
  uint32_t rows = r.extent(TW_OF(c, res0_c)), cols = r.extent(TW_OF(c, res0_w));
  if (all) std::swap(rows, cols);  // the result is stored transposed
  const uint32_t depth = right_transposed ? r.extent(TW_OF(c, opd1_w)) : r.extent(TW_OF(c, opd1_c));
  op.out = row_matrix(r, TW_OF(c, res0_addr), false, rows, cols, all, out);
  op.left = row_matrix(r, TW_OF(c, opd0_addr), c.opd0_const != 0, rows, depth, all, left);
  op.right =
      row_matrix(r, TW_OF(c, opd1_addr), c.opd1_const != 0, depth, cols, right_transposed, right);
}

// Reads the zero point: one for all columns, or one per column. Those per column are repeated in
// every lane or, if the result is transposed, stored in its channels.
Source zero_point_of(const TiuCommand& c, CommandReader& r, const MatmulBm1684xInt& op) {
  const DType dtype = op.right.dtype();
  if (c.opd2_const != 0) return constant_source(c.opd2_addr, dtype);
  const uint32_t cols = op.out.cols();
  const uint32_t rows = std::min(op.right.transposed ? cols : op.right.rows(), r.chip().lanes);
  const Shape shape = op.out.transposed ? Shape{1, cols, 1, 1} : Shape{1, rows, 1, cols};
  return Source::tensor(r.compact(TW_OF(c, opd2_addr), shape, dtype));
}

}  // namespace

Operation mm2(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  if (c.opd0_prec == kInt8) {
    MatmulBm1684xInt op;
    r.require(c.res0_prec == kInt32, errors::isa_stream_type, TW_OF(c, res0_prec));
    const DType left = make_dtype(c.opd0_sign != 0, /*is_8bit=*/true);
    const DType right = make_dtype(c.opd1_sign != 0, /*is_8bit=*/true);
    set_row_matrices(c, r, v.product, DType::i32, left, right, op);
    if (c.res_add != 0) op.old = op.out;
    op.zero_point = zero_point_of(c, r, op);
    return op;
  }
  MatmulBm1684xHalf op{.accumulate = c.res_add != 0};
  const DType dtype = r.float_type(TW_OF(c, opd0_prec));
  r.require(is_half(dtype), errors::isa_stream_type, TW_OF(c, opd0_prec));
  set_row_matrices(c, r, v.product, r.float_type(TW_OF(c, res0_prec)), dtype, dtype, op);
  return op;
}

}  // namespace tputwin::isa::bm1684x_streams
