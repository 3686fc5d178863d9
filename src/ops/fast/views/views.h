// Where views lie: the questions that decide whether a fast body may run.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>

#include "memory/memory.h"
#include "ops/contract/source.h"

namespace tputwin::fast {

// The bytes of a view (packed: of its cells), or of one of the two planes of 16-bit values.
struct Plane {
  const TensorView* view;
  uint32_t offset = 0;
};

// Both name the same byte for every index (views of one shape).
bool same_bytes(const Plane& a, const Plane& b);
inline bool same_bytes(const TensorView& a, const TensorView& b) {
  return same_bytes(Plane{&a}, Plane{&b});
}

// Surely no byte in common; of views: in no plane.
bool disjoint(const Plane& a, const Plane& b, const LocalMemory& local);
bool disjoint(const TensorView& a, const TensorView& b, const LocalMemory& local);

// Surely every element (packed: cell) has its own bytes, so that the order in which elements are
// written does not matter.
bool distinct(const TensorView& view, const LocalMemory& local);

// The tensor that an optional operand or a source has; nullptr: none.
inline const TensorView* tensor_of(const TensorView& view) { return &view; }
inline const TensorView* tensor_of(const std::optional<TensorView>& view) {
  return view ? &*view : nullptr;
}
inline const TensorView* tensor_of(const Source& source) {
  return source.is_constant ? nullptr : &source.view;
}

// Both are the same number, or read the same bytes.
inline bool same_source(const Source& a, const Source& b) {
  if (a.is_constant != b.is_constant) return false;
  return a.is_constant ? a.constant == b.constant && a.view.dtype == b.view.dtype
                       : a.view == b.view && a.along_n == b.along_n;
}
inline bool same_source(const TensorView& a, const TensorView& b) { return a == b; }

// Why results cannot be written in any order while sources are still to be read; nullptr if they
// can. Sources that are no tensors are nullptr.
const char* overlap(const TensorView& out, std::initializer_list<const TensorView*> sources,
                    const LocalMemory& local);

// The same of operands whose elements also have to lie in lanes, each for itself.
const char* elements_overlap(const TensorView& out,
                             std::initializer_list<const TensorView*> sources,
                             const LocalMemory& local);

// The same of element-wise operations, whose sources may also lie exactly where a result does.
struct ViewUse {
  const TensorView* view;
  bool written;
};
const char* overlap_in_part(std::span<const ViewUse> uses, const LocalMemory& local);

inline bool is_empty(const Shape& s) { return s.count() == 0; }

// The elements (or cells, or bytes of a plane) of a row lie side by side.
inline bool has_dense_rows(const TensorView& v) {
  return v.shape.w == 1 || v.stride.w == run_bytes(v);
}
// Elements of a plane side by side, in their order.
inline bool is_dense_plane(const TensorView& v) {
  return has_dense_rows(v) && (v.shape.h == 1 || v.stride.h == v.shape.w * run_bytes(v));
}
// Bytes in lanes, those of a row side by side.
inline bool has_byte_rows(const TensorView& v) {
  return v.space == Space::local && run_bytes(v) == 1 && is_run(v) && has_dense_rows(v);
}
// Whole elements in lanes, each for itself.
inline bool has_elements(const TensorView& v) {
  return v.space == Space::local && v.pack == 1 && is_run(v);
}
// Words in lanes at multiples of their size.
inline bool has_words(const TensorView& v) {
  const Stride& s = v.stride;
  return v.space == Space::local && is_32bit(v.dtype) && !is_empty(v.shape) &&
         (v.address | s.n | s.c | s.h | s.w) % 4 == 0;
}

}  // namespace tputwin::fast
