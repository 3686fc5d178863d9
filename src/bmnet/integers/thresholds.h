// The thresholds of a net's tensors, from its table.
#pragma once

#include <bmnet/calibration.pb.h>

#include <set>
#include <string>
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

// Returns the tensors for which resolve_thresholds() finds no threshold, those among them that have
// the threshold of such an input.
std::set<std::string> tensors_without_threshold(const Network& network,
                                                const NetCalibrationParameter& table);

// Makes layers fp32 whose results have no threshold, if no later layer has one: the end of a
// quantized net behind its last scale. The results of other layers need scales.
void keep_unscaled_end_in_floats(const Network& network, NetCalibrationParameter& table);

}  // namespace tputwin::net
