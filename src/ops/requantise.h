// requantise: scaling between wide and narrow integers.
#pragma once

#include "ops/contract.h"
#include "ops/source.h"

namespace tputwin {

struct Requantise {
  TensorView out;
};

TW_OPERATION(Requantise);

}  // namespace tputwin
