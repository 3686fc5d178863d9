// sort: sorting in system memory.
#pragma once

#include <optional>

#include "ops/contract/contract.h"

namespace tputwin {

// out(0,0,0,i) = element number i of in in ascending (descending) order, i < the length of out, and
// out_index(0,0,0,i) = its index: the position where it was, or what in_index holds for that
// position. Of equal elements the one with the smaller index comes first.
struct Sort {
  Engine engine = Engine::dma;
  bool descending = false;
  TensorView out, in;
  std::optional<TensorView> out_index, in_index;
};

TW_OPERATION(Sort);

}  // namespace tputwin
