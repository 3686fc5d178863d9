// Quantization of a float net with thresholds: weights, biases and slopes in place, and the whole
// table.
#pragma once

#include <bmnet/calibration.pb.h>

#include <vector>

#include "bmnet/integers/float_tensors.h"
#include "bmnet/ir/network.h"

namespace tputwin::net {

// Returns true if a weight that must be an integer in the int8 net has a fraction. Such a net must
// be quantized before it is compiled.
bool has_float_weights(const Network& network);
// Returns true if a layer has weights that are bytes in a net of bytes.
bool has_weights(const Network& network);

// `thresholds` must have the threshold of every tensor, except of those that only move bytes. For
// LRN layers it also needs the blob "sum_sq". The result has an entry for every layer, with all
// integers that resolve() reads. Biases that do not fit 16 bits, and scores of a Softmax with
// coarse steps, become warnings.
//
// The right shift of weights follows bmnet's rule unless biases would saturate. Then it is the
// shift with the least combined error of weights and biases.
Result<NetCalibrationParameter> quantize(Network& network,
                                         const NetCalibrationParameter& thresholds,
                                         std::vector<Error>* warnings = nullptr,
                                         FloatOutputs outputs = FloatOutputs::kept);

}  // namespace tputwin::net
