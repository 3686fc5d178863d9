// Tensors of integers that are floats in the net: quantized values, positions, an input's bytes.
#pragma once

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {

// What the inputs of a node are of; the results of most operators that take them are of the same.
class Integers {
 public:
  // Refuses an operator that would compute with them as integers.
  explicit Integers(const Node& node);
  void pass(Node& node) const;

 private:
  std::optional<Quantization> quantization_;
  int64_t positions_ = 0;
  bool is_bytes_ = false;
};

}  // namespace tputwin::net::onnx_reader
