// lut: table lookup of bytes, one table copy per lane.
#pragma once

#include "ops/contract/contract.h"

namespace tputwin {

// out(n,c,h,w) = table(0, lane of in(n,c,h,w), i div 16, i mod 16), i = in as an unsigned byte.
struct Lut {
  TensorView out, in;
  TensorView table;  // (1,lanes,16,16)
};

TW_OPERATION(Lut);

}  // namespace tputwin
