// elementwise: pointwise arithmetic and logic over equally shaped tensors.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// mul:   sat(round_shift(a*b, rshift))
// mac:   sat(round_shift(a*b + (old out << lshift), rshift)); the old value is always 16-bit and
//        out.plane_stride is set even when the new value is 8-bit (only the low plane is written)
// add, sub: sat(a +- b)      max, min: max(a,b), min(a,b)
// shift: b >= 0 ? low 16 bits of a << b : a >> -b (floor); b in [-16,16]
// bit_and, bit_or, bit_xor: bitwise      copy: a
struct Elementwise {
  enum class Kind : uint8_t { mul, mac, add, sub, max, min, shift, bit_and, bit_or, bit_xor, copy };
  Kind kind = Kind::copy;
  TensorView out, a;
  TensorView b;  // unused when b_is_constant, and by copy
  bool b_is_constant = false;
  // Sign or zero extended according to b_signed.
  int32_t constant = 0;
  bool b_signed = true;  // type of the constant (tensors: b.dtype)
  uint32_t lshift = 0, rshift = 0;
};
std::string_view to_string(Elementwise::Kind kind);

TW_OPERATION(Elementwise);
Footprint footprint(const Elementwise&, const Chip&);

}  // namespace tputwin
