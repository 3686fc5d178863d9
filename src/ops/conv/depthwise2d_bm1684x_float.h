// depthwise2d_bm1684x_float: one filter of fp32, fp16 or bf16 per channel.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/source.h"
#include "ops/contract/window.h"

namespace tputwin {

// The products in * weight, in the order kh, kw, go to two accumulators in turn, which start as 0
// and bias(c); the result is their sum. fp16 and bf16 round every product and every sum to the
// type. Taps in the padding and in inserted rows and columns are padding * weight, insertion *
// weight.
struct Depthwise2dBm1684xFloat {
  TensorView out, in;
  Source weight;                        // (1,C,KH,KW) or one number
  std::optional<TensorView> bias;       // (1,C,1,1) of the type of in
  uint32_t constant_bias = 0;           // without one
  uint32_t padding = 0, insertion = 0;  // bits of the type of in, as that of constant_bias
  Window window;
  bool is_turned = false;  // the kernel, by 180 degrees, as deconvolutions do
};

TW_OPERATION(Depthwise2dBm1684xFloat);
float bias_at(const Depthwise2dBm1684xFloat&, const Memory&, uint32_t c);
// One result, which execute() stores.
float result_at(const Depthwise2dBm1684xFloat&, const Memory&, uint32_t n, uint32_t c, uint32_t y,
                uint32_t x);

}  // namespace tputwin
