// Quantized operators of ONNX Runtime that are other operators between real numbers.
#include <fmt/format.h>

#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/operators/microsoft/microsoft.h"

namespace tputwin::net::onnx_reader {
namespace {

// Returns the real values of constant integers, with a scale and a zero point for each of `groups`
// parts of equal size, or for each of their columns.
std::vector<float> real_parts(const Node& node, size_t x, size_t scale, size_t zero,
                              int64_t groups) {
  const Constant &q = node.weights(x, "weights"), &s = node.weights(scale, "scale");
  const Constant* z = node.has(zero) ? &node.weights(zero, "zero point") : nullptr;
  const int64_t columns = q.dims.empty() ? 1 : q.dims.back();
  const auto size = static_cast<int64_t>(q.size()), count = static_cast<int64_t>(s.size());
  node.require(groups > 0 && size > 0 && (count == groups || count == groups * columns), "scale",
               text(s.dims), "one for each direction, or for each of its columns");
  node.require(z == nullptr || z->size() == s.size(), "zero point",
               z == nullptr ? "" : text(z->dims), "one for each scale");
  std::vector<float> values;
  for (int64_t i = 0; i < size; ++i) {
    const int64_t group = i / (size / groups);
    const auto from = static_cast<size_t>(count == groups ? group : group * columns + i % columns);
    const double offset = z == nullptr ? 0 : z->at(from);
    values.push_back(static_cast<float>((q.at(static_cast<size_t>(i)) - offset) * s.at(from)));
  }
  return values;
}

}  // namespace

// The convolution of ONNX; its maps may have their channels last.
void expand_qlinear_conv_of_microsoft(Node& node) {
  Expansion made(node);
  made.set(with_channels_first(made, node, made.in(0), [&](const std::string& x) {
    std::vector<std::string> inputs{x};
    for (size_t i = 1; i < node.inputs(); ++i) inputs.push_back(made.in(i));
    const std::string y = made.add("QLinearConv", inputs);
    for (const char* name : {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"})
      made.copy_attribute(name);
    return y;
  }));
}

void expand_nhwc_max_pool(Node& node) {
  Expansion made(node);
  made.set(with_channels_behind(made, node, made.in(0), [&](const std::string& x) {
    const std::string y = made.add("MaxPool", {x});
    for (const char* name :
         {"auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "strides"})
      made.copy_attribute(name);
    return y;
  }));
}

// Inputs: x, weights, bias, their scales, mask_index, their zero points, past.
void expand_qattention(Node& node) {
  Expansion made(node);
  const std::vector<std::string> inputs{real_values(made, 0, 3, 6), real_values(made, 1, 4, 7),
                                        made.in(2), made.in(5), made.in(8)};
  const size_t outputs = node.wants(1) ? 2 : 1;
  const auto results = made.add_many("Attention", inputs, outputs);
  made.nodes().back().set_domain(std::string(kMicrosoft));
  for (const char* name :
       {"num_heads", "unidirectional", "do_rotary", "scale", "mask_filter_value"})
    made.copy_attribute(name);
  for (size_t i = 0; i < outputs; ++i) made.set(results[i], i);
}

// Inputs: tokens, segments, five tables (of tokens, positions, segments, gamma, beta), mask, their
// scales, their zero points.
void expand_qembed_layer_normalization(Node& node) {
  constexpr size_t kTables = 2, kMask = 7, kScales = 8, kZeros = 13;
  Expansion made(node);
  std::vector<std::string> inputs{made.in(0), made.in(1)};
  for (size_t i = 0; i < 5; ++i)
    inputs.push_back(node.has(kTables + i) ? real_values(made, kTables + i, kScales + i, kZeros + i)
                                           : std::string());
  inputs.push_back(made.in(kMask));
  const size_t outputs = node.wants(1) ? 2 : 1;
  const auto results = made.add_many("EmbedLayerNormalization", inputs, outputs);
  made.nodes().back().set_domain(std::string(kMicrosoft));
  made.copy_attribute("epsilon");
  for (size_t i = 0; i < outputs; ++i) made.set(results[i], i);
}

// An LSTM whose matrices are transposed integers: inputs 8 to 11 are scales and zero points of W
// and R. Its inputs stay floats.
void expand_dynamic_quantize_lstm(Node& node) {
  Expansion made(node);
  const auto matrix = [&](size_t input, size_t scale) {
    const Dims& dims = node.dims(input);
    node.require(dims.size() == 3, "W, R", text(dims), "(directions, inputs, 4 * hidden_size)");
    const std::string real = made.reals(dims, real_parts(node, input, scale, scale + 1, dims[0]));
    return made.add("Transpose", {real}, {{"perm", Dims{0, 2, 1}}});
  };
  std::vector<std::string> inputs{made.in(0), matrix(1, 8), matrix(2, 10)};
  for (size_t i = 3; i < 8; ++i) inputs.push_back(made.in(i));
  const auto results = made.add_many("LSTM", inputs, 3);
  for (const char* name : {"activation_alpha", "activation_beta", "activations", "clip",
                           "direction", "hidden_size", "input_forget"})
    made.copy_attribute(name);
  for (size_t i = 0; i < 3; ++i)
    if (node.wants(i)) made.set(results[i], i);
}

}  // namespace tputwin::net::onnx_reader
