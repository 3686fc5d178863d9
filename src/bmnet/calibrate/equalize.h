// Ranges of channels made equal: one scale for all weights of a layer is poor where channels differ
// much, as in depthwise layers after folding. Dividing an output channel of one layer and
// multiplying what reads it in the next changes nothing in the float net, as long as only ReLU,
// PReLU and pooling lie between.
#pragma once

#include <bmnet/calibration.pb.h>

#include "bmnet/ir/network.h"

namespace tputwin::net {

// Blobs of convolutions and inner products, in place. The net is folded and float. Tensors that
// `known` has thresholds of, those of a quantized file, keep their values.
void equalize(Network& network, const NetCalibrationParameter& known = {});

}  // namespace tputwin::net
