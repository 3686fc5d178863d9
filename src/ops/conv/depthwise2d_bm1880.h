// depthwise2d_bm1880: one filter of 8-bit integers per channel.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// acc(n,c,y,x) = sum over kh,kw of in(n,c,window(y,kh),window(x,kw)) * weight(0,c,kh,kw) + bias(c)
// out = saturate(round_shift(acc, rshift)), always signed.
struct Depthwise2dBm1880 {
  TensorView out, in;
  // (1,C,KH,KW), aligned, always read as signed.
  TensorView weight;
  std::optional<TensorView> bias;  // 16-bit (1,C,1,1), always read as signed
  Window window;                   // no dilation
  uint32_t rshift = 0;
};

TW_OPERATION(Depthwise2dBm1880);

}  // namespace tputwin
