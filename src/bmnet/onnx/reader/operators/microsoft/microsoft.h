// Parts of operators of ONNX Runtime.
#pragma once

#include <string>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {

// Returns the real values of an integer input with its scale and zero point. With a scale for each
// index of an axis, `axis` is that axis.
std::string real_values(Expansion& made, size_t x, size_t scale, size_t zero, int64_t axis = 1);
// Makes y the node's output, as integers of that scale and zero point.
void set_quantized(Expansion& made, const std::string& y, size_t scale, size_t zero);

// Returns what a mask of integers adds to the scores of `length` keys, (samples, 1, queries or 1,
// keys): `mask_filter_value` for the keys that do not count.
std::string mask_bias(Expansion& made, const Node& node, size_t input, int64_t length);
// Returns the sum of a mask and of biases of scores, of which both may be absent.
std::string attention_bias(Expansion& made, const Node& node, size_t mask, size_t bias,
                           int64_t length);

// Applies an operator for maps to one whose channels are the last axis.
template <class Function>
std::string with_channels_behind(Expansion& made, const Node& node, std::string x,
                                 const Function& function) {
  const auto axes = static_cast<int64_t>(node.dims().size());
  Dims to_front{0, axes - 1}, to_back{0};
  for (int64_t axis = 1; axis + 1 < axes; ++axis) {
    to_front.push_back(axis);
    to_back.push_back(axis + 1);
  }
  to_back.push_back(1);
  x = function(made.add("Transpose", {x}, {{"perm", to_front}}));
  return made.add("Transpose", {x}, {{"perm", to_back}});
}

// Applies it to one whose channels are the last axis if the node says so.
template <class Function>
std::string with_channels_first(Expansion& made, const Node& node, std::string x,
                                const Function& function) {
  if (node.integer("channels_last", 0) == 0) return function(x);
  return with_channels_behind(made, node, std::move(x), function);
}

}  // namespace tputwin::net::onnx_reader
