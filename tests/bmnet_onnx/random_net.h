// Random small nets, and their quantized forms as quantizers like ONNX Runtime's write them.
#pragma once

#include "bmnet_onnx/calibrated.h"
#include "selftest/rng.h"

namespace tputwin::test {

// A float net of maps (1,C,8,8) with one to three outputs: convolutions with and without Relu or
// Clip, residual sums, concatenations of tensors that other layers read, maxima, means, attention
// with a mask, and a last concatenation of boxes and scores.
struct RandomNet {
  onnx::ModelProto model;
  Batches samples;
  std::set<std::string> unquantized;  // tensors that a quantizer skips
  std::string about;                  // its layers, for messages
};
RandomNet random_net(tputwin::testing::Rng& rng);

// Options of a quantizer.
struct QuantizerStyle {
  enum class Types { uint8, int8, symmetric } types = Types::uint8;
  bool operators = false;  // QLinearConv in place of Conv between Q and DQ
  // Removes a Relu or Clip if the integers clip the same values.
  bool removes_activations = true;
};
QuantizerStyle random_style(tputwin::testing::Rng& rng);

// Quantizes with the ranges of the float net over the samples. Every tensor except `unquantized`
// gets a QuantizeLinear and a DequantizeLinear.
Result<onnx::ModelProto> quantized_model(const RandomNet& net, const QuantizerStyle& style);

}  // namespace tputwin::test
