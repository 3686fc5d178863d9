// A row of a left matrix of fp16 or bf16 by itself: what tells the exponents of its groups of
// products from the bits of the other factors, without a product being made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/tensor_view.h"
#include "numerics/add_tree.h"

namespace tputwin::fast {

// A factor a of a row meets many b. The fraction that b must have for the product to reach the
// next power of two is known from a alone, so that the magnitude of b, as bits, less a number (the
// `drop` of a) has the exponent of the product, exactly, above the bits of its fraction:
//   exponent of a * b = top + ((magnitude of b - drop of a) >> fraction bits)
// That of the largest product of a group follows from the largest of these differences. `top` is
// common to a group, and no drop is negative, so that what is no normal number, subnormals and 0,
// gives less than the smallest normal number gives: what is at least `least` is sure.
struct HalfRow {
  static constexpr int16_t kLargestDrop = INT16_MAX;  // of 0, and of the smallest factors
  static constexpr size_t kMostGroups = 32;           // that meet a slice of columns

  DType dtype;
  // Larger magnitudes of b are left to others, infinities and NaN among them.
  int16_t largest = 0;
  std::vector<float> factors;  // zeros after the last one, up to a whole group
  std::vector<int16_t> drops;
  std::vector<uint32_t> pairs_of_drops;  // of every factor: twice its drop
  // Of every group of terms, and zeros after the last one, up to a multiple of kMostGroups.
  std::vector<int32_t> tops;
  std::vector<int16_t> leasts;

  explicit HalfRow(DType type) : dtype(type) {}
  // False if the factors, the words of fp32 that the row has, are none of which all this is true.
  bool set(const std::vector<uint32_t>& words);

 private:
  int fraction_bits() const { return dtype == DType::f16 ? 10 : 7; }
  int bias() const { return dtype == DType::f16 ? 15 : 127; }
  void add_group(int highest);
};

// The least magnitude that is not 0, as bits of fp32, and the largest; infinity and 0 if there is
// none.
struct Magnitudes {
  uint32_t least, largest;
};

// A group of factors whose drops are wanted.
struct HalfGroup {
  const float* factors;
  int highest;             // exponent among them
  int fraction_bits;       // of the type
  const int32_t* missing;  // of every fraction: what a drop is less than whole powers of two
};

// The factors of a slice of a row times powers of two, which align their products: the same for all
// groups of columns that have one largest difference, as an exponent. Made when it first comes, and
// kept in the order in which products take them.
struct AlignedFactors {
  static constexpr int kMost = 32;  // differences, one next to the other
  static constexpr size_t kTerms = HalfRow::kMostGroups * kAddTreeGroup;
  static constexpr int kZeros = kMost;  // the row of factors whose products do not count

  alignas(64) float rows[kMost + 1][kTerms];
  int lowest, highest;  // none: lowest is larger

  void start() {
    lowest = 1, highest = 0;
    std::ranges::fill(rows[kZeros], 0.0f);
  }
  static int row_of(int difference) { return difference % kMost; }
  // Whether others make room for one that is larger.
  bool drops_for(int difference) const { return lowest <= highest && difference - lowest >= kMost; }
  // make(difference, row) for all that are missing; false if there is no room for one so small.
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

// The terms of a row, and the rows of the right matrix that they meet.
struct HalfTerms {
  size_t count;
  const uint8_t* const* right;  // of every term: its first column
  const uint8_t* const* ahead;  // of every term: what will be read later, as many bytes
};

// Columns of the right matrix that are stored as rows.
struct HalfColumns {
  static constexpr size_t kMost = 16;

  size_t count;  // at most kMost
  const uint8_t* const*
      columns;                  // of every column: its terms, zeros after them up to a whole group
  const uint8_t* const* ahead;  // of every column: what will be read later, as many bytes
  size_t first, groups;         // of the row that they meet; at most HalfRow::kMostGroups
};

}  // namespace tputwin::fast
