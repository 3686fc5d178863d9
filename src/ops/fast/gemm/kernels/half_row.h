// One row of a left matrix of fp16 or bf16. It gives the exponents of groups of products from the
// bits of the other factors, without computing a product.
//
// Let f be the fraction bits of the type (10 or 7), B its exponent bias (15 or 127), and m(b) the
// bits of |b| as an integer: (exponent of b + B) * 2^f + fraction of b. A factor a of the row has
// the fraction y; as fp32 it is normal even if it is subnormal in its own type.
//
// Identity. For all normal numbers a and b
//   exponent of a * b = base + ((m(b) - threshold(a)) >> f)
//   base              = max_exponent + 1 - B, where max_exponent is the largest of the group
//   threshold(a)      = (max_exponent + 1 - exponent of a) * 2^f - carry_distance(y)
//   carry_distance(y) = 2^f - t(y), where t(y) = ceil(2 * 2^2f / (2^f + y)) - 2^f
// A product m(b) >= threshold(a) + k * 2^f thus reaches 2^(base + k): threshold(a) is the magnitude
// of b from which a * b has the exponent `base`.
//
// Proof. (1 + x / 2^f) * (1 + y / 2^f) >= 2 if and only if the integer x >= t(y). The exponent of
// the product is then one more than the sum of exponents. t(y) is 1 to 2^f, so that carry_distance
// is 0 to 2^f - 1. Adding it to the fraction x carries into the exponent bits exactly then. The
// rest are integers that move from one side to the other.
//
// Example in fp16 (f = 10, B = 15), a = 1.5 alone in its group: y = 512, max_exponent = 0,
// base = -14, t = ceil(2 * 1024 * 1024 / 1536) - 1024 = 342, carry_distance = 682,
// threshold = 1024 - 682 = 342.
// - b = 1.25 has m = 15 * 1024 + 256 = 15616; (15616 - 342) >> 10 = 14, so that the exponent is 0,
//   and 1.5 * 1.25 = 1.875.
// - b = 1.375 has m = 15 * 1024 + 384 = 15744; (15744 - 342) >> 10 = 15, so that the exponent is 1,
//   and 1.5 * 1.375 = 2.0625.
//
// Bound. The largest difference m(b) - threshold(a) of a group gives the exponent of its largest
// product if it is at least 2^f, the magnitude of the smallest normal number:
// - thresholds are at least 1, so that a subnormal b or 0, whose m(b) is below 2^f, has a smaller
//   difference; its product is below a * 2^(1 - B), whose exponent is at most `base`;
// - a threshold that does not fit in 16 bits is kMaxThreshold, as is that of 0: no m(b) is above
//   it, so that the difference is at most 0;
// - bf16 has a second bound: sums below 2^kMinSumExponent take the general kernel (half_row.cc).
// The same comparison finds the groups that the general kernel must compute.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/tensor_view.h"
#include "numerics/add_tree.h"

namespace tputwin::fast {

struct HalfRow {
  static constexpr int16_t kMaxThreshold = INT16_MAX;
  static constexpr size_t kMostGroups = 32;  // groups that meet a slice of columns

  DType dtype;
  // The largest magnitude of b that is covered. Larger ones, infinity and NaN included, take the
  // general kernel.
  int16_t max_magnitude = 0;
  // zeros after the last one, up to a whole group
  std::vector<float> factors;
  std::vector<int16_t> thresholds;
  // for each factor: its threshold in both int16 halves
  std::vector<uint32_t> threshold_pairs;
  // For each group of terms: `base`, and the smallest difference that is exact. Zeros follow, up to
  // a multiple of kMostGroups.
  std::vector<int32_t> base_exponents;
  std::vector<int16_t> min_exact_differences;

  explicit HalfRow(DType type) : dtype(type) {}
  // Sets the row from its factors, given as fp32 bits. Returns false if they are outside of the
  // bounds.
  bool set(const std::vector<uint32_t>& words);

 private:
  int fraction_bits() const { return dtype == DType::f16 ? 10 : 7; }
  int bias() const { return dtype == DType::f16 ? 15 : 127; }
  void add_group(int max_exponent);
};

// The smallest magnitude that is not 0, as fp32 bits, and the largest. They are infinity and 0 if
// there is none.
struct Magnitudes {
  uint32_t smallest, largest;
};

// A group of factors whose thresholds are to be computed.
struct HalfGroup {
  const float* factors;
  int max_exponent;
  int fraction_bits;              // of the type
  const int32_t* carry_distance;  // for each fraction
};

// The factors of a slice of a row times powers of two, which align their products. They are the
// same for all groups of columns whose largest difference has the same octave, which is the
// difference without its fraction bits. The factors of an octave are computed when it first occurs,
// and kept in the order in which products read them.
struct AlignedFactors {
  static constexpr int kOctaves = 32;  // consecutive ones that are kept
  static constexpr size_t kTerms = HalfRow::kMostGroups * kAddTreeGroup;
  static constexpr int kZeros = kOctaves;  // the row for products that do not count

  alignas(64) float rows[kOctaves + 1][kTerms];
  int lowest, highest;  // octaves; none if lowest > highest

  void start() {
    lowest = 1;
    highest = 0;
    std::ranges::fill(rows[kZeros], 0.0f);
  }
  static int row_of(int octave) { return octave % kOctaves; }
  // Returns true if `octave` is so high that lower ones must be evicted.
  bool evicts_for(int octave) const { return lowest <= highest && octave - lowest >= kOctaves; }
  // Calls make(octave, row) for all rows that are missing up to `octave`. Returns false if it is
  // too low to be kept with the higher ones.
  template <class Make>
  bool extend(int octave, const Make& make) {
    if (evicts_for(octave)) lowest = octave - kOctaves + 1;
    if (lowest > highest) {
      lowest = octave;
      highest = octave - 1;
    }
    if (highest - octave >= kOctaves) return false;
    while (lowest > octave) {
      --lowest;
      make(lowest, rows[row_of(lowest)]);
    }
    while (highest < octave) {
      ++highest;
      make(highest, rows[row_of(highest)]);
    }
    return true;
  }
};

// The terms of a row, and the rows of the right matrix that they are multiplied by.
struct HalfTerms {
  size_t count;
  const uint8_t* const* right;  // first column of every term
  const uint8_t* const* ahead;  // as many bytes of each term to prefetch
};

// Columns of the right matrix that are stored as rows.
struct HalfColumns {
  static constexpr size_t kMost = 16;

  size_t count;  // at most kMost
  // Terms of every column. Zeros follow the last term, up to a whole group.
  const uint8_t* const* columns;
  const uint8_t* const* ahead;  // as many bytes of each to prefetch
  // first term and number of groups, at most HalfRow::kMostGroups
  size_t first, groups;
};

}  // namespace tputwin::fast
