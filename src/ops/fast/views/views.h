// Properties of the memory that views cover. They decide whether a fast kernel may run.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>

#include "memory/memory.h"
#include "ops/contract/source.h"

namespace tputwin::fast {

// The bytes of a view (packed: of its cells), or of one of the two byte planes of 16-bit values.
struct Plane {
  const TensorView* view;
  uint32_t offset = 0;
};

// Returns true if both have the same byte for every index. The views must have one shape.
bool same_bytes(const Plane& a, const Plane& b);
inline bool same_bytes(const TensorView& a, const TensorView& b) {
  return same_bytes(Plane{&a}, Plane{&b});
}

// Returns true only if both have no byte in common. Views must have no byte in common in any plane.
bool disjoint(const Plane& a, const Plane& b, const LocalMemory& local);
bool disjoint(const TensorView& a, const TensorView& b, const LocalMemory& local);

// Returns true only if every element (packed: cell) has its own bytes. Elements may then be written
// in any order.
bool distinct(const TensorView& view, const LocalMemory& local);

// Returns the tensor of an optional operand or a source, or nullptr if there is none.
inline const TensorView* tensor_of(const TensorView& view) { return &view; }
inline const TensorView* tensor_of(const std::optional<TensorView>& view) {
  return view ? &*view : nullptr;
}
inline const TensorView* tensor_of(const Source& source) {
  return source.is_constant ? nullptr : &source.view;
}

// Returns true if both are the same number, or read the same bytes.
inline bool same_source(const Source& a, const Source& b) {
  if (a.is_constant != b.is_constant) return false;
  return a.is_constant ? a.constant == b.constant && a.view.dtype == b.view.dtype
                       : a.view == b.view && a.along_n == b.along_n;
}
inline bool same_source(const TensorView& a, const TensorView& b) { return a == b; }

// Returns why results cannot be written in any order before all sources are read, or nullptr if
// they can. Sources that are no tensors must be nullptr.
const char* overlap(const TensorView& out, std::initializer_list<const TensorView*> sources,
                    const LocalMemory& local);

// Like overlap(). Also requires that operands are unpacked elements in local memory.
const char* elements_overlap(const TensorView& out,
                             std::initializer_list<const TensorView*> sources,
                             const LocalMemory& local);

// Like overlap(), for element-wise operations: a source may also have exactly the bytes of a
// result.
struct ViewUse {
  const TensorView* view;
  bool written;
};
const char* overlap_in_part(std::span<const ViewUse> uses, const LocalMemory& local);

inline bool is_empty(const Shape& s) { return s.count() == 0; }

// Returns true if the elements (or cells, or bytes of a plane) of a row are contiguous.
inline bool has_dense_rows(const TensorView& v) {
  return v.shape.w == 1 || v.stride.w == run_bytes(v);
}
// Returns true if the elements of a plane are contiguous, in their order.
inline bool is_dense_plane(const TensorView& v) {
  return has_dense_rows(v) && (v.shape.h == 1 || v.stride.h == v.shape.w * run_bytes(v));
}
// Returns true for bytes in local memory, contiguous in each row.
inline bool has_byte_rows(const TensorView& v) {
  return v.space == Space::local && run_bytes(v) == 1 && is_run(v) && has_dense_rows(v);
}
// Returns true for whole, unpacked elements in local memory.
inline bool has_elements(const TensorView& v) {
  return v.space == Space::local && v.pack == 1 && is_run(v);
}
// Returns true for 32-bit elements in local memory at multiples of their size.
inline bool has_32bit_elements(const TensorView& v) {
  const Stride& s = v.stride;
  return v.space == Space::local && is_32bit(v.dtype) && !is_empty(v.shape) &&
         (v.address | s.n | s.c | s.h | s.w) % 4 == 0;
}

}  // namespace tputwin::fast
