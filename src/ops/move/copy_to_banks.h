// copy_to_banks: copies one tensor to four positions of local memory.
#pragma once

#include <array>

#include "ops/move/copy.h"

namespace tputwin {

// dst[i](n,c,h,w) = src(n,c,h,w), one position after the other.
struct CopyToBanks {
  std::array<TensorView, 4> dst;  // all have one shape and type
  TensorView src;
};

TW_OPERATION(CopyToBanks);
// Returns the copy to one of the positions.
inline Copy copy_to(const CopyToBanks& op, const TensorView& dst) {
  return {.dst = dst, .src = Source::tensor(op.src)};
}

}  // namespace tputwin
