// Indices of gather and scatter, decoded for a channel at a time.
#pragma once

#include "memory/memory.h"
#include "ops/index/indexing.h"

namespace tputwin::fast {

constexpr int64_t kOutside = -1;

constexpr bool is_shared(IndexedBy by) {
  return by == IndexedBy::shared_w || by == IndexedBy::shared_hw;
}

// Places inside: y in [first_row, end_row), x in [0, columns). first_row is where a channel begins.
struct Limits {
  int64_t end_row, columns, first_row = 0;
};

// Writes, for every element of channel c of batch n of what is walked through (by rows: every row),
// the byte offset of its place in a channel with those strides, or kOutside.
void decode(IndexedBy by, const TensorView& index, const Shape& walked, const Limits& limits,
            const Stride& stride, const Memory& memory, uint32_t n, uint32_t c, int64_t* offset);

// Whether all places of all channels are inside.
bool all_inside(IndexedBy by, const TensorView& index, const Shape& walked, const Limits& limits,
                const Stride& stride, const Memory& memory);

}  // namespace tputwin::fast
