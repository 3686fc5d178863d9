// Proofs that views have no byte in common, and that a view's elements have bytes of their own.
#include "ops/fast/views/views.h"

#include <array>

namespace tputwin::fast {
namespace {

// Half-open range of byte offsets, inside a lane or in system memory.
struct Extent {
  uint64_t begin, end;
};

// Returns the number of channels of one lane.
uint64_t rounds(const TensorView& v, const LocalMemory& local) {
  if (is_system(v.space)) return v.shape.c;
  return (v.address / local.lane_bytes() + v.shape.c - 1) / local.lanes() + 1;
}

Extent extent(const Plane& plane, const LocalMemory& local) {
  const TensorView& v = *plane.view;
  uint64_t begin = is_system(v.space) ? v.address : v.address % local.lane_bytes();
  begin += plane.offset;
  uint64_t reach = uint64_t{cells(v) - 1} * v.stride.n + (rounds(v, local) - 1) * v.stride.c +
                   uint64_t{v.shape.h - 1} * v.stride.h + uint64_t{v.shape.w - 1} * v.stride.w;
  return {begin, begin + reach + run_bytes(v)};
}

bool other_lanes(const TensorView& a, const TensorView& b, const LocalMemory& local) {
  uint64_t begin_a = a.address / local.lane_bytes(), end_a = begin_a + a.shape.c;
  uint64_t begin_b = b.address / local.lane_bytes(), end_b = begin_b + b.shape.c;
  return end_a <= local.lanes() && end_b <= local.lanes() && (end_a <= begin_b || end_b <= begin_a);
}

// Returns true if a and b are columns of one larger tensor: all strides are multiples of a row that
// holds both next to each other.
bool side_by_side(const TensorView& a, const TensorView& b, uint64_t distance) {
  uint64_t row = a.stride.h;
  if (row == 0 || b.stride.h != row) return false;
  for (uint64_t step : {a.stride.n, a.stride.c, b.stride.n, b.stride.c})
    if (step % row != 0) return false;
  auto width = [](const TensorView& v) {
    return uint64_t{v.shape.w - 1} * v.stride.w + run_bytes(v);
  };
  uint64_t gap = distance % row;  // bytes from a row of a to the next row of b
  return gap >= width(a) && row - gap >= width(b);
}

uint32_t planes(const TensorView& v) { return is_run(v) ? 1 : 2; }

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

bool disjoint(const TensorView& a, const TensorView& b, const LocalMemory& local) {
  for (uint32_t i = 0; i < planes(a); ++i)
    for (uint32_t j = 0; j < planes(b); ++j)
      if (!disjoint(Plane{&a, i * a.plane_stride}, Plane{&b, j * b.plane_stride}, local))
        return false;
  return true;
}

bool distinct(const TensorView& v, const LocalMemory& local) {
  struct Dimension {
    uint64_t count, stride;
  };
  std::array<Dimension, 5> dims{{{cells(v), v.stride.n},
                                 {rounds(v, local), v.stride.c},
                                 {v.shape.h, v.stride.h},
                                 {v.shape.w, v.stride.w},
                                 {planes(v), v.plane_stride}}};
  std::sort(dims.begin(), dims.end(),
            [](const Dimension& x, const Dimension& y) { return x.stride < y.stride; });
  uint64_t reach = run_bytes(v);  // bytes that the dimensions so far span
  for (const auto& [count, stride] : dims) {
    if (count <= 1) continue;
    if (stride < reach) return false;
    reach += (count - 1) * stride;
  }
  return true;
}

const char* overlap(const TensorView& out, std::initializer_list<const TensorView*> sources,
                    const LocalMemory& local) {
  if (!distinct(out, local)) return "results overlap each other";
  for (const TensorView* source : sources)
    if (source != nullptr && !disjoint(out, *source, local)) return "results overlap a source";
  return nullptr;
}

const char* elements_overlap(const TensorView& out,
                             std::initializer_list<const TensorView*> sources,
                             const LocalMemory& local) {
  if (!has_elements(out)) return "results are no elements in lanes";
  for (const TensorView* source : sources)
    if (source != nullptr && !has_elements(*source)) return "a source is no elements in lanes";
  return overlap(out, sources, local);
}

const char* overlap_in_part(std::span<const ViewUse> uses, const LocalMemory& local) {
  for (const ViewUse& result : uses) {
    if (!result.written) continue;
    if (!distinct(*result.view, local)) return "results overlap each other";
    for (const ViewUse& other : uses) {
      if (&other == &result || disjoint(*other.view, *result.view, local)) continue;
      if (other.written || !same_bytes(*other.view, *result.view))
        return "results overlap an operand in part";
    }
  }
  return nullptr;
}

}  // namespace tputwin::fast
