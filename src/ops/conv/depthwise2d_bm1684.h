// depthwise2d_bm1684: one filter of fp32 per channel.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// fp32: sum over kh, kw of in * weight, added in the order of WindowSum; then + bias(c). Taps in
// the padding and on inserted zeros add 0 * weight.
struct Depthwise2dBm1684 {
  TensorView out, in;
  TensorView weight;               // (1,C,KH,KW)
  std::optional<TensorView> bias;  // (1,C,1,1)
  Window window;
};

TW_OPERATION(Depthwise2dBm1684);
// Returns one result, as execute() stores it.
float result_at(const Depthwise2dBm1684&, const Memory&, uint32_t n, uint32_t c, uint32_t y,
                uint32_t x);

}  // namespace tputwin
