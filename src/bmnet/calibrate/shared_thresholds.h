// Adjustment of thresholds of single tensors, so that the integers can work with them.
#pragma once

#include <map>
#include <set>
#include <string>

#include "bmnet/ir/network.h"

namespace tputwin::net {

using TensorThresholds = std::map<std::string, float, std::less<>>;

// Names of concatenations whose inputs keep their own thresholds.
using KeptInputs = std::set<std::string>;
// Names of layers that the host computes in floats. Their results keep their own thresholds.
using LeftLayers = std::set<std::string>;

// Adjusts the thresholds in three steps. ReLU and ops that move bytes use their input's threshold.
// Then, from the last op to the first, a concatenation gives its result's threshold to inputs
// without other readers, and rescales the others. Finally every result's threshold is raised until
// the op's multipliers exist (max|w| * T_x / T_y < 128), if `limits_multipliers`.
void share_thresholds(const Network& network, TensorThresholds& thresholds,
                      const KeptInputs& kept = {}, const LeftLayers& left = {},
                      bool limits_multipliers = true);

// Returns true if only plain ReLU reads the tensor. Its values below zero have no effect.
bool feeds_relu_only(const Network& network, const std::string& tensor);

}  // namespace tputwin::net
