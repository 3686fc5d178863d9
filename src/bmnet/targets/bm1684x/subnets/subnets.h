// The subnets of a net with operators of the host: which layers each has, and the tensors between
// them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bmnet/ir/network.h"

namespace tputwin::net::bm1684x {

// A subnet: layers of the chip that follow each other, or one operator of the host.
struct SubnetLayers {
  size_t begin = 0, end = 0;  // indices of layers
  bool on_host = false;
  std::vector<std::string> inputs, outputs;
};

// Divides the layers of a net. Tensors are inputs of a subnet if an earlier subnet or the user
// writes them, and outputs if a later one or the user reads them. A subnet of the chip reads the
// tensor that reshapes rename; the host reads each tensor in its own shape.
std::vector<SubnetLayers> divide(const Network& network);

}  // namespace tputwin::net::bm1684x
