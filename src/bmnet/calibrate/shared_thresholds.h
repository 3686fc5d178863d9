// Thresholds of tensors on their own -> thresholds that the integers can work with.
#pragma once

#include <map>
#include <set>
#include <string>

#include "bmnet/ir/network.h"

namespace tputwin::net {

using TensorThresholds = std::map<std::string, float, std::less<>>;

// Names of concatenations whose inputs keep their own thresholds.
using KeptInputs = std::set<std::string>;

// ReLU and ops that move bytes take over their input's threshold; then, from the end, a
// concatenation gives its result's threshold to inputs that nothing else reads. Others are rescaled
// by it. At last every result's threshold is raised to where the op's multipliers exist
// (max|w| * T_x / T_y < 128).
void share_thresholds(const Network& network, TensorThresholds& thresholds,
                      const KeptInputs& kept = {});

// The tensor is read by plain ReLU only: what is below zero does not matter.
bool feeds_relu_only(const Network& network, const std::string& tensor);

}  // namespace tputwin::net
