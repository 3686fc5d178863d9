// rearrange: copies that permute, repeat or refold dimensions.
#pragma once

#include "ops/contract.h"
#include "ops/source.h"

namespace tputwin {

struct Rearrange {
  Engine engine = Engine::compute;
  TensorView out;
};

TW_OPERATION(Rearrange);

}  // namespace tputwin
