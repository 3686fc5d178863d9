// Layers that become several: softmaxes with addends, and layers whose axis does not fit a lane.
#pragma once

#include "bmnet/targets/bm1684x/lower.h"

namespace tputwin::net::bm1684x {

// Replaces these layers. Values between the new ones are fp32.
void expand_layers(Network& network, Types& types);

// The parts of a long axis that one reduction folds to a value each. A second one folds these.
struct AxisChunks {
  int64_t length = 0;  // of all but the last
  int64_t count = 0;
};
AxisChunks chunks_of(int64_t extent);

}  // namespace tputwin::net::bm1684x
