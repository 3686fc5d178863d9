// sort: sorting in system memory.
#pragma once

#include "ops/contract.h"
#include "ops/source.h"

namespace tputwin {

struct Sort {
  Engine engine = Engine::compute;
  TensorView out;
};

TW_OPERATION(Sort);

}  // namespace tputwin
