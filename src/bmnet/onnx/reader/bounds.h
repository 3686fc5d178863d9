// Bounds of a tensor's values that the operations before it guarantee.
#pragma once

#include <limits>

#include "bmnet/onnx/reader/graph.h"

namespace tputwin::net::onnx_reader {

struct Bounds {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

// Looks back through operations that move, cut, sum up or average; anything else is unbounded.
Bounds bounds_of(const Graph& graph, const std::string& tensor);

}  // namespace tputwin::net::onnx_reader
