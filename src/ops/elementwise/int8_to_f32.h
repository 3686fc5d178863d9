// int8_to_f32: 8-bit integers as fp32 numbers.
#pragma once

#include "ops/contract/contract.h"

namespace tputwin {

// out = in, exactly. `words` are the 32-bit words that contain `in`, with padding bytes. `work`
// receives a copy of them; for signed sources the sign bit of every byte is inverted. The
// conversion reads the copy, so `out` may overlap `in`.
struct Int8ToF32 {
  TensorView out, in;
  TensorView words, work;  // b32, of one shape

  // Returns the bytes of the copy that correspond to the elements of `in`.
  TensorView copy() const;
};

TW_OPERATION(Int8ToF32);

}  // namespace tputwin
