// pool2d: maximum or scaled sum over a window.
#pragma once

#include <optional>

#include "ops/contract.h"
#include "ops/window.h"

namespace tputwin {

// maximum: out = max over the window, padding counts as the smallest value of the type
// average: out = saturate(round_shift(sum over the window * multiplier, rshift)), padding counts 0
// The type of the result is that of the input.
struct Pool2d {
  enum class Kind : uint8_t { maximum, average };
  Kind kind = Kind::maximum;
  TensorView out, in;
  Window window;            // no dilation; zero insertion for average only
  uint32_t multiplier = 1;  // average: unsigned 8-bit constant
  uint32_t rshift = 0;      // average
};

std::string_view name(const Pool2d&);
OperandList operands(const Pool2d&);
Status check(const Pool2d&, const Chip&);
Footprint footprint(const Pool2d&, const Chip&);
Cost cost(const Pool2d&, const Chip&);
void execute(const Pool2d&, const Memory&);

// fp32. maximum: over the taps inside the input, flushed, starting from the lowest finite number,
// which NaN and -inf do not exceed.
// average: sum of in * (1 / (KH * KW)), added as WindowSum does; taps in the padding add 0.
struct Pool2dF32 {
  enum class Kind : uint8_t { maximum, average };
  Kind kind = Kind::maximum;
  TensorView out, in;
  Window window;  // no dilation, no zero insertion
};

TW_OPERATION(Pool2dF32);
// What an average multiplies each element of the window by.
float share_of(const Window& window);
// One result, which execute() stores.
float result_at(const Pool2dF32&, const Memory&, uint32_t n, uint32_t c, uint32_t y, uint32_t x);

// maximum: m = the lowest finite number; for each tap v: m = m > v ? m : v, so that of equal values
// the last one stays, and a NaN gives way to what follows it. `value` is what the padding counts as.
// Bits are moved; only fp32 results are flushed.
// average: the products in * value go to two accumulators in turn, which start as -0; the result is
// their sum. fp16 and bf16 round every product and every sum to the type. Padding and inserted
// elements are 0.
struct Pool2dFloat {
  enum class Kind : uint8_t { maximum, average };
  Kind kind = Kind::maximum;
  TensorView out, in;
  Window window;
  uint32_t value = 0;  // bits of the type of in
};

TW_OPERATION(Pool2dFloat);
// The bits of one result, which execute() stores.
uint32_t result_at(const Pool2dFloat&, const Memory&, uint32_t n, uint32_t c, uint32_t y,
                   uint32_t x);

// maximum: of the window, padding counting as `padding`.
// average: out = saturate(sum over the window * multiplier / 2^rshift rounded half up); padding and
// inserted elements are 0.
struct Pool2dQuant {
  enum class Kind : uint8_t { maximum, average };
  Kind kind = Kind::maximum;
  TensorView out, in;
  Window window;
  int32_t padding = 0;
  uint32_t multiplier = 1;  // average: unsigned 8-bit constant
  uint32_t rshift = 0;      // average
};

TW_OPERATION(Pool2dQuant);

}  // namespace tputwin
