// fixed_point_wide: products of 16 by 8 bits, and the bytes of 16-bit elements they are made of.
#pragma once

#include <optional>

#include "ops/contract.h"

namespace tputwin {

// high: out = bits 15..8 of in.   low: out = bits 7..0, and work = in & 0x00ff.
struct SplitByte {
  TensorView out;                  // 8-bit
  TensorView in;                   // 16-bit
  std::optional<TensorView> work;  // 16-bit; of the low byte only
};

// out = sat(round_shift((high * 256 + low) * b, rshift)); high has the sign of its type.
struct Mul16By8 {
  TensorView out;        // 16-bit
  TensorView high, low;  // 8-bit, low unsigned
  TensorView b;          // 8-bit
  uint32_t rshift = 0;
};

// out = sign(a) * min(32767, round_shift(m * b, rshift)) with m = min(|a|, 32767): symmetric.
// Also: work_high, work_low = bytes of m;  work = a < 0 ? -out : 0.
struct MulS16ByU8 {
  TensorView out, a;               // i16
  TensorView b;                    // u8
  TensorView work;                 // i16
  TensorView work_high, work_low;  // u8
  uint32_t rshift = 0;
};

TW_OPERATION(SplitByte);
TW_OPERATION(Mul16By8);
TW_OPERATION(MulS16ByU8);

}  // namespace tputwin
