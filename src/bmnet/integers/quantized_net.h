// An int8 net with the integers of its layers. Both lists have the same indices.
#pragma once

#include <string_view>
#include <vector>

#include "bmnet/integers/integers.h"
#include "bmnet/ir/network.h"

namespace tputwin::net {

struct QuantizedNet {
  Network network;
  std::vector<LayerIntegers> integers;

  // Returns the threshold of a tensor as its producer has it; 0 if it has none.
  float threshold_of(std::string_view tensor) const;
};

}  // namespace tputwin::net
