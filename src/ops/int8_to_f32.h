// int8_to_f32: 8-bit integers as fp32 numbers.
#pragma once

#include "ops/contract.h"

namespace tputwin {

// out = in, exactly. `words` are the 32-bit words that `in` lies in, dummy bytes included; `work`
// receives a copy of them, of signed sources with the sign bit of every byte inverted.
struct Int8ToF32 {
  TensorView out, in;
  TensorView words, work;  // b32, of one shape
};

TW_OPERATION(Int8ToF32);

}  // namespace tputwin
