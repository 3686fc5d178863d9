// copy_to_banks: one tensor to four places of local memory.
#pragma once

#include <array>

#include "ops/move/copy.h"

namespace tputwin {

// dst[i](n,c,h,w) = src(n,c,h,w), one place after the other.
struct CopyToBanks {
  std::array<TensorView, 4> dst;  // of one shape and type
  TensorView src;
};

TW_OPERATION(CopyToBanks);
// The copy to one of the places.
inline Copy copy_to(const CopyToBanks& op, const TensorView& dst) {
  return {.dst = dst, .src = Source::tensor(op.src)};
}

}  // namespace tputwin
