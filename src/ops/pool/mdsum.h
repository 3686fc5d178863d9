// mdsum: sum of each channel.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// out(0,c,0,0) = saturate(sum over n,h,w of a(n,c,h,w)).
// Quirk of the 16-bit form: only the low byte of the saturated sum is written.
struct Mdsum {
  TensorView out;  // (1,C,1,1), unaligned
  TensorView a;    // read with aligned default strides
};

TW_OPERATION(Mdsum);
Footprint footprint(const Mdsum&, const Chip&);

}  // namespace tputwin
