// Tiles of results that are sums of groups, each group summed as numerics/add_tree.h does, the
// groups added to each other one after the other in fp32. Results do not depend on each other:
// vectors run over columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tputwin::fast {

// Results are at sums[row * kGroupPitch + column].
constexpr size_t kGroupPitch = 64;

struct GroupedTerms {
  std::vector<uint32_t> begin;          // of the terms: the first of each group, and the end
  std::vector<uint32_t> column_offset;  // of every term: where its column factors start
};

struct GroupTile {
  const float* row_factors;     // [term][rows]
  const float* column_factors;  // [column_offset[term] + column], whole vectors are read
  float* sums;                  // where the results start, and what they become
  uint32_t rows, columns;       // columns <= kGroupPitch
};

// True if a result is NaN. Some of these stand for results that the caller finds by the reference
// body: infinities or NaN among the factors, or products so small that none is above 2^-103.
// Expects the thread to be in ScopedFloatMode.
bool sum_groups(const GroupedTerms& terms, const GroupTile& tile);

// `count` fp16 or bf16 elements, one beside the other, as fp32. NaN remain NaN.
void widen_f16(const uint8_t* from, size_t count, float* to);
void widen_bf16(const uint8_t* from, size_t count, float* to);

}  // namespace tputwin::fast
