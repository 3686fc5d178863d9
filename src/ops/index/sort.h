// sort: sorting in system memory.
#pragma once

#include <optional>

#include "ops/contract/contract.h"

namespace tputwin {

// out(0,0,0,i) = element number i of in in ascending (descending) order, for i below the length of
// out. out_index(0,0,0,i) = the index of that element: its position in in, or the value of in_index
// at that position. Equal elements are in ascending order of their index.
struct Sort {
  Engine engine = Engine::dma;
  bool descending = false;
  TensorView out, in;
  std::optional<TensorView> out_index, in_index;
};

TW_OPERATION(Sort);

}  // namespace tputwin
