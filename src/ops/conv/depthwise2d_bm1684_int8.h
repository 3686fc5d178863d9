// depthwise2d_bm1684_int8: one filter of bytes per channel, and means of packed bytes.
#pragma once

#include <bit>
#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/source.h"
#include "ops/contract/window.h"

namespace tputwin {

// out = sat(round_shift(sum over kh, kw of in * weight, + bias(c); rshift)), exact. Elements
// outside the input are 0. With signed operands an unsigned result has the effect of ReLU.
struct Depthwise2dBm1684Int8 {
  TensorView out;  // four images to a cell, of 8 or 16 bits
  TensorView in;   // 4N
  // (1,C,KH,KW) of bytes, or the factor of a mean.
  Source weight;
  std::optional<TensorView> bias;  // (1,C,1,1) of 16 bits
  Window window;
  uint32_t rshift = 0;
};

TW_OPERATION(Depthwise2dBm1684Int8);

// Returns the factor by which the chip multiplies the elements under a window of `taps` for their
// mean: 2^k / taps, rounded, at least 128 and below 256, without its factors of 2.
constexpr uint32_t mean_factor(uint64_t taps) {
  uint64_t scale = 1;
  while ((2 * scale + taps) / (2 * taps) < 128) scale *= 2;
  const uint64_t factor = (2 * scale + taps) / (2 * taps);
  return static_cast<uint32_t>(factor >> std::countr_zero(factor));
}

}  // namespace tputwin
