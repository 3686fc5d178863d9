// Contiguous bytes of operands.
#pragma once

#include "memory/tensor_view.h"

namespace tputwin {

struct Runs {
  uint64_t bytes;  // of a contiguous run
  // From one run to the next; 0: all bytes are one run, or the next is in another lane.
  uint64_t distance;
};

// Returns the contiguous runs of a view, from the innermost dimension outwards. A run in local
// memory ends with its plane, because the next channel is in the next lane.
inline Runs runs_of(const TensorView& view) {
  const Shape& s = view.shape;
  uint64_t run = element_bytes(view.dtype);
  if (view.stride.w != run && s.w > 1) return {run, view.stride.w};
  run *= s.w;
  if (view.stride.h != run && s.h > 1) return {run, view.stride.h};
  run *= s.h;
  if (view.space == Space::local) return {run, 0};
  if (view.stride.c != run && s.c > 1) return {run, view.stride.c};
  run *= s.c;
  if (view.stride.n != run && s.n > 1) return {run, view.stride.n};
  return {run * s.n, 0};
}

inline uint64_t run_of(const TensorView& view) { return runs_of(view).bytes; }

}  // namespace tputwin
