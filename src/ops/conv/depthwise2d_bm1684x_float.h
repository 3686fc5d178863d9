// depthwise2d_bm1684x_float: one filter of fp32, fp16 or bf16 per channel.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/source.h"
#include "ops/contract/window.h"

namespace tputwin {

// The products in * weight, in the order kh, kw, alternate between two accumulators, which start as
// 0 and bias(c). The result is their sum. fp16 and bf16 round every product and every sum to the
// type. Taps in the padding add padding * weight; those in inserted rows and columns insertion *
// weight.
struct Depthwise2dBm1684xFloat {
  TensorView out, in;
  Source weight;                   // (1,C,KH,KW) or one number
  std::optional<TensorView> bias;  // (1,C,1,1) of the type of in
  uint32_t constant_bias = 0;      // used without `bias`
  // Bits of the type of in, as those of constant_bias.
  uint32_t padding = 0, insertion = 0;
  Window window;
  // Rotates the kernel by 180 degrees, as deconvolutions do.
  bool is_rotated = false;
};

TW_OPERATION(Depthwise2dBm1684xFloat);
float bias_at(const Depthwise2dBm1684xFloat&, const Memory&, uint32_t c);
// Returns one result, as execute() stores it.
float result_at(const Depthwise2dBm1684xFloat&, const Memory&, uint32_t n, uint32_t c, uint32_t y,
                uint32_t x);

}  // namespace tputwin
