// sequence: arithmetic sequences.
#pragma once

#include "ops/contract.h"
#include "ops/source.h"

namespace tputwin {

struct Sequence {
  TensorView out;
};

TW_OPERATION(Sequence);

}  // namespace tputwin
