// copy_add: a copy inside lanes that adds to the old values.
#pragma once

#include "ops/contract/contract.h"

namespace tputwin {

// out = out + in, fp32, by DMA between any start lanes.
struct CopyAdd {
  TensorView out, in;
};

TW_OPERATION(CopyAdd);

}  // namespace tputwin
