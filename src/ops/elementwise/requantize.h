// requantize: scaling between wide integers, narrow integers and fp32.
#pragma once

#include "numerics/rounding.h"
#include "ops/contract/contract.h"
#include "ops/contract/source.h"

namespace tputwin {

// to_narrow:   out = saturate(shift(in * multiplier) + offset)
// to_wide:     out = saturate(shift((in - offset) * multiplier))
// f32_narrow:  out = saturate(round(float(in) * scale + offset))
// f32_wide:    out = float(in - offset) * scale
// An integer offset counts by its low 16 bits, signed as the narrow type is.
// shift(v): v * 2^s for s >= 0, v / 2^-s rounded otherwise. Parameters are one number each, or one
// per channel. They are i32, or f32 if they scale or offset fp32.
struct Requantize {
  enum class Kind : uint8_t { to_narrow, to_wide, f32_narrow, f32_wide };
  Kind kind = Kind::to_narrow;
  TensorView out, in;
  // `multiplier` is the scale of the f32 kinds, which have no shift.
  Source multiplier, shift, offset;
  Rounding rounding = Rounding::half_even;     // rounding of the result
  Rounding in_rounding = Rounding::half_even;  // rounding of float(in)
};
std::string_view to_string(Requantize::Kind kind);

// Returns one element. multiplier, shift and offset are given as bits.
int32_t element(const Requantize& op, int64_t in, int32_t multiplier, int32_t shift,
                int32_t offset);

TW_OPERATION(Requantize);

}  // namespace tputwin
