// Instructions out = f(a, constant) of the BM1880, and the views of their results.
#pragma once

#include "ops/instruction.h"

namespace tputwin {

// Returns the operation if it is of this kind and its second operand is a constant, else nullptr.
inline const Elementwise* with_constant(const Operation& op, Elementwise::Kind kind) {
  const auto* e = std::get_if<Elementwise>(&op);
  return e != nullptr && e->kind == kind && e->b_is_constant ? e : nullptr;
}

// Returns the view of 8-bit results without the high plane of the 16-bit sums at its address.
inline TensorView low_plane(TensorView view) {
  view.plane_stride = 0;
  return view;
}

}  // namespace tputwin
