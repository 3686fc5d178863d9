// gather: elements and rows picked by index.
#pragma once

#include "ops/contract.h"
#include "ops/source.h"

namespace tputwin {

struct Gather {
  Engine engine = Engine::compute;
  TensorView out;
};

TW_OPERATION(Gather);

}  // namespace tputwin
