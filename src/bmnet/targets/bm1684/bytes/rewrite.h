// The float net of a net of bytes, rewritten before it is quantized.
#pragma once

#include <bmnet/calibration.pb.h>

#include "bmnet/ir/network.h"

namespace tputwin::net::bm1684 {

// Joins layer normalizations, simplifies the net, and divides long attention, as for floats. Layers
// that compute bytes keep them. Returns the table of the new net. It gives new tensors thresholds
// that follow from those of `table`; tensors that are never bytes have 1.
Result<NetCalibrationParameter> rewrite(Network& network, const NetCalibrationParameter& table);

}  // namespace tputwin::net::bm1684
