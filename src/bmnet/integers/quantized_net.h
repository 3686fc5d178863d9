// An int8 net with the integers of its layers, index by index.
#pragma once

#include <string_view>
#include <vector>

#include "bmnet/integers/integers.h"
#include "bmnet/ir/network.h"

namespace tputwin::net {

struct QuantizedNet {
  Network network;
  std::vector<LayerIntegers> integers;

  // Of a tensor, as the op that makes it has it; 0 where nothing tells.
  float threshold_of(std::string_view tensor) const;
};

}  // namespace tputwin::net
