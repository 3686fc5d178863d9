// conv2d_bm1684: 2-D convolution of fp32 over all input channels.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// fp32: sum over kh, kw, ic of in * weight, added in the order of ChannelPairSum; then + bias(oc);
// then + old out. Taps in the padding and on inserted zeros add 0 * weight. place_in_window()
// places results that are fewer than the window's.
struct Conv2dBm1684 {
  TensorView out, in;
  // (IC,OC,KH,KW), two input channels to a cell.
  TensorView weight;
  std::optional<TensorView> bias;  // (1,OC,1,1)
  Window window;
  bool is_rotated = false;  // rotates the kernel by 180 degrees
  bool accumulate = false;
  // Bits of the number that all weights have; `weight` then only has their shape.
  std::optional<uint32_t> constant_weight = {};
};

TW_OPERATION(Conv2dBm1684);
constexpr bool places_results(const Conv2dBm1684&) { return true; }
// Returns one result, as execute() stores it.
float result_at(const Conv2dBm1684&, const Memory&, uint32_t n, uint32_t oc, uint32_t y,
                uint32_t x);

}  // namespace tputwin
