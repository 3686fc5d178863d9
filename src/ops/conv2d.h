// conv2d: 2-D convolution (correlation) over all input channels.
#pragma once

#include <optional>

#include "ops/contract.h"
#include "ops/window.h"

namespace tputwin {

// acc(n,oc,y,x) = sum over ic,kh,kw of in(n,ic,window(y,kh),window(x,kw)) * weight(ic,oc,kh,kw)
// acc += bias(oc); if relu: acc = max(acc, 0)
// out = saturate(round_shift(acc, rshift)), unsigned with relu, signed without.
struct Conv2d {
  TensorView out, in;
  TensorView weight;               // (IC,OC,KH,KW) in the convolution weight layout
  std::optional<TensorView> bias;  // 16-bit (1,OC,1,1)
  Window window;
  bool relu = false;
  uint32_t rshift = 0;
};

std::string_view name(const Conv2d&);
OperandList operands(const Conv2d&);
Status check(const Conv2d&, const Chip&);
Footprint footprint(const Conv2d&, const Chip&);
Cost cost(const Conv2d&, const Chip&);
void execute(const Conv2d&, const Memory&);

// fp32: sum over kh, kw, ic of in * weight, added as ChannelPairSum does, taps in the padding being
// 0 * weight; then + bias(oc); then + old out.
struct Conv2dF32 {
  TensorView out, in;
  TensorView weight;               // (IC,OC,KH,KW), two input channels to a cell
  std::optional<TensorView> bias;  // (1,OC,1,1)
  Window window;                   // no zero insertion
  bool accumulate = false;
};

TW_OPERATION(Conv2dF32);
// One result, which execute() stores.
float result_at(const Conv2dF32&, const Memory&, uint32_t n, uint32_t oc, uint32_t y, uint32_t x);

struct Conv2dFloat {
  TensorView out;
};

TW_OPERATION(Conv2dFloat);

struct Conv2dQuant {
  TensorView out;
};

TW_OPERATION(Conv2dQuant);

}  // namespace tputwin
