// Questions that decide whether a fast body may run.
#pragma once

#include <algorithm>

#include "memory/memory.h"

namespace tputwin::fast {

// Half-open range of offsets inside a lane that holds all bytes of a local view, in every lane.
struct LaneRange {
  uint64_t begin, end;
};

inline LaneRange lane_range(const TensorView& v, const LocalMemory& local) {
  const Shape& s = v.shape;
  uint64_t begin = v.address % local.lane_bytes();
  uint64_t groups = (v.address / local.lane_bytes() + s.c - 1) / local.lanes();
  uint64_t last = uint64_t{s.n - 1} * v.stride.n + groups * v.stride.c +
                  uint64_t{s.h - 1} * v.stride.h + uint64_t{s.w - 1} * v.stride.w;
  if (is_16bit(v.dtype)) last += v.plane_stride;
  return {begin, begin + last + 1};
}

// May two local views share a byte? Never wrongly no.
inline bool may_overlap(const TensorView& a, const TensorView& b, const LocalMemory& local) {
  LaneRange x = lane_range(a, local), y = lane_range(b, local);
  return x.begin < y.end && y.begin < x.end;
}

// Are the elements of a local view certainly distinct bytes, so that the order in which they
// are written does not matter?
inline bool elements_distinct(const TensorView& v, const LocalMemory& local) {
  const Shape& s = v.shape;
  uint64_t groups = (v.address / local.lane_bytes() % local.lanes() + s.c - 1) / local.lanes() + 1;
  struct Dimension {
    uint64_t count, stride;
  } dimensions[] = {{s.w, v.stride.w},
                    {s.h, v.stride.h},
                    {groups, v.stride.c},
                    {s.n, v.stride.n},
                    {is_16bit(v.dtype) ? 2u : 1u, v.plane_stride}};
  std::sort(std::begin(dimensions), std::end(dimensions),
            [](const Dimension& a, const Dimension& b) { return a.stride < b.stride; });
  uint64_t span = 1;  // bytes from the first to the last element of the dimensions so far
  for (const Dimension& d : dimensions) {
    if (d.count <= 1) continue;
    if (d.stride < span) return false;
    span += (d.count - 1) * d.stride;
  }
  return true;
}

inline bool is_empty(const Shape& s) { return s.count() == 0; }

// A local byte tensor whose rows are runs of bytes.
inline bool has_byte_rows(const TensorView& v) {
  return v.space == Space::local && !is_16bit(v.dtype) && v.stride.w == 1;
}

}  // namespace tputwin::fast
