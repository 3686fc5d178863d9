// Sums that a softmax reads: attention scores and their mask.
//
// A mask of -10000 or minus infinity would take up the range of an int8 tensor and leave no steps
// for the scores. Therefore the softmax, which the host computes in floats, adds the mask itself.
#pragma once

#include <optional>
#include <string>

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {

struct Addends {
  std::string x;                // the tensor that is left
  std::string tensor;           // a tensor that is added, or none; and
  std::optional<Blob> weights;  // constants that are added, or none; extents are 1 or those of x
};

// If `tensor` is a sum, or moves of one, that no scale of the file quantizes. Sums of sums are
// taken apart as far as at most one tensor is added.
std::optional<Addends> addends_of(Node& node, const std::string& tensor);

// Returns the part of a Where with -inf that the tensor is, or is moved from.
std::optional<std::string> mask_of(const Graph& graph, const std::string& tensor);

// Removes the tensors of `graph.dispensable` that have no readers left.
void remove_dispensable(Graph& graph, const std::vector<std::string>& outputs);

}  // namespace tputwin::net::onnx_reader
