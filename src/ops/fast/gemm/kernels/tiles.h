// The micro-kernels of matrix products: a tile of rows x columns of results in registers. Every
// result is a sum over terms of left * right, in 32-bit cells that packing has laid out as tiles
// read them. There are three kinds of sums: chains of fp32 in the chip's order of additions, fp32
// groups in fixed point, and integers.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "chip/dtype.h"
#include "numerics/rounding.h"
#include "ops/fast/vec/scale.h"

namespace tputwin::fast {

constexpr size_t kTilePitch = 64;  // from one row of a tile's results to the next
constexpr size_t kMaxTileRows = 8;

struct Tile {
  const uint32_t* left;  // a panel of rows: [term * rows + row]
  const uint32_t*
      // A panel of columns: [offset of the term + column]. Whole vectors are read.
      right;
  uint32_t rows, vectors;
  // [row * kTilePitch + column]. Grouped sums and integer sums are added to what is there.
  uint32_t* sums;
  // Weights that later tiles read, two bytes for each factor of `left`, which grouped sums
  // prefetch; or nullptr.
  const uint8_t* later = nullptr;
};

// Sums of products that form chains, each added from its first term to its last. The chains are
// added in pairs, and then the pairs. Results do not depend on each other, so a tile keeps one
// chain of every result in registers.
struct Chains {
  // `count` is 2 for AlternatingSum, or 4 for ChannelPairSum with the even channels' chains first
  // (numerics/accumulate.h).
  uint32_t count = 2;
  std::array<uint32_t, 4> begin{}, end{};
  uint32_t step = 1;  // from one term of a chain to the next
  // For each term, `right_offset` has the start of its factors in a panel of columns.
  const uint32_t* right_offset = nullptr;

  // Returns two chains that take terms alternately.
  static Chains alternating(uint32_t terms, const uint32_t* right_offset) {
    return {2, {0, 1}, {terms, terms}, 2, right_offset};
  }
};

// Points to the start values and addends of chains. Null pointers are skipped. Arrays have the
// layout of the sums unless stated otherwise.
struct ChainEnds {
  std::array<const float*, 2> starts{};  // start values of the first two chains
  // These are added in this order: one per row, one per column, one per result.
  const float* row_bias = nullptr;
  const float* column_bias = nullptr;
  const float* addends = nullptr;
};

// Terms of grouped sums, ordered by group of kAddTreeGroup channels, tap, channel of the group. The
// factors of channel c under tap t begin at c * pitch + tap_offset[t] of a panel of columns. A
// panel of rows has kAddTreeGroup terms for every tap of every group, including the last group.
struct Groups {
  size_t pitch, channels, taps;
  const uint32_t* tap_offset;
  // True if have_normal_products() holds for the ranges of both factors.
  bool has_normal_products = false;
  // `left_codes` and `right_codes` are the codes that TileKernels::code made of the factors, in
  // their layout. They are nullptr if there are none.
  const int16_t *left_codes = nullptr, *right_codes = nullptr;
  // `left_sizes` and `right_sizes` are the sizes that TileKernels::sizes made of the factors. The
  // panel of rows has one for each row, tap and group. The panel of columns has a plane of them for
  // each group, in the layout of the factors. Only TileKernels::rounded uses them.
  const float *left_sizes = nullptr, *right_sizes = nullptr;
  // `left_pairs` and `right_pairs` are the factors in pairs of channels (TileKernels::pairs).
  const uint32_t *left_pairs = nullptr, *right_pairs = nullptr;
};
// Describes sums that are rounded to 16 bits afterwards. `recomputed` counts those whose rounding
// plain sums did not decide.
struct RoundedSums {
  bool has_nan;
  uint32_t recomputed;
};
// kMostRoundedGroups is the largest number of groups of a result for which sizes bound the errors.
constexpr size_t kMostRoundedGroups = 1 << 12;
// The name of such sums in traces (dispatch/kernel_trace.h).
constexpr const char* kPlainSums = "plain sums";
// kLeastCodedChannels is the smallest number of channels for which codes save time.
constexpr uint32_t kLeastCodedChannels = 8;

// The range of exponents, in fp32 encoding, of numbers that are not 0. Threads may call include()
// concurrently.
class ExponentRange {
 public:
  static constexpr int32_t kNoMagnitude = INT32_MAX;

  void forget() { low_ = kNone, high_ = 0; }
  // Includes the bits of the largest magnitude, and of the smallest one that is not 0, if there is
  // one.
  void include(int32_t largest, int32_t least) {
    const auto exponent = [](int32_t bits) { return static_cast<uint32_t>(bits) >> 23; };
    const uint32_t low = least == kNoMagnitude ? kNone : exponent(least), high = exponent(largest);
    for (uint32_t old = low_; low < old && !low_.compare_exchange_weak(old, low);) continue;
    for (uint32_t old = high_; high > old && !high_.compare_exchange_weak(old, high);) continue;
  }

  // Returns true if products, and sums of groups of them, cannot overflow and are not subnormal,
  // even with the factors that align them.
  friend bool have_normal_products(const ExponentRange& a, const ExponentRange& b) {
    constexpr uint32_t kBias = 127, kLeast = 40, kMost = 220, kInfinite = 255;
    if (a.high_ == kInfinite || b.high_ == kInfinite) return false;
    if (a.low_ == kNone || b.low_ == kNone) return a.high_ < kMost && b.high_ < kMost;
    return a.low_ + b.low_ >= kLeast + kBias && a.high_ + b.high_ < kMost + kBias;
  }

  // Returns true if the factors can also have codes (TileKernels::code). No factor may be 2^16 or
  // more, and no product of two factors that are not 0 may be below 2^-48.
  friend bool can_be_coded(const ExponentRange& a, const ExponentRange& b) {
    constexpr uint32_t kMost = 127 + 16, kLeast = 2 * 127 - 48;
    return a.high_ < kMost && b.high_ < kMost && a.low_ + b.low_ >= kLeast;
  }

 private:
  static constexpr uint32_t kNone = 256;
  std::atomic<uint32_t> low_{kNone}, high_{0};
};

// Terms of integer sums: cells, and their taps. The factors of cell g under tap t begin at g *
// pitch + tap_offset[t] of a panel of columns. A panel of rows has the terms cell by cell.
struct Dots {
  size_t pitch, cells, taps;
  const uint32_t* tap_offset;
  // True if the bytes of a panel of rows are signed.
  bool signed_left = true;
  // If not 0, the panel of rows is in the order for tiles of this depth (tile_order.h).
  size_t tile_depth = 0;
};

// Describes how bytes get the signedness that the product instruction needs. The right bytes are
// xored with `mask`. The sum of the left bytes times `correction` is then added to the result.
struct SignFlip {
  uint32_t mask = 0;
  int32_t correction = 0;
};

// The conversion of integer sums to elements of up to 16 bits.
struct Quantizing {
  bool relu = false;
  uint32_t rshift = 0;
  Rounding rounding = Rounding::half_up;
  int32_t low = INT32_MIN, high = INT32_MAX;
};

// The conversion of the sums of each row of a tile to bytes. All rows use the same rounding.
struct RowScales {
  std::array<Scale, kMaxTileRows> scales;
  std::array<uint32_t, kMaxTileRows> starts;  // start values of the sums
  // The multipliers as fp32, if is_approximated is true: fp32 then finds most of the results.
  std::array<float, kMaxTileRows> factors;
  bool is_approximated = false;
};

// The bytes of a tile's rows. The bytes of the columns whose bits are set in `kept` follow each
// other from to[row] on. So do the sums of these columns from sums[row] on, which may have any
// alignment, unless `sums` or sums[row] is nullptr.
struct ByteRows {
  uint32_t rows;  // the first rows of a tile
  uint64_t kept;
  uint8_t* const* to;
  uint8_t* const* sums = nullptr;
};

// Describes a row of results in memory with few terms. out[i] becomes the chains' sum of left[term]
// * right[term][i], plus bias, plus out[i] if `accumulate` is set.
struct ShortRow {
  const Chains* chains;  // right_offset is not used
  const float* left;     // [term]
  const float* const* right;
  float* out;
  size_t count;
  const float* bias = nullptr;
  bool accumulate = false;
};

// One row of cells of four bytes, and the rows of bytes of a right matrix, four to a cell.
struct ByteRow {
  const uint32_t* left;         // [cell]
  const uint8_t* const* right;  // [cell * 4 + row]: the first column
  size_t cells;
  bool signed_left;
  uint32_t mask;  // see SignFlip
  // If not 0, only kHalf columns are contiguous, and the other kHalf begin `to_half` bytes after
  // the first one.
  ptrdiff_t to_half = 0;
  static constexpr uint32_t kHalf = 32;
};

// Pairs of fp32 factors, and rows of pairs. Column c is multiplied by factor c % 2 of a pair.
struct PairRows {
  const uint64_t* left;  // the bits of two numbers
  size_t count;
  const uint8_t* right;  // rows are `pitch` bytes apart
  size_t pitch;
};

struct AlignedFactors;
struct HalfColumns;
struct HalfRow;
struct HalfGroup;
struct Magnitudes;
struct HalfTerms;

// The extents of tiles.
struct TileExtents {
  uint32_t rows, vectors;           // the largest tile
  uint32_t few_rows, wide_vectors;  // the largest tile of chains with few rows
  uint32_t vector_elements;         // columns of one vector
  uint32_t in_cell;                 // bytes in a cell: 4, or 2 widened to 16 bits
  bool has_matrix_tiles;            // `bytes` and `scaled_bytes` read panels in tile order

  uint32_t columns() const { return vectors * vector_elements; }
  // Returns the number of vectors of a tile of chains with `of_rows` rows.
  uint32_t chain_vectors(uint32_t of_rows) const {
    return of_rows <= few_rows ? wide_vectors : vectors;
  }
};

// Holds the kernels that pack operands before products are computed.
struct PackingKernels {
  SignFlip (*sign_flip)(bool signed_right, bool signed_left);
  // Sums the bytes of each row of a panel of `terms` cells of four bytes, for all rows of a tile.
  void (*sum_rows)(const uint32_t* left, size_t terms, bool is_signed, int32_t* sums);
  // Joins rows of bytes, element by element, to cells: `in_cell` rows, or 2 rows widened to 16
  // bits. Reads and writes whole vectors.
  void (*join)(const uint8_t* const* rows, size_t count, bool is_signed, uint32_t mask,
               uint32_t* to);
  void (*join_int16)(const uint8_t* const* rows, size_t count, bool is_signed, uint32_t* to);
  // Includes the exponents of fp32 values in `range`.
  void (*exponents)(const uint32_t* words, size_t count, ExponentRange& range);
  // Makes 16-bit codes of fp32 factors for grouped sums. Panels of columns need their zeros
  // replaced; no other kernel may then read these factors. nullptr if codes are not used.
  void (*code)(uint32_t* words, size_t count, bool replaces_zeros, int16_t* codes);
  // Computes the sizes of `count` positions, of which each has factors of a 16-bit type, as fp32,
  // in `channels` planes at a distance of `step`. Reads whole vectors.
  void (*sizes)(const uint32_t* words, size_t step, size_t channels, size_t count, DType type,
                float* to);
  // Joins two channels of bf16, as fp32, to a cell: to[channel / 2 * step + i] for i < count. Reads
  // whole vectors. nullptr if the processor does not multiply such pairs.
  void (*pairs)(const uint32_t* words, size_t step, size_t channels, size_t count, uint32_t* to);
};

// Holds the kernels that multiply tiles, and rows that are read in place.
struct ProductKernels {
  // Returns true if a sum is NaN. Its bits may differ from those of the reference kernel.
  bool (*chains)(const Tile&, const Chains&, const ChainEnds&);
  // Sets results that need the reference kernel to NaN, and returns true if there is one.
  bool (*grouped)(const Tile&, const Groups&);
  // Computes sums that round to the same fp16 or bf16 as those of `grouped`. Each row starts with
  // its start value, or 0 if there are none. Groups must have normal products, sizes, and at most
  // kMostRoundedGroups groups and taps.
  RoundedSums (*rounded)(const Tile&, const Groups&, DType type, const float* starts);
  // Adds products of cells of two 16-bit integers modulo 2^32, for all rows of a tile.
  void (*int16)(const Tile&, const Dots&);
  // Adds products of cells of `in_cell` bytes modulo 2^32, for all rows of a tile.
  void (*bytes)(const Tile&, const Dots&);
  // Computes like `bytes`, and converts the sums of the first `columns` columns of a tile to bytes.
  // Writes nothing but what `to` describes; tile.sums is not used.
  void (*scaled_bytes)(const Tile&, const Dots&, size_t columns, const RowScales&,
                       const ByteRows& to);
  // Computes results up to the first vectors that hold a NaN, and returns their number. Reads whole
  // vectors of the right factors.
  size_t (*short_row)(const ShortRow&);
  // Computes sums of `count` columns, like `bytes`. Up to kRowSlack more columns, less than a
  // vector, are read and written. nullptr if this processor cannot multiply cells of four bytes.
  void (*row_of_bytes)(const ByteRow&, size_t count, uint32_t* to);
  static constexpr size_t kRowSlack = 256;
  // Computes for each column the sums of its products in even and in odd rows. Whole vectors are
  // read and written. nullptr if this processor has no vectors of pairs.
  void (*pair_rows)(const PairRows&, size_t columns, float* even, float* odd);
};

// Products of one row of fp16 or bf16 (half_row.h).
struct HalfRowKernels {
  // Compute the Magnitudes and the thresholds of a group of factors of a HalfRow.
  Magnitudes (*magnitudes)(const float* factors);
  void (*thresholds)(const HalfGroup&, int16_t* thresholds, uint32_t* pairs);
  // Adds the sums of groups of `count` columns. Up to `count` more columns may be read and written.
  // Sums of columns that need the reference kernel become NaN.
  void (*row_of_float16)(const HalfRow&, const HalfTerms&, size_t count, uint32_t* sums);
  // Computes like row_of_float16, for columns that are stored as rows. HalfColumns::kMost sums are
  // read and written. The AlignedFactors must be of the same slice of the row, or empty.
  void (*columns_of_float16)(const HalfRow&, const HalfColumns&, AlignedFactors&, uint32_t* sums);
};

// Holds the kernels that convert sums to elements.
struct EpilogueKernels {
  // Converts sums[i] to the element to[i] of `bytes` bytes. `to` may be the address of `sums`.
  void (*quantize)(const uint32_t* sums, size_t count, const Quantizing&, uint32_t bytes,
                   uint8_t* to);
  // Converts like `quantize`, but by a scale.
  void (*scale)(const uint32_t* sums, size_t count, const Scale&, uint32_t bytes, uint8_t* to);
  // Converts fp32 to elements of a floating-point type.
  void (*narrow)(const uint32_t* sums, size_t count, DType dtype, uint8_t* to);
};

// Holds all kernels of the instruction set in force.
struct TileKernels : TileExtents,
                     PackingKernels,
                     ProductKernels,
                     HalfRowKernels,
                     EpilogueKernels {};
TileKernels tile_kernels();

}  // namespace tputwin::fast
