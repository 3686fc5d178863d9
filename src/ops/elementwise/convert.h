// convert: conversion between number types, and rounding to whole numbers.
#pragma once

#include "numerics/rounding.h"
#include "ops/contract/contract.h"

namespace tputwin {

// cast:  out = the value of out's type nearest to in (numerics/convert.h); by DMA, which the BM1684
//        has, NaN become the largest integer
// whole: in rounded to a whole number of its own floating-point type
struct Convert {
  enum class Kind : uint8_t { cast, whole };
  Kind kind = Kind::cast;
  Rounding rounding = Rounding::half_even;
  TensorView out, in;
  Engine engine = Engine::compute;
};

TW_OPERATION(Convert);

// One element, from its bits to the result's, as Memory::read() and Memory::write() pass them.
int32_t convert_element(const Convert& op, int32_t bits);

}  // namespace tputwin
