// The thresholds of a net's tensors, from its table.
#pragma once

#include <bmnet/calibration.pb.h>

#include <vector>

#include "bmnet/ir/network.h"

namespace tputwin::net {

struct LayerThresholds {
  std::vector<float> x, y;  // one per bottom, one per top
};

// Returns the thresholds of each op, by the rules of resolve(). A top's threshold is that of the
// entry's blob_param with its Caffe name, or else threshold_y[i]. Ops that move bytes and plain
// ReLU default to the threshold of their input. Floats that the table lacks have `of_floats`.
Result<std::vector<LayerThresholds>> resolve_thresholds(const Network& network,
                                                        const NetCalibrationParameter& table,
                                                        float of_floats = 1.0f);

}  // namespace tputwin::net
