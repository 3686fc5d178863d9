// Layers of detectors that the host computes.
#pragma once

#include "bmnet/ir/network.h"

namespace tputwin::net::bm1684x {

// Turns the ends of SSD and YOLO, and the regions of Faster R-CNN, into operators of the host.
// Priors, which follow from shapes, become constants.
Status place_detectors(Network& network);

}  // namespace tputwin::net::bm1684x
