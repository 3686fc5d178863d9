// Nets of bytes on the BM1684 equal the int8 interpreter bit for bit.
#include <gtest/gtest.h>

#include "bmnet/targets/bm1684/bytes/quantize.h"
#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/interpreter.h"
#include "bmnet_bm1684x/nets.h"

namespace tputwin::net::testing {
namespace {

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

// Tools that compare every tensor read cells by the scale and the images of each.
TEST(Bm1684Kept, CellsHaveTheValuesOfTheirLayers) {
  const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
  auto network = random_net(
      "input: 'data' input_shape { dim: 6 dim: 3 dim: 5 dim: 4 } "
      "layer { name: 'y' bottom: 'data' top: 'y' type: 'Convolution' "
      "convolution_param { kernel_size: 1 bias_term: false num_output: 4 } }",
      {{"y", {{4, 3, 1, 1}}}}, 1);
  ASSERT_TRUE(network.ok()) << network.status().message();
  const Values inputs = random_inputs(*network, 1);
  const NetCalibrationParameter table = largest_values(*network, inputs);
  auto net = bm1684x::compile(*network, {.type = DType::i8, .table = &table, .keep_all = true});
  ASSERT_TRUE(net.ok()) << net.status().message();
  const auto output = run(*net, *network, inputs);
  ASSERT_TRUE(output.ok()) << output.status().message();
  net->outputs = net->kept;
  const auto kept = run(*net, *network, inputs);
  ASSERT_TRUE(kept.ok()) << kept.status().message();
  const auto cells = std::ranges::find(net->kept, "y/inner", &bm1684x::StreamTensor::name);
  ASSERT_NE(cells, net->kept.end());
  EXPECT_EQ(cells->type, DType::b32);
  std::vector<float> values = (*kept)[static_cast<size_t>(cells - net->kept.begin())];
  ASSERT_GE(values.size(), (*output)[0].size());
  values.resize((*output)[0].size());  // two images of the second cell are empty
  EXPECT_EQ(values, (*output)[0]);
}

INSTANTIATE_TEST_SUITE_P(All, Bm1684Bytes, ::testing::ValuesIn(layer_cases()));

}  // namespace
}  // namespace tputwin::net::testing
