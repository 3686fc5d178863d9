// Random small nets, and the same as quantizers of ONNX Runtime's kind write them.
#pragma once

#include "bmnet_onnx/calibrated.h"
#include "selftest/rng.h"

namespace tputwin::test {

// A float net of maps (1,C,8,8): convolutions with and without Relu or Clip, residual sums,
// concatenations of tensors that other layers read, maxima, means, attention with a mask, a last
// concatenation of boxes and scores; one to three outputs.
struct RandomNet {
  onnx::ModelProto model;
  Batches samples;
  std::set<std::string> unquantized;  // tensors that a quantizer leaves alone
  std::string about;                  // what it is made of, for messages
};
RandomNet random_net(tputwin::testing::Rng& rng);

// How a net is quantized.
struct QuantizerStyle {
  enum class Types { uint8, int8, symmetric } types = Types::uint8;
  bool operators = false;  // QLinearConv in place of Conv between Q and DQ
  // Relu and Clip whose effect the integers have are left out.
  bool removes_activations = true;
};
QuantizerStyle random_style(tputwin::testing::Rng& rng);

// Ranges of the float net over the samples become scales; every tensor but `unquantized` gets a
// QuantizeLinear and a DequantizeLinear.
Result<onnx::ModelProto> quantized_model(const RandomNet& net, const QuantizerStyle& style);

}  // namespace tputwin::test
