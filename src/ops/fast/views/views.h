// Where operands are contiguous together, and whether they share bytes: what fast bodies need to
// know of tensor views.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "memory/memory.h"

namespace tputwin::fast {

// A nest of loops over K operands: contiguous runs of `length` bytes under up to three outer loops
// (outermost first). The order of elements is that of the dimensions it was made from.
template <size_t K>
struct Runs {
  size_t length = 1;
  std::array<size_t, 3> count{1, 1, 1};
  std::array<std::array<size_t, K>, 3> step{};

  size_t bytes() const { return length * count[0] * count[1] * count[2]; }
};

template <size_t K>
struct Dimension {
  size_t count;
  std::array<size_t, K> step;  // bytes
};

// Merges dimensions (innermost first; of the innermost, all steps are 1) into the longest runs.
template <size_t K>
Runs<K> merge_runs(const std::array<Dimension<K>, 4>& inner_to_outer) {
  Runs<K> runs;
  size_t used = 0;  // outer loops, filled from the innermost
  auto continues = [](const std::array<size_t, K>& step, size_t unit, auto&& base) {
    for (size_t k = 0; k < K; ++k)
      if (step[k] != unit * base(k)) return false;
    return true;
  };
  for (const auto& [count, step] : inner_to_outer) {
    if (count == 1) continue;
    if (used == 0 && continues(step, runs.length, [](size_t) { return size_t{1}; })) {
      runs.length *= count;
    } else if (used > 0 && continues(step, runs.count[3 - used],
                                     [&](size_t k) { return runs.step[3 - used][k]; })) {
      runs.count[3 - used] *= count;
    } else {
      ++used;
      runs.count[3 - used] = count;
      runs.step[3 - used] = step;
    }
  }
  return runs;
}

// Calls span(pointers, length) for every run; `at` holds the first byte of each operand. Always
// inlined, so that a span compiled for an instruction set ends up in its caller.
template <size_t K, class Span>
[[gnu::always_inline]] inline void for_each_run(const Runs<K>& runs,
                                                const std::array<uint8_t*, K>& at,
                                                const Span& span) {
  for (size_t i = 0; i < runs.count[0]; ++i)
    for (size_t j = 0; j < runs.count[1]; ++j) {
      std::array<uint8_t*, K> p = at;
      for (size_t k = 0; k < K; ++k) p[k] += i * runs.step[0][k] + j * runs.step[1][k];
      for (size_t inner = runs.count[2]; inner > 0; --inner) {
        span(p, runs.length);
        for (size_t k = 0; k < K; ++k) p[k] += runs.step[2][k];
      }
    }
}

inline bool dense_rows(const TensorView& v) { return v.stride.w == 1 || v.shape.w == 1; }

// The channels of one lane (c, c + lanes, ...) of equally shaped operands, in index order.
template <size_t K>
Runs<K> lane_runs(const std::array<const TensorView*, K>& views, uint32_t groups) {
  const Shape& s = views[0]->shape;
  std::array<Dimension<K>, 4> dims{{{s.w, {}}, {s.h, {}}, {groups, {}}, {s.n, {}}}};
  for (size_t k = 0; k < K; ++k) {
    const Stride& stride = views[k]->stride;
    dims[0].step[k] = 1;
    dims[1].step[k] = stride.h;
    dims[2].step[k] = stride.c;
    dims[3].step[k] = stride.n;
  }
  return merge_runs(dims);
}

// All channels of one lane as one piece of work. Local operands put channels c and c + lanes into
// the same lane, whatever their first lane.
inline uint32_t lane_slots(const Shape& s, const LocalMemory& local) {
  return s.c < local.lanes() ? s.c : local.lanes();
}
inline uint32_t slot_groups(const Shape& s, const LocalMemory& local, uint32_t slot) {
  return (s.c - slot + local.lanes() - 1) / local.lanes();
}

// The bytes of a view (packed: of its cells), or of a plane of 16-bit values with two planes.
struct Plane {
  const TensorView* view;
  uint32_t offset = 0;
};

// Both name the same byte for every index (views of one shape).
bool same_bytes(const Plane& a, const Plane& b);
// Surely no byte in common.
bool disjoint(const Plane& a, const Plane& b, const LocalMemory& local);
// Surely every element (packed: cell) has its own bytes.
bool distinct_elements(const TensorView& view, const LocalMemory& local);

}  // namespace tputwin::fast
