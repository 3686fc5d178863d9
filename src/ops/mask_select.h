// mask_select: elements, or their positions, where a mask is not zero.
#pragma once

#include "ops/contract.h"
#include "ops/source.h"

namespace tputwin {

struct MaskSelect {
  Engine engine = Engine::compute;
  TensorView out;
};

TW_OPERATION(MaskSelect);

}  // namespace tputwin
