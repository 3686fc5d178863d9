// Equalization of channel ranges. One scale for all weights of a layer is poor if channels differ
// much, as in depthwise layers after folding. An output channel of one layer can be divided by a
// factor if the next layer's weights for it are multiplied by the factor. This does not change the
// float net if only ReLU, PReLU and pooling are between the two.
#pragma once

#include <bmnet/calibration.pb.h>

#include "bmnet/ir/network.h"

namespace tputwin::net {

// Equalizes blobs of convolutions and inner products in place. The net must be folded and float.
// Tensors that have thresholds in `known`, from a quantized file, keep their values.
void equalize(Network& network, const NetCalibrationParameter& known = {});

}  // namespace tputwin::net
