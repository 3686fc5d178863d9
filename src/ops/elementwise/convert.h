// convert: conversion between number types, and rounding to whole numbers.
#pragma once

#include "numerics/rounding.h"
#include "ops/contract/contract.h"

namespace tputwin {

// cast:  out = the value of out's type nearest to in (numerics/convert.h)
// whole: in rounded to a whole number of its own floating-point type
struct Convert {
  enum class Kind : uint8_t { cast, whole };
  Kind kind = Kind::cast;
  Rounding rounding = Rounding::half_even;
  TensorView out, in;
};

// One element, from its bits to the result's, as Memory::read() and Memory::write() pass them.
int32_t element(const Convert& op, int32_t bits);

TW_OPERATION(Convert);

}  // namespace tputwin
