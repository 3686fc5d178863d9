// depthwise2d: one filter per channel.
#pragma once

#include <optional>

#include "numerics/rounding.h"
#include "ops/contract.h"
#include "ops/source.h"
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

// fp32: sum over kh, kw of in * weight, added as WindowSum does, taps in the padding being
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

// The products in * weight, in the order kh, kw, go to two accumulators in turn, which start as 0
// and bias(c); the result is their sum. fp16 and bf16 round every product and every sum to the
// type. Taps in the padding and in inserted rows and columns are 0 * weight.
struct Depthwise2dFloat {
  TensorView out, in;
  Source weight;                   // (1,C,KH,KW) or one number
  std::optional<TensorView> bias;  // (1,C,1,1) of the type of in
  Window window;
  bool is_turned = false;  // the kernel, by 180 degrees, as deconvolutions do
};

TW_OPERATION(Depthwise2dFloat);
// One result, which execute() stores.
float result_at(const Depthwise2dFloat&, const Memory&, uint32_t n, uint32_t c, uint32_t y,
                uint32_t x);

// acc = sum over kh,kw of value * weight(c,kh,kw) + bias(c); value is in(n,c,..), padding(c) around
// it, insertion(c) in inserted rows and columns.
// if relu: acc = max(acc, 0);  out = saturate(acc / 2^rshift, rounded)
struct Depthwise2dQuant {
  TensorView out, in;
  Source weight;                   // (1,C,KH,KW) or one 8-bit number
  std::optional<TensorView> bias;  // 32-bit (1,C,1,1)
  Source padding = Source::value(0u),
         insertion = Source::value(0u);  // (1,C,1,1) or one 8-bit number
  Window window;
  uint32_t rshift = 0;
  bool relu = false;
  bool is_turned = false;  // the kernel
  Rounding rounding = Rounding::half_up;
};

TW_OPERATION(Depthwise2dQuant);

}  // namespace tputwin
