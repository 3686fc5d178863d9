// The micro-kernels of products of matrices: a tile of rows x columns of results in registers.
// Every result is a sum over terms of left * right, in 32-bit cells that packing has laid out as
// tiles read them. Three kinds of sums: chains of fp32 in the chip's order of additions, fp32
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
      right;  // a panel of columns: [offset of the term + column], whole vectors are read
  uint32_t rows, vectors;
  // [row * kTilePitch + column]. Grouped sums and those of integers are added to what is there.
  uint32_t* sums;
};

// Sums of products that form chains, each added up from its first term to its last; the chains are
// added in pairs, and the pairs to one another. Results do not depend on each other, so a tile
// keeps one chain of every result in registers.
struct Chains {
  // 2: AlternatingSum. 4: ChannelPairSum, the even channels' chains first. (numerics/accumulate.h)
  uint32_t count = 2;
  std::array<uint32_t, 4> begin{}, end{};
  uint32_t step = 1;  // from one term of a chain to the next
  // Of every term: where its factors start in a panel of columns.
  const uint32_t* right_offset = nullptr;

  // Terms go to two chains in turn.
  static Chains alternating(uint32_t terms, const uint32_t* right_offset) {
    return {2, {0, 1}, {terms, terms}, 2, right_offset};
  }
};

// How sums of chains begin and end; what is null is left out. Laid out as the sums, if not said
// otherwise.
struct ChainEnds {
  std::array<const float*, 2> starts{};  // of the first two chains
  // Added in this order: one per row, one per column, one per result.
  const float* row_bias = nullptr;
  const float* column_bias = nullptr;
  const float* addends = nullptr;
};

// Terms of sums of groups: groups of kAddTreeGroup channels, taps, channels of the group. The
// factors of channel c under tap t begin at c * pitch + tap_offset[t] of a panel of columns; a
// panel of rows has kAddTreeGroup terms for every tap of every group, also of the last one.
struct Groups {
  size_t pitch, channels, taps;
  const uint32_t* tap_offset;
  bool is_calm = false;  // are_calm() of the ranges of both factors
  // What TileKernels::code made of both factors, laid out as these are; null: nothing.
  const int16_t *left_codes = nullptr, *right_codes = nullptr;
};
// Fewer channels are not worth codes.
constexpr uint32_t kLeastCodedChannels = 8;

// Exponents, as fp32 has them, of numbers that are not 0. Threads may include theirs at a time.
class ExponentRange {
 public:
  static constexpr int32_t kNoMagnitude = INT32_MAX;

  void forget() { low_ = kNone, high_ = 0; }
  // The bits of the largest magnitude, and of the least one that is not 0, if there is one.
  void include(int32_t largest, int32_t least) {
    const auto exponent = [](int32_t bits) { return static_cast<uint32_t>(bits) >> 23; };
    const uint32_t low = least == kNoMagnitude ? kNone : exponent(least), high = exponent(largest);
    for (uint32_t old = low_; low < old && !low_.compare_exchange_weak(old, low);) continue;
    for (uint32_t old = high_; high > old && !high_.compare_exchange_weak(old, high);) continue;
  }

  // Products, and sums of groups of them, are numbers that are not subnormal, and have room for
  // the factors that align them.
  friend bool are_calm(const ExponentRange& a, const ExponentRange& b) {
    constexpr uint32_t kBias = 127, kLeast = 40, kMost = 220, kInfinite = 255;
    if (a.high_ == kInfinite || b.high_ == kInfinite) return false;
    if (a.low_ == kNone || b.low_ == kNone) return a.high_ < kMost && b.high_ < kMost;
    return a.low_ + b.low_ >= kLeast + kBias && a.high_ + b.high_ < kMost + kBias;
  }

  // They have codes besides (TileKernels::code): no factor is 2^16 or more, no product of two that
  // are not 0 below 2^-48.
  friend bool can_be_coded(const ExponentRange& a, const ExponentRange& b) {
    constexpr uint32_t kMost = 127 + 16, kLeast = 2 * 127 - 48;
    return a.high_ < kMost && b.high_ < kMost && a.low_ + b.low_ >= kLeast;
  }

 private:
  static constexpr uint32_t kNone = 256;
  std::atomic<uint32_t> low_{kNone}, high_{0};
};

// Terms of sums of integers: cells, and their taps. The factors of cell g under tap t begin at
// g * pitch + tap_offset[t] of a panel of columns; a panel of rows has the terms cell by cell.
struct Dots {
  size_t pitch, cells, taps;
  const uint32_t* tap_offset;
  bool signed_left = true;  // the bytes of a panel of rows
};

// Bytes of one sign (as 8 bits) times bytes of the other: where both factors have the same, those
// of the right are xored with `mask`, and left's sum times `correction` is added to the sum.
struct SignFlip {
  uint32_t mask = 0;
  int32_t correction = 0;
};

// How sums of integers become elements of up to 16 bits.
struct Quantizing {
  bool relu = false;
  uint32_t rshift = 0;
  Rounding rounding = Rounding::half_up;
  int32_t low = INT32_MIN, high = INT32_MAX;
};

// How the sums of each row of a tile become bytes. All rows are rounded alike.
struct RowScales {
  std::array<Scale, kMaxTileRows> scales;
  std::array<uint32_t, kMaxTileRows> starts;  // of the sums
};

// Few terms over a row of results that lies in memory: out[i] = the chains' sum of
// left[term] * right[term][i], + bias, + out[i] where it accumulates.
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
  uint32_t mask;  // as SignFlip has it
  // Not 0: kHalf columns lie together, and the next ones so far from them; 2 * kHalf in all.
  ptrdiff_t to_half = 0;
  static constexpr uint32_t kHalf = 32;
};

// Pairs of fp32 factors, and rows of pairs: of column c its product with the (c % 2)-th of a pair.
struct PairRows {
  const uint64_t* left;  // the bits of two numbers
  size_t count;
  const uint8_t* right;  // a row starts `pitch` bytes behind the one before
  size_t pitch;
};

struct AlignedFactors;
struct HalfColumns;
struct HalfRow;
struct HalfGroup;
struct Magnitudes;
struct HalfTerms;

// The kernels of the instruction set in force.
struct TileKernels {
  uint32_t rows, vectors;           // of the largest tile
  uint32_t few_rows, wide_vectors;  // of one of chains that has few rows
  uint32_t lanes;                   // columns of one vector
  uint32_t in_cell;                 // bytes in a cell: 4 as they are, or 2 as words

  // True if a sum is NaN: it may have other bits than the reference body's.
  bool (*chains)(const Tile&, const Chains&, const ChainEnds&);
  // Results that need the reference body are NaN; true if there is one.
  bool (*grouped)(const Tile&, const Groups&);
  // Codes of factors for grouped sums: of each word of fp32, 16 bits. Those of panels of columns
  // need their zeros replaced; no other kernel takes these words then. nullptr: none are used.
  void (*code)(uint32_t* words, size_t count, bool replaces_zeros, int16_t* codes);
  // Cells of two 16-bit integers, whose products are summed modulo 2^32; all rows of a tile.
  void (*words)(const Tile&, const Dots&);
  // The same of cells of `in_cell` bytes.
  void (*bytes)(const Tile&, const Dots&);
  // The same of sums that become bytes at once, of the first so many columns of a tile:
  // to[row][column]. Whole vectors are written. The sums, too, to where the tile has them, if it
  // has.
  void (*scaled_bytes)(const Tile&, const Dots&, size_t columns, const RowScales&,
                       uint8_t* const* to);
  SignFlip (*sign_flip)(bool signed_right, bool signed_left);
  // Sums of the bytes of each row of a panel of `terms` cells of four, all rows of a tile.
  void (*sum_rows)(const uint32_t* left, size_t terms, bool is_signed, int32_t* sums);
  // Joins rows of bytes, element by element, to cells: `in_cell` rows, or 2 as words. Reads and
  // writes whole vectors.
  void (*join)(const uint8_t* const* rows, size_t count, bool is_signed, uint32_t mask,
               uint32_t* to);
  void (*join_words)(const uint8_t* const* rows, size_t count, bool is_signed, uint32_t* to);
  // to[i] = sums[i] as an element of so many bytes. May be done in place.
  void (*quantize)(const uint32_t* sums, size_t count, const Quantizing&, uint32_t bytes,
                   uint8_t* to);
  // The same by a scale.
  void (*scale)(const uint32_t* sums, size_t count, const Scale&, uint32_t bytes, uint8_t* to);
  // Includes those of words of fp32.
  void (*exponents)(const uint32_t* words, size_t count, ExponentRange& range);
  // fp32 to elements of a floating-point type.
  void (*narrow)(const uint32_t* sums, size_t count, DType dtype, uint8_t* to);
  // Stops before the first vectors that hold a NaN, and returns what it has done. Whole vectors of
  // right are read.
  size_t (*short_row)(const ShortRow&);
  // Sums of `count` columns, as `bytes` has them. Up to kRowSlack columns more are read and
  // written, less than a vector. nullptr: cells of four are not for this processor.
  void (*row_of_bytes)(const ByteRow&, size_t count, uint32_t* to);
  static constexpr size_t kRowSlack = 256;
  // Of every column the sums of its products in even and in odd rows. Whole vectors are read and
  // written. nullptr: this processor has no vectors of pairs.
  void (*pair_rows)(const PairRows&, size_t columns, float* even, float* odd);
  // Of a group of factors of a HalfRow.
  Magnitudes (*magnitudes)(const float* factors);
  void (*drops)(const HalfGroup&, int16_t* drops, uint32_t* pairs);
  // Adds the sums of groups of `count` columns. As many columns more may be read and written; of
  // those that need the reference body the sums become NaN.
  void (*row_of_halves)(const HalfRow&, const HalfTerms&, size_t count, uint32_t* sums);
  // The same of columns that are stored as rows. HalfColumns::kMost sums are read and written.
  // The factors are those of the same slice of the row, or none.
  void (*columns_of_halves)(const HalfRow&, const HalfColumns&, AlignedFactors&, uint32_t* sums);

  uint32_t columns() const { return vectors * lanes; }
  // The vectors of a tile of chains that has so many rows.
  uint32_t chain_vectors(uint32_t of_rows) const {
    return of_rows <= few_rows ? wide_vectors : vectors;
  }
};
TileKernels tile_kernels();

}  // namespace tputwin::fast
