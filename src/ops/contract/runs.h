// Contiguous bytes of operands.
#pragma once

#include "memory/tensor_view.h"

namespace tputwin {

// Returns the bytes of a contiguous run, from the innermost dimension outwards. A run in local
// memory ends with its plane, because the next channel is in the next lane.
inline uint64_t run_of(const TensorView& view) {
  const Shape& s = view.shape;
  uint64_t run = element_bytes(view.dtype);
  if (view.stride.w != run && s.w > 1) return run;
  run *= s.w;
  if (view.stride.h != run && s.h > 1) return run;
  run *= s.h;
  if (view.space == Space::local) return run;
  if (view.stride.c != run && s.c > 1) return run;
  run *= s.c;
  if (view.stride.n != run && s.n > 1) return run;
  return run * s.n;
}

}  // namespace tputwin
