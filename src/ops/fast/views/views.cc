#include "ops/fast/views/views.h"

#include <algorithm>

namespace tputwin::fast {
namespace {

// Half-open range of byte offsets: inside a lane, or of global memory.
struct Extent {
  uint64_t begin, end;
};

uint64_t groups(const TensorView& v, const LocalMemory& local) {
  if (is_system(v.space)) return v.shape.c;
  return (v.address / local.lane_bytes() + v.shape.c - 1) / local.lanes() + 1;
}

Extent extent(const Plane& plane, const LocalMemory& local) {
  const TensorView& v = *plane.view;
  uint64_t begin = is_system(v.space) ? v.address : v.address % local.lane_bytes();
  begin += plane.offset;
  uint64_t reach = uint64_t{cells(v) - 1} * v.stride.n + (groups(v, local) - 1) * v.stride.c +
                   uint64_t{v.shape.h - 1} * v.stride.h + uint64_t{v.shape.w - 1} * v.stride.w;
  return {begin, begin + reach + run_bytes(v)};
}

bool other_lanes(const TensorView& a, const TensorView& b, const LocalMemory& local) {
  uint64_t begin_a = a.address / local.lane_bytes(), end_a = begin_a + a.shape.c;
  uint64_t begin_b = b.address / local.lane_bytes(), end_b = begin_b + b.shape.c;
  return end_a <= local.lanes() && end_b <= local.lanes() && (end_a <= begin_b || end_b <= begin_a);
}

// Columns of one larger tensor: all strides are multiples of a row that holds both side by side.
bool side_by_side(const TensorView& a, const TensorView& b, uint64_t distance) {
  uint64_t row = a.stride.h;
  if (row == 0 || b.stride.h != row) return false;
  for (uint64_t step : {a.stride.n, a.stride.c, b.stride.n, b.stride.c})
    if (step % row != 0) return false;
  auto width = [](const TensorView& v) {
    return uint64_t{v.shape.w - 1} * v.stride.w + run_bytes(v);
  };
  uint64_t gap = distance % row;  // from the first byte of a row of a to the next one of b
  return gap >= width(a) && row - gap >= width(b);
}

}  // namespace

bool same_bytes(const Plane& a, const Plane& b) {
  return a.view->space == b.view->space &&
         a.view->address + a.offset == b.view->address + b.offset &&
         a.view->stride == b.view->stride && a.view->shape == b.view->shape &&
         a.view->pack == b.view->pack && run_bytes(*a.view) == run_bytes(*b.view);
}

bool disjoint(const Plane& a, const Plane& b, const LocalMemory& local) {
  if (a.view->space != b.view->space) return true;
  Extent x = extent(a, local), y = extent(b, local);
  if (x.end <= y.begin || y.end <= x.begin) return true;
  if (a.view->space == Space::local && other_lanes(*a.view, *b.view, local)) return true;
  if (x.begin <= y.begin) return side_by_side(*a.view, *b.view, y.begin - x.begin);
  return side_by_side(*b.view, *a.view, x.begin - y.begin);
}

bool distinct_elements(const TensorView& v, const LocalMemory& local) {
  std::array<Dimension<1>, 4> dims{{{cells(v), {v.stride.n}},
                                    {groups(v, local), {v.stride.c}},
                                    {v.shape.h, {v.stride.h}},
                                    {v.shape.w, {v.stride.w}}}};
  std::sort(dims.begin(), dims.end(),
            [](const auto& x, const auto& y) { return x.step[0] < y.step[0]; });
  uint64_t reach = run_bytes(v);
  for (const auto& [count, step] : dims) {
    if (count == 1) continue;
    if (step[0] < reach) return false;
    reach += (count - 1) * step[0];
  }
  return true;
}

}  // namespace tputwin::fast
