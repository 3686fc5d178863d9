// conv2d: 2-D convolution (correlation) over all input channels.
#pragma once

#include <optional>

#include "ops/contract.h"
#include "ops/source.h"
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

// The convolutions of the BM1684X. Weights lie in groups of input channels: that of input channel
// ic and tap k = kh * KW + kw for output channel oc is element
//   (0, oc, (ic div group) * KH * KW + k, ic mod group)
// of a compact tensor (1, OC, groups * KH * KW, group). bm1684x-machine 3.1.
constexpr uint32_t weight_group(DType dtype) {
  return element_bytes(dtype) == 4 ? 1 : 64 / element_bytes(dtype);
}
constexpr uint32_t taps_of(const Window& window) { return window.h.kernel * window.w.kernel; }
// The tap whose weight tap (kh, kw) of the window multiplies; deconvolutions turn their kernel by
// 180 degrees.
constexpr uint32_t weight_tap(const Window& window, bool is_turned, uint32_t kh, uint32_t kw) {
  const uint32_t tap = kh * window.w.kernel + kw;
  return is_turned ? taps_of(window) - 1 - tap : tap;
}
constexpr uint32_t weight_row(uint32_t ic, uint32_t tap, const Window& window, uint32_t group) {
  return ic / group * taps_of(window) + tap;
}
constexpr Shape weight_shape(uint32_t ic, uint32_t oc, const Window& window, DType dtype) {
  const uint32_t group = weight_group(dtype);
  return {1, oc, (ic + group - 1) / group * taps_of(window), group};
}

// fp32: the products in * weight, in the order ic, kh, kw, go to two accumulators in turn, which
// start as 0 and bias(oc), or with `accumulate` as bias(oc) and the old out; the result is their
// sum.
// fp16, bf16: acc = bias(oc); with `accumulate` acc += old out; then for each group of 32 input
// channels, for kh, kw: acc += add_tree(the products of the group).
// Taps in the padding and in inserted rows and columns are 0 * weight.
struct Conv2dFloat {
  TensorView out;  // fp32, or the type of the input
  TensorView in;
  Source weight;                   // or one number of the type of the input
  std::optional<TensorView> bias;  // fp32 (1,OC,1,1)
  Window window;
  bool is_turned = false;   // the kernel
  bool accumulate = false;  // fp32 results only
};

TW_OPERATION(Conv2dFloat);
// One result before it is rounded to the type of out.
float result_at(const Conv2dFloat&, const Memory&, uint32_t n, uint32_t oc, uint32_t y, uint32_t x);

// acc = sum over ic,kh,kw of value * (weight(oc,ic,kh,kw) - zero_point(oc)) + bias(oc), + the old
// out with `accumulate`; value is in(n,ic,..), padding(ic) around it, insertion(ic) in inserted
// rows and columns.
// if relu: acc = max(acc, 0);  out = saturate(acc / 2^rshift rounded half up); 32-bit results are
// acc modulo 2^32.
struct Conv2dQuant {
  TensorView out, in;
  Source weight;                          // or one 8-bit number
  std::optional<TensorView> bias;         // 16-bit (1,OC,1,1)
  Source zero_point = Source::value(0u);  // (1,OC,1,1) or one 8-bit number
  Source padding = Source::value(0u),
         insertion = Source::value(0u);  // (1,IC,1,1) or one 8-bit number
  Window window;
  uint32_t rshift = 0;
  bool relu = false;
  bool is_turned = false;   // the kernel
  bool accumulate = false;  // 32-bit results only
};

TW_OPERATION(Conv2dQuant);
// One accumulator before relu, shift and saturation.
int64_t accumulator_at(const Conv2dQuant&, const Memory&, uint32_t n, uint32_t oc, uint32_t y,
                       uint32_t x);

}  // namespace tputwin
