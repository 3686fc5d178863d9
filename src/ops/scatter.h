// scatter: elements and rows put where an index says.
#pragma once

#include "ops/contract.h"
#include "ops/source.h"

namespace tputwin {

struct Scatter {
  Engine engine = Engine::compute;
  TensorView out;
};

TW_OPERATION(Scatter);

}  // namespace tputwin
