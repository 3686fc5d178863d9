// Integer tensors of ONNX that are floats in the net: quantized values, positions, bytes of an
// input.
#pragma once

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {

// Kinds of integers that the inputs of a node hold. Results of most operators hold the same kinds.
class Integers {
 public:
  // Refuses an operator that would compute with the values as integers.
  explicit Integers(const Node& node);
  void pass(Node& node) const;

 private:
  std::optional<Quantization> quantization_;
  int64_t positions_ = 0;
  bool is_bytes_ = false, is_signed_ = false;
};

// Replaces an operator that computes with bytes of an input, or with integers of quantized tensors,
// by the operator on Casts to these integers. Returns false for others.
bool compute_integers(Node& node);

}  // namespace tputwin::net::onnx_reader
