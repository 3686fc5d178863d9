// Random matrix products of the BM1684X.
#include "base/bits.h"
#include "memory/layout.h"
#include "numerics/rounding.h"
#include "selftest/family.h"
#include "selftest/kinds.h"

namespace tputwin::testing {
namespace {

class Matrices {
 public:
  Matrices(Rng& rng, const Chip& chip)
      : rng_(rng),
        chip_(chip),
        next_(rng.below(16) * chip.eu_bytes),
        // Few rows have kernels of their own.
        rows_(rng.chance(1, 4) ? rng.range(1, 2) : extent(20)),
        depth_(extent(40)),
        cols_(extent(30)) {}

  Operation in_fp32() {
    MatmulBm1684xFp32 op{.accumulate = rng_.chance(1, 3)};
    set_by_columns(op, DType::f32, DType::f32, DType::f32);
    set_bias(op, DType::f32);
    if (rng_.chance(1, 9)) op.out.matrix.tensor.address = op.right.matrix.tensor.address;
    return op;
  }

  Operation grouped() {
    const DType type = rng_.coin() ? DType::f16 : DType::bf16;
    const DType out = rng_.coin() ? DType::f32 : type;
    MatmulBm1684xHalf op{.accumulate = out == DType::f32 && rng_.coin()};
    set_by_rows(op, type, type, out);
    return op;
  }

  Operation integers() { return rng_.coin() ? integer_by_rows() : integer_by_columns(); }

 private:
  uint32_t extent(uint32_t most) {
    return rng_.chance(1, 5) ? rng_.range(60, 90) : rng_.range(1, most);
  }

  TensorView tensor(const Shape& shape, DType type, uint64_t quantum) {
    next_ = align_up(next_, quantum);
    TensorView view{.dtype = type,
                    .plane_stride = is_16bit(type) ? 1u : 0u,
                    .address = next_,
                    .shape = shape,
                    .stride = lane_stride(chip_, shape, 0, element_bytes(type), true)};
    next_ += uint64_t{shape.n} * view.stride.n;
    return view;
  }

  uint32_t bits(DType type) { return random_bits(rng_, type); }

  MatrixOperand constant(uint32_t rows, uint32_t cols, DType type) {
    return {.matrix = {{.dtype = type}, rows, cols}, .is_constant = true, .constant = value(type)};
  }

  // Returns a matrix with one row per channel.
  MatrixOperand by_rows(uint32_t rows, uint32_t cols, bool transposed, DType type) {
    if (transposed) std::swap(rows, cols);
    return {.matrix = {tensor({1, rows, 1, cols}, type, chip_.bank_bytes()), rows, cols},
            .row_per_channel = true,
            .transposed = transposed};
  }

  template <class Op>
  void set_by_rows(Op& op, DType left, DType right, DType out) {
    const bool all = rng_.chance(1, 3), right_transposed = all || rng_.coin();
    const uint32_t which = rng_.below(4);
    op.left = which == 0 ? constant(rows_, depth_, left) : by_rows(rows_, depth_, all, left);
    op.right = which == 1 ? constant(depth_, cols_, right)
                          : by_rows(depth_, cols_, right_transposed, right);
    op.out = by_rows(rows_, cols_, all, out);
  }

  MatrixOperand by_columns(uint32_t rows, uint32_t cols, uint32_t per_channel, DType type) {
    const Shape shape{rows, ceil_div(cols, per_channel), 1, per_channel};
    return {.matrix = {tensor(shape, type, chip_.eu_bytes), rows, cols}};
  }

  template <class Op>
  void set_by_columns(Op& op, DType left, DType right, DType out) {
    constexpr uint32_t kUsual = 32;  // two such rows of bytes fill a vector
    const uint32_t width = cols_ > kUsual && rng_.coin() ? kUsual : rng_.range(1, cols_);
    const uint32_t whole = align_up(cols_, width);
    const bool transposed = rng_.chance(1, 3);
    const uint32_t left_rows = transposed ? depth_ : rows_, left_cols = transposed ? rows_ : depth_;
    op.left = rng_.chance(1, 4) ? constant(rows_, depth_, left)
                                : by_columns(left_rows, left_cols, rng_.range(1, left_cols), left);
    op.left.transposed = !op.left.is_constant && transposed;
    op.right = by_columns(depth_, whole, width, right);
    op.out = by_columns(rows_, whole, width, out);
  }

  template <class Op>
  void set_bias(Op& op, DType type) {
    const MatrixView& out = op.out.matrix;
    if (rng_.coin())
      op.bias = by_columns(1, out.cols, out.tensor.shape.w, type).matrix;
    else if (rng_.chance(1, 4))
      op.constant_bias = static_cast<decltype(op.constant_bias)>(value(type));
  }

  DType integer(uint32_t bytes) {
    const DType types[] = {DType::u8, DType::i8, DType::u16, DType::i16, DType::u32, DType::i32};
    return types[bytes / 2 * 2 + rng_.below(2)];
  }

  uint32_t value(DType type) {
    return static_cast<uint32_t>(wrap(static_cast<int32_t>(bits(type)), type));
  }

  Source zero_point(const MatmulBm1684xInt& op) {
    const DType type = op.right.dtype();
    if (rng_.coin()) return Source::value(value(type), type);
    const uint32_t rows = op.right.transposed ? cols_ : depth_;
    const Shape shape =
        op.out.transposed ? Shape{1, cols_, 1, 1} : Shape{1, std::min(rows, chip_.lanes), 1, cols_};
    TensorView view = tensor(shape, type, chip_.eu_bytes);
    view.stride = lane_stride(chip_, shape, 0, element_bytes(type), /*aligned=*/false);
    return Source::tensor(view);
  }

  Operation integer_by_rows() {
    MatmulBm1684xInt op;
    const DType left = integer(1), right = integer(1);
    set_by_rows(op, left, right, DType::i32);
    op.zero_point = zero_point(op);
    if (rng_.chance(1, 3)) op.old = op.out;
    return op;
  }

  Operation integer_by_columns() { return rng_.coin() ? shifted() : quantized(); }

  // Returns a product with 32-bit results. Only sums of 32-bit numbers are shifted.
  Operation shifted() {
    MatmulBm1684xInt op{.rounding = static_cast<Rounding>(rng_.below(7))};
    const uint32_t bytes = 1u << rng_.below(3);
    const DType left = integer(bytes), right = integer(bytes);
    set_by_columns(op, left, right, is_signed(left) || is_signed(right) ? DType::i32 : DType::u32);
    if (bytes == 4) {
      const MatrixView& out = op.out.matrix;
      op.shift = rng_.coin() ? shift_by(static_cast<int32_t>(rng_.below(63)) - 31)
                             : by_columns(1, out.cols, out.tensor.shape.w, DType::i8);
    }
    return op;
  }

  MatrixOperand shift_by(int32_t shift) {
    MatrixOperand row = constant(1, cols_, DType::i8);
    row.constant = static_cast<uint32_t>(shift);
    return row;
  }

  // Returns an 8-bit product, quantized to 8 or 16 bits.
  Operation quantized() {
    MatmulBm1684xInt op{.rounding = Rounding::half_up,
                        .lshift = rng_.coin() ? rng_.range(0, 31) : rng_.range(0, 3),
                        .relu = rng_.coin()};
    op.shift = shift_by(-static_cast<int32_t>(rng_.below(32)));
    const DType left = integer(1), right = integer(1);
    const bool has_sign = is_signed(left) || is_signed(right);
    const DType wide = has_sign ? DType::i16 : DType::u16;
    set_by_columns(op, left, right, make_dtype(has_sign && !op.relu, rng_.coin()));
    set_bias(op, wide);
    if (rng_.chance(1, 3)) {
      const MatrixView& out = op.out.matrix;
      op.old = by_columns(out.rows, out.cols, out.tensor.shape.w, wide);
      op.old->matrix.tensor.address = out.tensor.address;
    }
    return op;
  }

  Rng& rng_;
  const Chip& chip_;
  uint64_t next_;
  uint32_t rows_, depth_, cols_;
};

}  // namespace

TW_FAMILY(random_bm1684x_matrices, Matrices, {matmul_bm1684x_fp32, &Matrices::in_fp32},
          {matmul_bm1684x_half, &Matrices::grouped}, {matmul_bm1684x_int, &Matrices::integers})

}  // namespace tputwin::testing
