// Bounds of a tensor's values that follow from the operations before it.
#pragma once

#include <limits>

#include "bmnet/onnx/reader/graph.h"

namespace tputwin::net::onnx_reader {

struct Bounds {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

// Returns the bounds that follow from operations that move, clip, add or average. Others are
// unbounded.
Bounds bounds_of(const Graph& graph, const std::string& tensor);

}  // namespace tputwin::net::onnx_reader
