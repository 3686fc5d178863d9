// Outputs that concatenations join from parts with very different ranges.
//
// An int8 tensor has one threshold. In the last concatenation of a detector, with boxes up to 640
// and scores up to 1, every score would become 0. Such a concatenation is computed in floats: the
// host dequantizes each part with its own threshold, and the output holds floats.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "bmnet/ir/network.h"

namespace tputwin::net {

// An output, the layers that join it (concatenations and moves without other readers), and the
// tensors that these layers read.
struct JoinedOutput {
  std::string output;
  std::set<std::string> layers;
  std::vector<std::string> parts;
};

// Returns the outputs that a concatenation contributes to.
std::vector<JoinedOutput> joined_outputs(const Network& network);

// Returns true if the largest threshold of the parts exceeds kMixedRatio times the smallest. Fewer
// than 128 / kMixedRatio steps would remain for the part with the smallest threshold.
constexpr float kMixedRatio = 16;
bool is_mixed(const JoinedOutput& output,
              const std::function<float(const std::string& tensor)>& threshold);

}  // namespace tputwin::net
