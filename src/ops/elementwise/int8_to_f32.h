// int8_to_f32: 8-bit integers as fp32 numbers.
#pragma once

#include "ops/contract/contract.h"

namespace tputwin {

// out = in, exactly. `words` are the 32-bit words that `in` lies in, dummy bytes included; `work`
// receives a copy of them, of signed sources with the sign bit of every byte inverted. The copy is
// what is converted, so that `out` may cover `in`.
struct Int8ToF32 {
  TensorView out, in;
  TensorView words, work;  // b32, of one shape

  // The bytes of the copy that stand for the elements of `in`.
  TensorView copy() const;
};

TW_OPERATION(Int8ToF32);

}  // namespace tputwin
