// Largest magnitudes of integers. Tensors hold integers as fp32 numbers, exactly up to 2^24.
#pragma once

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {

// Returns a bound of the magnitudes of the node's results, which are integers or booleans; infinity
// if none is known.
double magnitude_of_results(const Node& node);
// Returns true if quotients, rests or powers of the node's integers are exact in floats.
bool has_small_integers(const Node& node);
// Returns true if the node computes with integers, and nothing is known that keeps the results
// below 2^24.
bool may_exceed_fp32(const Node& node);

}  // namespace tputwin::net::onnx_reader
