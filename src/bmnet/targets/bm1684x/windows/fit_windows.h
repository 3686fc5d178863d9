// Windows beyond the fields of commands, and products beyond local memory, as layers that fit.
#pragma once

#include "bmnet/integers/integers.h"
#include "bmnet/ir/network.h"

namespace tputwin::net::bm1684x {

// Replaces layers whose pads, strides or inserted zeros are too large for a command by several
// layers, named LAYER/WHAT. These move elements, or are windows that fit. Results have the same
// values. With a table, tensors between them get thresholds there. Windows that stay too large are
// refused when they are lowered. `type` is that of the net; products are fp32 in nets of bytes.
Status fit_windows(Network& network, NetCalibrationParameter* table, DType type);

}  // namespace tputwin::net::bm1684x
