// Products of matrices of 8-bit and signed 16-bit integers of the BM1684X: four bytes in a cell
// where the processor multiplies bytes, otherwise two int16.
#include "ops/matmul/matmul_bm1684x_int.h"

#include <array>
#include <cstring>
#include <limits>

#include "numerics/rounding.h"
#include "ops/contract/kernel_steps.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/run/matrix_tiles.h"
#include "ops/matmul/matmul_bm1684x.h"

namespace tputwin::fast {
namespace {

constexpr uint32_t kMostInCell = 4;

// The form in which cells hold factors.
enum class Cells : uint8_t {
  bytes,       // for byte products of the processor
  int16,       // bytes, sign- or zero-extended to 16 bits
  minus_zero,  // 16 bits, with the zero point subtracted
};

class IntSource {
 public:
  static constexpr bool kCopiesElements = false, kAddsUp = true;
  static constexpr uint64_t kTermsWorthATask = 64 << 10;

  IntSource(const MatmulBm1684xInt& op, const PlainProduct& product, const Memory& memory)
      : op_(op),
        p_(product),
        memory_(memory),
        kernels_(tile_kernels()),
        cells_(cells_of(op, kernels_)) {
    if (op.zero_point && op.zero_point->is_constant)
      constant_zero_ = static_cast<int32_t>(op.zero_point->constant);
    prepare_ends();
    if (cells_ != Cells::bytes) return;
    flip_ = kernels_.sign_flip(is_signed(p_.right.dtype()), is_signed(p_.left.dtype()));
    if (flip_.mask != 0 || op.zero_point) sum_left();
    for (uint32_t j = 0; op.zero_point && j < p_.out.cols(); ++j)
      zero_points_.push_back(static_cast<int32_t>(zero_point(op, memory, 0, j)));
  }

  const PlainProduct& product() const { return p_; }
  static const InPlace* in_place() { return nullptr; }
  uint32_t in_cell() const { return cells_ == Cells::bytes ? kernels_.in_cell : 2; }
  static constexpr bool has_whole_rows() { return true; }

  void read_terms(const StoredMatrix& m, uint32_t cell, uint32_t first, uint32_t count,
                  uint32_t* to) const;
  void read_factors(const StoredMatrix& m, uint32_t row, uint32_t first, uint32_t count,
                    uint32_t* to) const;

  void start(uint32_t, uint32_t, uint32_t count, uint32_t* first, uint32_t*) const {
    std::fill_n(first, count, 0u);
  }

  bool has_byte_cells() const { return cells_ == Cells::bytes; }
  bool has_byte_tiles() const { return has_byte_cells() && kernels_.has_matrix_tiles; }
  // Returns the factors of the only row.
  std::vector<uint32_t> left_cells() const;
  // Computes `count` sums of the only row, from column `first` on. May write up to kRowSlack sums
  // more.
  void multiply_row(const std::vector<uint32_t>& left, const StoredMatrix& right, uint32_t first,
                    uint32_t count, uint32_t* sums) const;

  bool run(const TileKernels& kernels, const Tile& tile, const auto& terms, const TilePart&,
           const TileBuffers&) const {
    const uint32_t no_offset = 0;
    const Dots dots{terms.pitch,     terms.count, 1, &no_offset, is_signed(p_.left.dtype()),
                    terms.tile_depth};
    cells_ == Cells::bytes ? kernels.bytes(tile, dots) : kernels.int16(tile, dots);
    return false;
  }

  void store(uint32_t i, uint32_t j, uint32_t count, uint32_t* sums, bool) const {
    if (!left_sums_.empty()) {
      const auto left = static_cast<uint32_t>(left_sums_[i]);
      const auto flipped = left * static_cast<uint32_t>(flip_.correction);
      for (uint32_t c = 0; c < count; ++c) sums[c] += flipped;
      for (uint32_t c = 0; c < count && !zero_points_.empty(); ++c)
        sums[c] -= left * static_cast<uint32_t>(zero_points_[j + c]);
    }
    if (!ends_in_vectors_) return store_each(i, j, count, sums);
    for (uint32_t c = 0; c < count && !bias_.empty(); ++c)
      sums[c] += static_cast<uint32_t>(bias_[p_.swapped ? i : j + c]);
    const DType dtype = p_.out.dtype();
    for_each_result_run(
        p_.out, memory_, i, j, count, [&](uint8_t* to, uint32_t index, uint32_t run) {
          if (op_.shift)
            kernels_.quantize(sums + index, run, quantizing_, element_bytes(dtype), to);
          else
            kernels_.narrow(sums + index, run, dtype, to);
        });
  }

 private:
  static Cells cells_of(const MatmulBm1684xInt& op, const TileKernels& kernels) {
    if (element_bytes(op.left.dtype()) != 1) return Cells::minus_zero;
    if (!op.zero_point) return kernels.in_cell == 2 ? Cells::int16 : Cells::bytes;
    // zero points that are subtracted from sums must be one per column
    const bool by_column = op.zero_point->is_constant || op.right.transposed;
    return kernels.in_cell != 2 && by_column && !op.out.transposed ? Cells::bytes
                                                                   : Cells::minus_zero;
  }

  // Sets ends_in_vectors_ if vectors can compute the epilogue: no sum overflows 32 bits, and there
  // are no old values or shifts by column.
  void prepare_ends() {
    const DType dtype = p_.out.dtype();
    if (op_.old) return;
    if (!op_.shift) {
      if (op_.relu) return;  // 32 bits may not hold the sum
    } else {
      const auto shift = static_cast<int32_t>(op_.shift->constant);
      if (!op_.shift->is_constant || shift > 0 || shift < -31 || element_bytes(dtype) == 4) return;
      quantizing_ = {.relu = op_.relu,
                     .rshift = static_cast<uint32_t>(-shift),
                     .rounding = op_.rounding,
                     .low = saturate(INT32_MIN, dtype),
                     .high = saturate(INT32_MAX, dtype)};
    }
    int64_t largest = 0;
    for (uint32_t j = 0; (op_.bias || op_.constant_bias != 0) && j < op_.out.cols(); ++j) {
      bias_.push_back(op_.bias ? memory_.read(*op_.bias, 0, j) : op_.constant_bias);
      largest = std::max(largest, std::abs(int64_t{bias_.back()}));
    }
    ends_in_vectors_ =
        !op_.shift || largest + largest_sum(op_) <= std::numeric_limits<int32_t>::max();
  }

  // Returns an upper bound of the magnitude of a sum of products.
  static int64_t largest_sum(const MatmulBm1684xInt& op) {
    return int64_t{op.left.cols()} * 255 * (op.zero_point ? 255 + 128 : 255);
  }

  void sum_left();
  void store_each(uint32_t i, uint32_t j, uint32_t count, const uint32_t* sums) const {
    for (uint32_t c = 0; c < count; ++c) {
      const uint32_t row = p_.swapped ? j + c : i, col = p_.swapped ? i : j + c;
      const int32_t result = finish(op_, memory_, row, col, static_cast<int32_t>(sums[c]));
      p_.out.write(memory_, i, j + c, result);
    }
  }

  void join_terms(const StoredMatrix& m, uint32_t row, uint32_t first, uint32_t count,
                  uint32_t* to) const;

  bool is_right(const StoredMatrix& m) const {
    return &m.operand() == (p_.swapped ? &p_.left : &p_.right);
  }
  // Reads elements of a stored row as int16, minus their zero points.
  void read_int16(const StoredMatrix& m, uint32_t row, uint32_t first, uint32_t count,
                  uint16_t* to) const;

  const MatmulBm1684xInt& op_;
  const PlainProduct& p_;
  const Memory& memory_;
  const TileKernels kernels_;
  const Cells cells_;
  int32_t constant_zero_ = 0;
  SignFlip flip_;
  std::vector<int32_t> left_sums_;    // one per row of left
  std::vector<int32_t> zero_points_;  // one per column of right
  std::vector<int32_t> bias_;
  bool ends_in_vectors_ = false;
  Quantizing quantizing_;
};

void IntSource::read_int16(const StoredMatrix& m, uint32_t row, uint32_t first, uint32_t count,
                           uint16_t* to) const {
  const MatrixOperand& operand = m.operand();
  const int32_t zero = is_right(m) ? constant_zero_ : 0;
  const auto copy = [&]<class T>(T, const uint8_t* from, uint32_t run, uint16_t* words) {
    for (uint32_t i = 0; i < run; ++i)
      words[i] = static_cast<uint16_t>(Memory::load<T>(from + i * sizeof(T)) - zero);
  };
  if (operand.is_constant)
    std::fill_n(to, count, static_cast<uint16_t>(static_cast<int32_t>(operand.constant) - zero));
  else
    m.for_each_run(row, first, count, [&](const uint8_t* from, uint32_t col, uint32_t run) {
      if (operand.dtype() == DType::u8)
        copy(uint8_t{}, from, run, to + col);
      else if (operand.dtype() == DType::i8)
        copy(int8_t{}, from, run, to + col);
      else
        copy(int16_t{}, from, run, to + col);
    });
  if (!is_right(m) || !op_.zero_point || op_.zero_point->is_constant) return;
  const bool row_is_column = operand.transposed != p_.swapped;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t col = first + i;
    const uint32_t k = row_is_column ? col : row, j = row_is_column ? row : col;
    to[i] = static_cast<uint16_t>(to[i] - zero_point(op_, memory_, k, j));
  }
}

// Terms past the last one are 0 on the left.
void IntSource::read_terms(const StoredMatrix& m, uint32_t cell, uint32_t first, uint32_t count,
                           uint32_t* to) const {
  const MatrixOperand& operand = m.operand();
  const bool is_left = &operand == &p_.left;
  const uint32_t row = cell * in_cell(), rows = std::min(in_cell(), m.rows() - row);
  if (cells_ == Cells::minus_zero || operand.is_constant)
    return join_terms(m, row, first, count, to);
  const uint32_t mask = is_left ? 0 : flip_.mask;
  static constexpr uint8_t kZeros[kMaxTileRows + kTilePitch] = {};  // left: a few columns
  m.for_each_run(row, first, count, [&](const uint8_t* run_of_row, uint32_t col, uint32_t run) {
    std::array<const uint8_t*, kMostInCell> from;
    for (uint32_t e = 0; e < in_cell(); ++e)
      from[e] = e >= rows && is_left ? kZeros : m.below(run_of_row, row, std::min(e, rows - 1));
    if (cells_ == Cells::bytes)
      kernels_.join(from.data(), run, is_signed(operand.dtype()), mask, to + col);
    else
      kernels_.join_int16(from.data(), run, is_signed(operand.dtype()), to + col);
  });
}

void IntSource::join_terms(const StoredMatrix& m, uint32_t row, uint32_t first, uint32_t count,
                           uint32_t* to) const {
  if (cells_ == Cells::bytes) {  // constant factors
    const uint32_t rows = std::min(in_cell(), m.rows() - row);
    const uint32_t cell = (m.operand().constant & 0xff) * 0x0101'0101u >> (4 - rows) * 8;
    return static_cast<void>(
        std::fill_n(to, count, &m.operand() == &p_.left ? cell : cell ^ flip_.mask));
  }
  constexpr uint32_t kAtOnce = 256;
  std::array<uint16_t, kAtOnce> low, high{};
  for (uint32_t done = 0; done < count; done += kAtOnce) {
    const uint32_t some = std::min(kAtOnce, count - done);
    read_int16(m, row, first + done, some, low.data());
    if (row + 1 < m.rows()) read_int16(m, row + 1, first + done, some, high.data());
    for (uint32_t i = 0; i < some; ++i) to[done + i] = low[i] | uint32_t{high[i]} << 16;
  }
}

void IntSource::read_factors(const StoredMatrix& m, uint32_t row, uint32_t first, uint32_t count,
                             uint32_t* to) const {
  const MatrixOperand& operand = m.operand();
  const uint32_t begin = first * in_cell();
  const uint32_t elements = std::min(count * in_cell(), m.cols() - begin);
  to[count - 1] = 0;
  if (cells_ != Cells::bytes)
    return read_int16(m, row, begin, elements, reinterpret_cast<uint16_t*>(to));
  auto* bytes = reinterpret_cast<uint8_t*>(to);
  if (operand.is_constant)
    std::fill_n(bytes, elements, static_cast<uint8_t>(operand.constant));
  else
    m.for_each_run(row, begin, elements, [&](const uint8_t* from, uint32_t col, uint32_t run) {
      std::memcpy(bytes + col, from, run);
    });
  if (&operand == &p_.right && flip_.mask != 0)
    for (uint32_t i = 0; i < count; ++i) to[i] ^= flip_.mask;
}

std::vector<uint32_t> IntSource::left_cells() const {
  const StoredMatrix left(p_.left, memory_);
  // read_terms() may write kTilePitch cells after the last one.
  std::vector<uint32_t> cells(ceil_div(p_.left.cols(), in_cell()) + kTilePitch);
  if (!p_.left.transposed) {
    read_factors(left, 0, 0, static_cast<uint32_t>(cells.size() - kTilePitch), cells.data());
  } else {
    for (uint32_t cell = 0; cell + kTilePitch < cells.size(); ++cell)
      read_terms(left, cell, 0, 1, cells.data() + cell);
  }
  cells.resize(cells.size() - kTilePitch);
  return cells;
}

void IntSource::multiply_row(const std::vector<uint32_t>& left, const StoredMatrix& right,
                             uint32_t first, uint32_t count, uint32_t* sums) const {
  const uint32_t terms = right.rows();
  const bool in_lane = !right.operand().row_per_channel;
  std::vector<const uint8_t*> rows(left.size() * in_cell());
  const auto multiply = [&](const uint8_t* top, uint32_t col, uint32_t run, ptrdiff_t to_half) {
    // the left has zeros after its last term
    const size_t step = in_lane && terms > 1 ? right.below(top, 0, 1) - top : 0;
    for (uint32_t k = 0; k < rows.size(); ++k) {
      const uint32_t row = std::min(k, terms - 1);
      rows[k] = in_lane ? top + row * step : right.below(top, 0, row);
    }
    kernels_.row_of_bytes(
        {left.data(), rows.data(), left.size(), is_signed(p_.left.dtype()), flip_.mask, to_half},
        run, sums + col);
  };
  // Two short runs fill a vector. Runs stay in order, because columns after a run are written, too.
  const uint8_t* waiting = nullptr;
  uint32_t place = 0;
  const auto flush = [&] {
    if (waiting != nullptr) multiply(waiting, place, ByteRow::kHalf, 0);
    waiting = nullptr;
  };
  right.for_each_run(0, first, count, [&](const uint8_t* top, uint32_t col, uint32_t run) {
    const bool is_half = in_lane && run == ByteRow::kHalf;
    if (is_half && waiting != nullptr) {
      multiply(waiting, place, 2 * run, top - waiting);
      waiting = nullptr;
    } else if (is_half) {
      waiting = top, place = col;
    } else {
      flush();
      multiply(top, col, run, 0);
    }
  });
  flush();
}

void IntSource::sum_left() {
  const StoredMatrix left(p_.left, memory_);
  const bool rows_are_terms = p_.left.transposed;
  left_sums_.assign(p_.out.rows(), 0);
  std::vector<uint16_t> words(left.cols());
  for (uint32_t row = 0; row < left.rows(); ++row) {
    read_int16(left, row, 0, left.cols(), words.data());
    int32_t sum = 0;
    for (uint32_t col = 0; col < left.cols(); ++col) {
      const auto value = static_cast<int16_t>(words[col]);
      rows_are_terms ? left_sums_[col] += value : sum += value;
    }
    if (!rows_are_terms) left_sums_[row] = sum;
  }
}

bool covered(const MatmulBm1684xInt& op) {
  // depths at which 32 bits hold every sum
  const uint32_t most_exact = op.zero_point ? 21'000 : 32'768;
  const DType left = op.left.dtype(), right = op.right.dtype();
  if (element_bytes(left) == 1 && element_bytes(right) == 1)
    return op.out.dtype() == DType::i32 || op.out.dtype() == DType::u32
               ? !op.shift && !op.relu
               : op.left.cols() <= most_exact;
  return left == DType::i16 && right == DType::i16 && !op.shift && !op.relu && !op.zero_point;
}

// Inputs of the epilogue must not overlap results, except for old values with exactly the results'
// bytes.
Declined inputs_decline(const MatmulBm1684xInt& op, const LocalMemory& local) {
  const TensorView& out = op.out.matrix.tensor;
  auto free = [&](const TensorView* view) {
    return view == nullptr || disjoint(out, *view, local);
  };
  const bool has_shift = op.shift && !op.shift->is_constant;
  if (!free(op.bias ? &op.bias->tensor : nullptr) ||
      !free(has_shift ? &op.shift->matrix.tensor : nullptr) ||
      !free(op.zero_point ? tensor_of(*op.zero_point) : nullptr))
    return "results overlap a source";
  if (!op.old) return kRan;
  TensorView old = op.old->matrix.tensor;
  const bool same_width = element_bytes(old.dtype) == element_bytes(out.dtype);
  old.dtype = out.dtype;
  return same_width && old == out ? kRan : "old values are not those of the results";
}

Declined packed(const MatmulBm1684xInt& op, const Memory& memory) {
  if (!covered(op)) return "sums are known modulo 2^32 only";
  if (const Declined why = inputs_decline(op, memory.local)) return why;
  const PlainProduct product(op.out, op.left, op.right);
  if (const Declined why = matrices_decline(product, memory.local)) return why;
  const IntSource source(op, product, memory);
  return MatrixTiles(source, memory).run();
}

// A single row uses the right matrix once, so it is read in place.
Declined one_row(const MatmulBm1684xInt& op, const Memory& memory) {
  constexpr uint32_t kColumns = 256;
  if (!covered(op)) return "sums are known modulo 2^32 only";
  if (const Declined why = inputs_decline(op, memory.local)) return why;
  const PlainProduct product(op.out, op.left, op.right);
  if (const Declined why = matrices_decline(product, memory.local)) return why;
  if (product.out.rows() != 1 || tile_kernels().row_of_bytes == nullptr) return "not one row";
  if (product.right.is_constant || product.right.transposed) return "rows are not the runs";
  const IntSource source(op, product, memory);
  if (!source.has_byte_cells()) return "no cells of bytes";
  const StoredMatrix right(product.right, memory);
  const std::vector<uint32_t> left = source.left_cells();
  const uint32_t cols = product.out.cols();
  const uint64_t work = uint64_t{kColumns} * left.size();
  parallel_for(ceil_div(cols, kColumns), grain_of(work, IntSource::kTermsWorthATask),
               [&](size_t begin, size_t end) {
                 uint32_t sums[kColumns + TileKernels::kRowSlack];
                 for (size_t i = begin; i < end; ++i) {
                   const auto first = static_cast<uint32_t>(i) * kColumns;
                   const uint32_t count = std::min(kColumns, cols - first);
                   source.multiply_row(left, right, first, count, sums);
                   source.store(0, first, count, sums, false);
                 }
               });
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(MatmulBm1684xInt, {"one row", one_row}, {"packed", packed})

}  // namespace tputwin::fast
