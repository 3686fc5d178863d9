// Layers that become part of others, without a change of results.
#pragma once

#include <vector>

#include "bmnet/ir/network.h"
#include "bmnet/quantize/integers.h"

namespace tputwin::net {

// An int8 net with the integers of its layers, index by index.
struct QuantisedNet {
  Network network;
  std::vector<LayerIntegers> integers;
};

// A ReLU without slope behind the only layer that makes its input becomes that layer's
// do_activation. The chip's own ReLU bit of convolutions is not used: it would make the result
// unsigned.
void fuse_relu(QuantisedNet& net);

}  // namespace tputwin::net
