// Kinds of tensors that are floats in the net: real numbers, integers or booleans in ONNX.
#pragma once

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {

// Refuses operators other than MaxPool behind a Pad with -inf or the lowest float.
void require_no_lowest_pads(const Node& node);
// Refuses operators whose results on integers ONNX cuts to integers.
void require_kinds(const Node& node);
struct KindOfResults {
  ValueKind kind = ValueKind::real;
  int integer_type = 0;
};
// Returns the kind of the node's results.
KindOfResults kind_of_results(const Node& node);
// Replaces a quotient, rest or power of integers by operators on floats that give the same. Returns
// false if the node is none of that, or its integers may be too large for it.
bool compute_whole(Node& node);
// Integers of 8 and 16 bits wrap. Replaces arithmetic on them by arithmetic on int32, and a Cast
// of the result, and comparisons by those of int32. Returns false if the node is none of that.
bool widen(Node& node);

}  // namespace tputwin::net::onnx_reader
