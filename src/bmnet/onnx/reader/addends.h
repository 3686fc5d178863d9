// Sums that a softmax is of: attention scores and their mask.
//
// A mask of -10000 or minus infinity, as an int8 tensor's range, would leave no steps for the
// scores. The softmax, which the host computes in floats, adds the mask itself.
#pragma once

#include <optional>
#include <string>

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {

struct Addends {
  std::string x;                // the tensor that is left
  std::string tensor;           // what is added: a tensor of the same shape, or
  std::optional<Blob> weights;  // constants, whose extents are 1 or those of x; or nothing
};

// If `tensor` is a sum, or a view of one, that no scale of the file quantizes.
std::optional<Addends> addends_of(Node& node, const std::string& tensor);

// Removes the sums of `graph.unused_sums` that nothing reads any more. Those that are read and have
// infinite constants are refused.
void remove_unused_sums(Graph& graph, const std::vector<std::string>& outputs);

}  // namespace tputwin::net::onnx_reader
