// l2_function: functions of one operand, defined by 32-bit words of L2-SRAM.
#pragma once

#include "ops/contract/contract.h"

namespace tputwin {

// lookup:     out = table[i], i a byte or the low 8 bits of a word; any 32 bits
// polynomial: r = c[k-1], then r * x + c[i] for i = k-2 .. 0; out = r * x. fp32, every step
//             rounded; c are the k words of the table
struct L2Function {
  enum class Kind : uint8_t { lookup, polynomial };
  Kind kind = Kind::lookup;
  TensorView out, in;
  TensorView table;  // (1,1,1,k), in L2; a lookup has 256 words
};

TW_OPERATION(L2Function);

}  // namespace tputwin
