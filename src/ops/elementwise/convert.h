// convert: conversion between number types, and rounding to whole numbers.
#pragma once

#include "numerics/rounding.h"
#include "ops/contract/contract.h"

namespace tputwin {

// cast:  out = the value of out's type nearest to in (numerics/convert.h). DMA commands, which the
//        BM1684 has, convert NaN to the largest integer
// whole: in rounded to a whole number of its own floating-point type
struct Convert {
  enum class Kind : uint8_t { cast, whole };
  Kind kind = Kind::cast;
  Rounding rounding = Rounding::half_even;
  TensorView out, in;
  Engine engine = Engine::compute;
};

TW_OPERATION(Convert);

// Returns one element. Argument and result are bits as in Memory::read() and Memory::write().
int32_t convert_element(const Convert& op, int32_t bits);

}  // namespace tputwin
