// Layers whose results are weighted sums of rows and columns of their input.
#pragma once

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {

// Sources and weights of one axis. All outputs have the same number of taps.
struct AxisTaps {
  int64_t taps = 1, outputs = 0;
  std::vector<int64_t> source;
  std::vector<float> weight;
  void add(int64_t from, double by) {
    source.push_back(from);
    weight.push_back(static_cast<float>(by));
  }
};

// Adds the layer and returns its result. `what` is appended to the node's name.
std::string resample(Node& node, const std::string& x, const AxisTaps& rows,
                     const AxisTaps& columns, std::string_view what);

}  // namespace tputwin::net::onnx_reader
