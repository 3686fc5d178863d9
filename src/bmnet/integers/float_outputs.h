// Outputs that concatenations put together of parts whose ranges differ much.
//
// An int8 tensor has one threshold. In the last concatenation of a detector, boxes to 640 and
// scores to 1, every score would become 0. Such a concatenation is done in floats: its parts are
// dequantized by the host, each with its own threshold, and the output holds floats.
#pragma once

#include <bmnet/calibration.pb.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "bmnet/ir/network.h"

namespace tputwin::net {

// An output, the layers that put it together (concatenations and moves that nothing else reads),
// and the tensors that these begin with.
struct JoinedOutput {
  std::string output;
  std::set<std::string> layers;
  std::vector<std::string> parts;
};

// Those that a concatenation is part of.
std::vector<JoinedOutput> joined_outputs(const Network& network);

// The largest threshold of the parts is more than kMixedRatio times the smallest: less than
// 128 / kMixedRatio steps would be left for the latter.
constexpr float kMixedRatio = 16;
bool is_mixed(const JoinedOutput& output,
              const std::function<float(const std::string& tensor)>& threshold);

// The network with mixed outputs in floats, its table without their rescaling. A network whose
// table is incomplete stays as it is.
void make_mixed_outputs_float(Network& network, NetCalibrationParameter& table);

}  // namespace tputwin::net
