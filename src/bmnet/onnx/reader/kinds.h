// Kinds of tensors that are floats in the net: real numbers, integers or booleans in ONNX.
#pragma once

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {

// Refuses operators whose results on integers ONNX cuts to integers.
void require_kinds(const Node& node);
// Returns the kind of the node's results.
ValueKind kind_of_results(const Node& node);

}  // namespace tputwin::net::onnx_reader
