// conv2d_bm1880: 2-D convolution (correlation) of 8-bit integers over all input channels.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// acc(n,oc,y,x) = sum over ic,kh,kw of in(n,ic,window(y,kh),window(x,kw)) * weight(ic,oc,kh,kw)
// acc += bias(oc); if relu: acc = max(acc, 0)
// out = saturate(round_shift(acc, rshift)), unsigned with relu, signed without.
struct Conv2dBm1880 {
  TensorView out, in;
  // (IC,OC,KH,KW) in the convolution weight layout.
  TensorView weight;
  std::optional<TensorView> bias;  // 16-bit (1,OC,1,1)
  Window window;
  bool relu = false;
  uint32_t rshift = 0;
};

TW_OPERATION(Conv2dBm1880);

}  // namespace tputwin
