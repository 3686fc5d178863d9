// fixed_point_wide: products of 16 by 8 bits, and the bytes of 16-bit elements that they use.
#pragma once

#include <optional>

#include "ops/contract/contract.h"

namespace tputwin {

// Returns the shape of a 16-bit tensor including the element that fills its last cell.
constexpr Shape whole_cells(Shape shape) {
  shape.n += shape.n % 2;
  return shape;
}

// high: out = bits 15..8 of in.   low: out = bits 7..0, and work = in & 0x00ff in whole cells.
struct SplitByte {
  TensorView out;  // 8-bit
  // 16-bit; in whole cells if work is present.
  TensorView in;
  std::optional<TensorView> work;  // 16-bit, in whole cells; low byte only
};

// out = sat(round_shift((high * 256 + low) * b, rshift)); high has the sign of its type.
struct Mul16By8 {
  TensorView out;        // 16-bit
  TensorView high, low;  // 8-bit, low unsigned
  TensorView b;          // 8-bit
  uint32_t rshift = 0;
};

// out = sign(a) * min(32767, round_shift(m * b, rshift)) with m = min(|a|, 32767): symmetric. Also:
// work_high, work_low = bytes of m;  work = a < 0 ? -out : 0. An element of out that only fills a
// cell keeps its low byte, and work gets the same value: the chip uses both for low bytes.
struct MulS16ByU8 {
  TensorView out;                  // i16, in whole cells
  TensorView a;                    // i16
  TensorView b;                    // u8
  TensorView work;                 // i16, in whole cells
  TensorView work_high, work_low;  // u8
  uint32_t rshift = 0;
};

TW_OPERATION(SplitByte);
TW_OPERATION(Mul16By8);
TW_OPERATION(MulS16ByU8);

}  // namespace tputwin
