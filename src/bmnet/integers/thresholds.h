// The thresholds of a net's tensors, from its table.
#pragma once

#include <bmnet/calibration.pb.h>

#include <vector>

#include "bmnet/ir/network.h"

namespace tputwin::net {

struct LayerThresholds {
  std::vector<float> x, y;  // one per bottom, one per top
};

// One per op. The rules of resolve(): the entry's blob_param of the top's Caffe name, else its
// threshold_y[i]; ops that move bytes and plain ReLU take over their input's.
Result<std::vector<LayerThresholds>> resolve_thresholds(const Network& network,
                                                        const NetCalibrationParameter& table);

}  // namespace tputwin::net
