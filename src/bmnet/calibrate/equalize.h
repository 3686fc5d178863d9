// Ranges of channels made equal: one scale for all weights of a layer is poor where channels differ
// much, as in depthwise layers after folding. Dividing an output channel of one layer and
// multiplying what reads it in the next changes nothing in the float net, as long as only ReLU,
// PReLU and pooling lie between.
#pragma once

#include "bmnet/ir/network.h"

namespace tputwin::net {

// Blobs of convolutions and inner products, in place. The net is folded and float.
void equalize(Network& network);

}  // namespace tputwin::net
