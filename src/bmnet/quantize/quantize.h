// Float net and thresholds -> integers: weights, biases, slopes in place, and the whole table.
#pragma once

#include <bmnet/calibration.pb.h>

#include <vector>

#include "bmnet/ir/network.h"

namespace tputwin::net {

// Whether a weight is a fraction that the int8 net has as an integer: such a net is quantized
// before it is compiled.
bool has_float_weights(const Network& network);

// `thresholds` has the thresholds of every tensor (of those that move bytes it may leave them out),
// for LRN layers also the blob "sum_sq". The result has an entry for every layer, with all integers
// that resolve() reads. Biases that do not fit 16 bits become warnings.
//
// The right shift of weights is that of bmnet's rule, unless biases would saturate at it: then it
// is the shift with the least error that weights and biases cause together.
Result<NetCalibrationParameter> quantize(Network& network,
                                         const NetCalibrationParameter& thresholds,
                                         std::vector<Error>* warnings = nullptr);

}  // namespace tputwin::net
