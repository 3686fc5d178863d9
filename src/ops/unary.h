// unary: absolute value, negation and their like, of any type.
#pragma once

#include "ops/contract.h"
#include "ops/source.h"

namespace tputwin {

struct Unary {
  TensorView out;
};

TW_OPERATION(Unary);

}  // namespace tputwin
