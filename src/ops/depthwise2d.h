// depthwise2d: one filter per channel.
#pragma once

#include <optional>

#include "ops/contract.h"
#include "ops/window.h"

namespace tputwin {

// acc(n,c,y,x) = sum over kh,kw of in(n,c,window(y,kh),window(x,kw)) * weight(0,c,kh,kw) + bias(c)
// out = saturate(round_shift(acc, rshift)), always signed.
struct Depthwise2d {
  TensorView out, in;
  TensorView weight;               // (1,C,KH,KW) aligned, always read as signed
  std::optional<TensorView> bias;  // 16-bit (1,C,1,1), always read as signed
  Window window;                   // no dilation
  uint32_t rshift = 0;
};

std::string_view name(const Depthwise2d&);
OperandList operands(const Depthwise2d&);
Status check(const Depthwise2d&, const Chip&);
Footprint footprint(const Depthwise2d&, const Chip&);
Cost cost(const Depthwise2d&, const Chip&);
void execute(const Depthwise2d&, const Memory&);

// fp32: sum over kh, kw of in * weight, added as AlternatingSum does, taps in the padding being
// 0 * weight; then + bias(c).
struct Depthwise2dF32 {
  TensorView out, in;
  TensorView weight;               // (1,C,KH,KW)
  std::optional<TensorView> bias;  // (1,C,1,1)
  Window window;                   // no zero insertion
};

TW_OPERATION(Depthwise2dF32);
// One result, which execute() stores.
float result_at(const Depthwise2dF32&, const Memory&, uint32_t n, uint32_t c, uint32_t y,
                uint32_t x);

struct Depthwise2dFloat {
  TensorView out;
};

TW_OPERATION(Depthwise2dFloat);

struct Depthwise2dQuant {
  TensorView out;
};

TW_OPERATION(Depthwise2dQuant);

}  // namespace tputwin
