// Nets of bytes on the BM1684 equal the int8 interpreter bit for bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bmnet/reference/execute.h"
#include "bmnet/targets/bm1684/bytes/quantize.h"
#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/nets.h"

namespace tputwin::net::testing {
namespace {

using Bytes = std::map<std::string, TensorBytes>;

// Returns the bytes of inputs as the net makes them.
Bytes bytes_of_inputs(const QuantizedNet& net, const Values& inputs) {
  Bytes bytes;
  for (const std::string& name : net.network.inputs()) {
    const float scale = 128 / net.threshold_of(name);
    for (const float x : inputs.at(name).data) {
      const float scaled = std::min(std::max(x * scale, -128.0f), 127.0f);
      bytes[name].push_back(static_cast<uint8_t>(static_cast<int>(std::nearbyint(scaled))));
    }
  }
  return bytes;
}

// Returns "", or the first difference between a compiled net and the interpreter.
std::string difference_from_interpreter(const Network& network, const Values& inputs) {
  const NetCalibrationParameter table = largest_values(network, inputs);
  auto quantized = bm1684::quantized(network, table);
  if (!quantized.ok()) return quantized.status().message();
  auto expected =
      run_int8(quantized->network, quantized->integers, bytes_of_inputs(*quantized, inputs));
  if (!expected.ok()) return expected.status().message();
  for (const Level level : {Level::none, Level::layer_group, Level::weight_optimization}) {
    auto compiled = bm1684x::compile(network, {.type = DType::i8, .table = &table, .level = level});
    if (!compiled.ok()) return compiled.status().message();
    auto actual = run(*compiled, network, inputs);
    if (!actual.ok()) return actual.status().message();
    const std::vector<std::string> outputs = quantized->network.outputs();
    for (size_t i = 0; i < outputs.size(); ++i) {
      const TensorBytes& bytes = expected->at(outputs[i]);
      const float scale = quantized->threshold_of(outputs[i]) / 128;
      for (size_t k = 0; k < bytes.size(); ++k)
        if ((*actual)[i][k] != static_cast<int8_t>(bytes[k]) * scale)
          return fmt::format("level {}, output {} at {}: {} instead of {} * {}",
                             static_cast<int>(level), i, k, (*actual)[i][k],
                             static_cast<int8_t>(bytes[k]), scale);
    }
  }
  return "";
}

// The net of a layer after a convolution, whose results are bytes.
std::string net_after_convolution(const LayerCase& c) {
  std::string net = net_of(c);
  const std::string from = "bottom: \"data\"";
  net.replace(net.find(from), from.size(), "bottom: \"first\"");
  const size_t layer = net.find("layer { name: \"y\"");
  return net.insert(layer,
                    "layer { name: 'first' bottom: 'data' top: 'first' type: 'Convolution' "
                    "convolution_param { kernel_size: 1 bias_term: false num_output: " +
                        std::to_string(c.input[1]) + " } } ");
}

class Bm1684Bytes : public ::testing::TestWithParam<LayerCase> {};

TEST_P(Bm1684Bytes, EqualTheInterpreter) {
  const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
  LayerCase c = GetParam();
  constexpr int64_t kLarge = 50'000;
  const bool is_large = c.input[1] * c.input[2] * c.input[3] > kLarge;
  for (const int64_t samples : {1, 4, 6}) {
    if (is_large && samples != 1) continue;
    c.input[0] = samples;
    const int64_t channels = c.input[1];
    auto network = random_net(net_after_convolution(c),
                              {{"first", {{channels, channels, 1, 1}}}, {"y", c.blobs}},
                              static_cast<uint64_t>(samples));
    ASSERT_TRUE(network.ok()) << network.status().message();
    const TensorOp& op = network->ops[2];
    const bool is_exact = bm1684::computes_bytes(op) || has_trait(op, trait::moves_elements);
    // Results of the convolution that roots and powers are defined for.
    Values inputs = random_inputs(*network, 1);
    for (float& x : inputs.at("data").data) x *= 0.4f;
    EXPECT_EQ(is_exact ? difference_from_interpreter(*network, inputs)
                       : compare(*network, DType::i8, 4e-2f, inputs),
              "")
        << samples << " samples";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Bm1684Bytes, ::testing::ValuesIn(layer_cases()));

}  // namespace
}  // namespace tputwin::net::testing
