// Products of floating-point matrices of the BM1684X, as fp32 cells.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <type_traits>

#include "numerics/float16.h"
#include "ops/fast/dispatch/kernel_trace.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/kernels/half_row.h"
#include "ops/fast/gemm/run/matrix_tiles.h"
#include "ops/fast/window/sums.h"
#include "ops/matmul/matmul_bm1684x_fp32.h"
#include "ops/matmul/matmul_bm1684x_half.h"

namespace tputwin::fast {
namespace {

bool has_nan(std::span<const uint32_t> words) {
  uint32_t largest = 0;
  for (const uint32_t word : words) largest = std::max(largest, word & ~f32::kSignBit);
  return largest > f32::kInfinity;
}

template <class Op>
class FloatSource {
 public:
  static constexpr uint64_t kTermsWorthATask = 64 << 10;
  static constexpr bool kAlternates = std::is_same_v<Op, MatmulBm1684xFp32>;
  static constexpr bool kCopiesElements = kAlternates, kAddsUp = !kAlternates;

  FloatSource(const Op& op, const PlainProduct& product, const Memory& memory,
              const InPlace& in_place = {})
      : op_(op), p_(product), memory_(memory), in_place_(in_place) {
    if constexpr (kAlternates) {
      if (!op.bias && op.constant_bias == 0) return;
      bias_.assign(p_.out.cols(), op.constant_bias);
      for (uint32_t j = 0; op.bias && j < p_.out.cols(); ++j)
        bias_[j] = static_cast<uint32_t>(memory.read(*op.bias, 0, j));
    }
  }

  const PlainProduct& product() const { return p_; }
  const InPlace* in_place() const { return in_place_.width != 0 ? &in_place_ : nullptr; }
  static constexpr uint32_t in_cell() { return 1; }
  static constexpr bool has_whole_rows() { return false; }

  void read_terms(const StoredMatrix& m, uint32_t row, uint32_t first, uint32_t count,
                  uint32_t* to) const {
    const DType dtype = m.operand().dtype();
    if (m.operand().is_constant)
      std::fill_n(to, count, f32::bits(float_value(m.operand().constant, dtype)));
    else
      m.for_each_run(row, first, count, [&](const uint8_t* from, uint32_t col, uint32_t run) {
        widen_(dtype, from, run, reinterpret_cast<int32_t*>(to + col));
      });
    if constexpr (!kAlternates)
      if (looks_at_exponents_) kernels_.exponents(to, count, range_of(m));
  }
  void read_factors(const StoredMatrix& m, uint32_t row, uint32_t first, uint32_t count,
                    uint32_t* to) const {
    read_terms(m, row, first, count, to);
  }

  bool has_codes() const {
    return !kAlternates && looks_at_exponents_ && kernels_.code != nullptr &&
           p_.left.cols() >= kLeastCodedChannels;
  }
  void code_left(uint32_t* words, size_t count, int16_t* codes) const {
    kernels_.code(words, count, false, codes);
  }
  bool code_right(uint32_t* words, size_t count, int16_t* codes) const {
    if (!can_be_coded(left_, right_)) return false;
    kernels_.code(words, count, true, codes);
    return true;
  }

  // Plain sums decide most results (gemm/kernels/rounded_groups-inl.h).
  bool has_sizes() const {
    return !kAlternates && looks_at_exponents_ && !op_.accumulate &&
           p_.out.dtype() == DType::bf16 &&
           ceil_div(p_.left.cols(), kAddTreeGroup) <= kMostRoundedGroups;
  }
  bool has_normal_products() const { return have_normal_products(left_, right_); }
  void size(const uint32_t* words, size_t step, uint32_t terms, size_t count, float* to) const {
    for (uint32_t first = 0; first < terms; first += kAddTreeGroup, to += count)
      kernels_.sizes(words + first * step, step, std::min(kAddTreeGroup, terms - first), count,
                     p_.left.dtype(), to);
  }

  // Sets the start values of `count` results from (i,j) on. fp32 has two sums a result. Other types
  // have one, which starts with the old value.
  void start(uint32_t i, uint32_t j, uint32_t count, uint32_t* first, uint32_t* second) const {
    uint32_t* const old = kAlternates ? second : first;
    if constexpr (kAlternates) {
      std::fill_n(first, count, 0u);
      std::fill_n(second, count, 0u);
      if (!bias_.empty()) std::copy_n(bias_.data() + j, count, op_.accumulate ? first : second);
    } else {
      std::fill_n(first, count, 0u);
    }
    if (!op_.accumulate) return;
    for_each_result_run(p_.out, memory_, i, j, count,
                        [&](const uint8_t* from, uint32_t index, uint32_t run) {
                          std::memcpy(old + index, from, run * sizeof *old);
                        });
  }

  bool run(const TileKernels& kernels, const Tile& tile, const auto& terms, const TilePart&,
           const TileBuffers& buffers) const {
    if (!kAlternates) {
      const uint32_t no_offset = 0;
      const Groups groups{terms.pitch,
                          terms.count,
                          1,
                          &no_offset,
                          looks_at_exponents_ && has_normal_products(),
                          terms.left_codes,
                          terms.right_codes,
                          terms.left_sizes,
                          terms.right_sizes};
      if (terms.right_sizes == nullptr) return kernels.grouped(tile, groups);
      return kernels.rounded(tile, groups, p_.out.dtype(), nullptr).has_nan;
    }
    return kernels.chains(tile, Chains::alternating(terms.count, terms.right_offset),
                          {.starts = {buffers.as_floats(), buffers.second_as_floats()}});
  }

  void store(uint32_t i, uint32_t j, uint32_t count, uint32_t* first, bool in_doubt) const {
    in_doubt = in_doubt && has_nan({first, count});
    for (uint32_t c = 0; in_doubt && c < count; ++c)
      if (std::isnan(f32::from_bits(first[c])))
        first[c] = f32::bits(p_.swapped ? result_at(op_, memory_, j + c, i)
                                        : result_at(op_, memory_, i, j + c));
    for_each_result_run(p_.out, memory_, i, j, count,
                        [&](uint8_t* to, uint32_t index, uint32_t run) {
                          kernels_.narrow(first + index, run, p_.out.dtype(), to);
                        });
  }

 private:
  ExponentRange& range_of(const StoredMatrix& m) const {
    return &m.operand() == &p_.left ? left_ : right_;
  }

  const Op& op_;
  const PlainProduct& p_;
  const Memory& memory_;
  const TileKernels kernels_ = tile_kernels();
  // The ranges of all factors read so far, which include those of a tile. Not used for a few rows,
  // because it does not pay.
  mutable ExponentRange left_, right_;
  const bool looks_at_exponents_ = p_.out.rows() > 2;
  std::vector<uint32_t> bias_;
  const InPlace in_place_;  // width 0: the right matrix is copied
  const decltype(WindowKernels::widen) widen_ = window_kernels().widen;
};

template <class Op>
Declined operands_decline(const Op& op, const PlainProduct& product, const Memory& memory) {
  if constexpr (FloatSource<Op>::kAlternates)
    if (op.bias && !disjoint(op.out.matrix.tensor, op.bias->tensor, memory.local))
      return "results overlap the bias";
  return matrices_decline(product, memory.local);
}

Declined in_place(const MatmulBm1684xFp32& op, const Memory& memory) {
  const PlainProduct product(op.out, op.left, op.right);
  if (const Declined why = operands_decline(op, product, memory)) return why;
  if (const Declined why = in_place_declines(product)) return why;
  const FloatSource<MatmulBm1684xFp32> source(op, product, memory, in_place_of(product));
  return MatrixTiles(source, memory).run();
}

template <class Op>
Declined packed(const Op& op, const Memory& memory) {
  const PlainProduct product(op.out, op.left, op.right);
  if (const Declined why = operands_decline(op, product, memory)) return why;
  const FloatSource<Op> source(op, product, memory);
  MatrixTiles tiles(source, memory);
  const Declined why = tiles.run();
  if (is_traced() && tiles.has_sizes() && source.has_normal_products()) [[unlikely]]
    trace_kernel(name(op), kPlainSums, why);
  return why;
}

// Products with few rows, which use the right matrix too seldom for copies of it to pay. The right
// matrix is read in place. If it is stored transposed, its columns are read as rows.
class FewRows {
 public:
  using Source = FloatSource<MatmulBm1684xHalf>;
  static constexpr uint32_t kMostRows = 2;

  FewRows(const Source& source, const Memory& memory)
      : source_(source),
        p_(source.product()),
        right_(p_.right, memory),
        terms_(p_.left.cols()),
        rows_(p_.out.rows(), HalfRow(p_.left.dtype())) {}

  // Returns false if a row has factors that its kernel does not cover.
  bool read_left(const Memory& memory) {
    const StoredMatrix left(p_.left, memory);
    std::vector<uint32_t> words(terms_ + kTilePitch), term(kTilePitch + 1);
    for (uint32_t i = 0; i < rows_.size(); ++i) {
      if (!p_.left.transposed) source_.read_factors(left, i, 0, terms_, words.data());
      for (uint32_t k = 0; p_.left.transposed && k < terms_; ++k) {
        source_.read_terms(left, k, i, 1, term.data());
        words[k] = term[0];
      }
      if (!rows_[i].set({words.begin(), words.begin() + terms_})) return false;
    }
    return true;
  }

  void run() const {
    const uint32_t cols = p_.out.cols(), at_once = p_.right.transposed ? kStored : kColumns;
    const uint64_t work = uint64_t{at_once} * terms_ * rows_.size();
    parallel_for(ceil_div(cols, at_once), grain_of(work, Source::kTermsWorthATask),
                 [&](size_t begin, size_t end) {
                   const ScopedFloatMode mode;
                   const std::span<AlignedFactors> aligned =
                       p_.right.transposed ? take_aligned() : std::span<AlignedFactors>();
                   for (size_t i = begin; i < end; ++i) {
                     const auto first = static_cast<uint32_t>(i) * at_once;
                     const uint32_t count = std::min(at_once, cols - first);
                     p_.right.transposed ? run_stored(first, count, aligned)
                                         : run_columns(first, count);
                   }
                 });
  }

 private:
  static constexpr uint32_t kColumns = 256, kStored = HalfColumns::kMost;
  static constexpr uint32_t kAhead = 4;  // columns that are stored as rows
  // Terms per pass over columns that are stored as rows.
  static constexpr uint32_t kSlice = AlignedFactors::kTerms;

  using Sums = std::array<std::array<uint32_t, kColumns + TileKernels::kRowSlack>, kMostRows>;

  void run_columns(uint32_t first, uint32_t count) const {
    constexpr uint32_t kRowsAhead = kAddTreeGroup;  // processors do not predict the next row
    std::vector<const uint8_t*> rows(terms_ + kRowsAhead);
    right_.for_each_run(0, first, count, [&](const uint8_t* top, uint32_t at, uint32_t run) {
      for (uint32_t k = 0; k < rows.size(); ++k)
        rows[k] = right_.below(top, 0, std::min(k, terms_ - 1));
      Sums sums;
      start(first + at, run, TileKernels::kRowSlack, sums);
      for (uint32_t i = 0; i < rows_.size(); ++i)
        kernels_.row_of_float16(rows_[i], {terms_, rows.data(), rows.data() + kRowsAhead}, run,
                                sums[i].data());
      store(first + at, run, sums);
    });
  }

  // Returns empty aligned factors for every slice of terms and every row.
  std::span<AlignedFactors> take_aligned() const {
    thread_local Scratch scratch;
    const size_t count = ceil_div(terms_, kSlice) * rows_.size();
    const std::span<AlignedFactors> aligned(scratch.take<AlignedFactors>(count), count);
    for (AlignedFactors& of_slice : aligned) of_slice.start();
    return aligned;
  }

  // Runs columns that are stored as rows.
  void run_stored(uint32_t first, uint32_t count, std::span<AlignedFactors> aligned) const {
    Sums sums;
    start(first, count, kStored - count, sums);
    Columns columns;
    CopiedColumns copies;
    for (uint32_t begin = 0; begin < terms_; begin += kSlice) {
      const uint32_t terms = std::min(kSlice, terms_ - begin);
      find_columns(first, count, begin, columns);
      if (!right_.are_contiguous(begin, terms) || terms % kAddTreeGroup != 0)
        for (uint32_t j = 0; j < count; ++j)
          columns[j] = copied(first + j, begin, terms, copies[j]);
      const HalfColumns slice{count, columns.data(), columns.data() + kAhead, begin,
                              ceil_div(terms, kAddTreeGroup)};
      for (uint32_t i = 0; i < rows_.size(); ++i)
        kernels_.columns_of_float16(rows_[i], slice, aligned[begin / kSlice * rows_.size() + i],
                                    sums[i].data());
    }
    store(first, count, sums);
  }
  // The addresses of the columns, and of those to prefetch.
  using Columns = std::array<const uint8_t*, kStored + kAhead>;
  using CopiedColumns = std::array<std::array<uint16_t, kSlice>, kStored>;
  // Finds the addresses of columns from a term on. The columns after them are prefetched: their
  // terms of the next slice or, after the last slice, the next columns.
  void find_columns(uint32_t first, uint32_t count, uint32_t begin, Columns& columns) const {
    const uint8_t* const top = right_.at(first, begin);
    for (uint32_t j = 0; j < count; ++j) columns[j] = right_.below(top, first, j);
    const bool is_last = terms_ - begin <= kSlice;
    const uint8_t* const next = is_last ? top : right_.at(first, begin + kSlice);
    const uint32_t most = (is_last ? p_.out.cols() - first : count) - 1;
    for (uint32_t j = 0; j < kAhead; ++j)
      columns[count + j] = right_.below(next, first, std::min(is_last ? count + j : j, most));
  }
  // Copies the terms of a column to one contiguous run, with zeros up to a whole group.
  const uint8_t* copied(uint32_t j, uint32_t begin, uint32_t terms,
                        std::array<uint16_t, kSlice>& copies) const {
    right_.for_each_run(j, begin, terms, [&](const uint8_t* from, uint32_t at, uint32_t run) {
      std::memcpy(copies.data() + at, from, run * sizeof(uint16_t));
    });
    std::fill(copies.begin() + terms, copies.begin() + align_up(terms, kAddTreeGroup), uint16_t{0});
    return reinterpret_cast<const uint8_t*>(copies.data());
  }

  // Starts sums with old values or zeros, and sets `slack` sums after them to zero.
  void start(uint32_t first, uint32_t count, uint32_t slack, Sums& sums) const {
    for (uint32_t i = 0; i < rows_.size(); ++i) {
      std::fill_n(sums[i].data() + count, slack, 0u);
      source_.start(i, first, count, sums[i].data(), nullptr);
    }
  }
  void store(uint32_t first, uint32_t count, Sums& sums) const {
    for (uint32_t i = 0; i < rows_.size(); ++i)
      source_.store(i, first, count, sums[i].data(), true);
  }

  const Source& source_;
  const PlainProduct& p_;
  const TileKernels kernels_ = tile_kernels();
  const StoredMatrix right_;
  const uint32_t terms_;
  std::vector<HalfRow> rows_;
};

Declined few_rows(const MatmulBm1684xHalf& op, const Memory& memory) {
  const PlainProduct product(op.out, op.left, op.right);
  if (const Declined why = operands_decline(op, product, memory)) return why;
  if (product.out.rows() > FewRows::kMostRows) return "many rows";
  if (product.right.is_constant) return "a constant";
  const FloatSource<MatmulBm1684xHalf> source(op, product, memory);
  FewRows rows(source, memory);
  if (!rows.read_left(memory)) return "factors too large or too small";
  rows.run();
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(MatmulBm1684xFp32, {"in place", in_place}, {"packed", packed<MatmulBm1684xFp32>})
TW_FAST_KERNELS(MatmulBm1684xHalf, {"few rows", few_rows}, {"packed", packed<MatmulBm1684xHalf>})

}  // namespace tputwin::fast
