// One row of a left matrix of fp16 or bf16. It gives the exponents of groups of products from the
// bits of the other factors, without computing a product.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/tensor_view.h"
#include "numerics/add_tree.h"

namespace tputwin::fast {

// A factor a of a row is multiplied by many factors b. The fraction that b needs for the product to
// reach the next power of two depends on a alone. So the bits of |b| minus a number that depends on
// a (its `drop`) have the exact exponent of the product above the fraction bits:
//   exponent of a * b = top + ((magnitude of b - drop of a) >> fraction bits)
// The largest of these differences gives the exponent of the largest product of a group. `top` is
// common to a group, and no drop is negative. So subnormals and 0 give less than the smallest
// normal number gives: a difference of at least `least` is exact.
struct HalfRow {
  static constexpr int16_t kLargestDrop = INT16_MAX;  // for 0 and the smallest factors
  static constexpr size_t kMostGroups = 32;           // groups that meet a slice of columns

  DType dtype;
  // The largest magnitude of b that is covered. Larger ones, infinity and NaN included, take the
  // general kernel.
  int16_t largest = 0;
  // zeros after the last one, up to a whole group
  std::vector<float> factors;
  std::vector<int16_t> drops;
  // for each factor: its drop in both int16 halves
  std::vector<uint32_t> pairs_of_drops;
  // `top` and `least` of each group of terms. Zeros follow, up to a multiple of kMostGroups.
  std::vector<int32_t> tops;
  std::vector<int16_t> leasts;

  explicit HalfRow(DType type) : dtype(type) {}
  // Sets the row from its factors, given as fp32 bits. Returns false if they do not allow the
  // above.
  bool set(const std::vector<uint32_t>& words);

 private:
  int fraction_bits() const { return dtype == DType::f16 ? 10 : 7; }
  int bias() const { return dtype == DType::f16 ? 15 : 127; }
  void add_group(int highest);
};

// The smallest magnitude that is not 0, as fp32 bits, and the largest. They are infinity and 0 if
// there is none.
struct Magnitudes {
  uint32_t least, largest;
};

// A group of factors whose drops are to be computed.
struct HalfGroup {
  const float* factors;
  int highest;        // the largest exponent
  int fraction_bits;  // fraction bits of the type
  // for each fraction: the distance of a drop below a whole power of two
  const int32_t* missing;
};

// The factors of a slice of a row times powers of two, which align their products. They are the
// same for all groups of columns whose largest difference has the same exponent. A row is computed
// when its difference first occurs, and kept in the order in which products read it.
struct AlignedFactors {
  static constexpr int kMost = 32;  // consecutive differences
  static constexpr size_t kTerms = HalfRow::kMostGroups * kAddTreeGroup;
  static constexpr int kZeros = kMost;  // the row for products that do not count

  alignas(64) float rows[kMost + 1][kTerms];
  int lowest, highest;  // empty if lowest > highest

  void start() {
    lowest = 1, highest = 0;
    std::ranges::fill(rows[kZeros], 0.0f);
  }
  static int row_of(int difference) { return difference % kMost; }
  // Returns true if `difference` is so large that lower ones must be dropped.
  bool drops_for(int difference) const { return lowest <= highest && difference - lowest >= kMost; }
  // Calls make(difference, row) for all rows that are missing up to `difference`. Returns false if
  // `difference` is too small to be kept with the larger ones.
  template <class Make>
  bool extend(int difference, const Make& make) {
    if (drops_for(difference)) lowest = difference - kMost + 1;
    if (lowest > highest) lowest = difference, highest = difference - 1;
    if (highest - difference >= kMost) return false;
    while (lowest > difference) --lowest, make(lowest, rows[row_of(lowest)]);
    while (highest < difference) ++highest, make(highest, rows[row_of(highest)]);
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
  const uint8_t* const*
      // Terms of every column. Zeros follow the last term, up to a whole group.
      columns;
  const uint8_t* const* ahead;  // as many bytes of each to prefetch
  // first term and number of groups, at most HalfRow::kMostGroups
  size_t first, groups;
};

}  // namespace tputwin::fast
