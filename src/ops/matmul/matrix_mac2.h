// matrix_mac2: the fixed 256x256x256 product whose sums are folded bytes.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// s = sum over k of left(0,i,0,k) * right(j, k/16, 0, k%16);  (right holds the transposed factor)
// res(0,i,0,j) = ((s & 255) + ((s >> 8) & 255)) & 255
struct MatrixMac2 {
  TensorView res, left;  // (1,256,1,256)
  TensorView right;      // (256,16,1,16)
};

TW_OPERATION(MatrixMac2);

}  // namespace tputwin
