// Single layers in every type.
#include <gtest/gtest.h>

#include "bmnet_bm1684x/nets.h"

namespace tputwin::net::testing {
namespace {

class Bm1684xLayer : public ::testing::TestWithParam<LayerCase> {};

TEST_P(Bm1684xLayer, AgreesWithFloatExecution) {
  const LayerCase& c = GetParam();
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    auto network = random_net(net_of(c), {{"y", c.blobs}}, seed);
    ASSERT_TRUE(network.ok()) << network.status().message();
    EXPECT_EQ(compare(*network, DType::f32, 1e-5f, seed), "") << "fp32, seed " << seed;
    EXPECT_EQ(compare(*network, DType::f16, 4e-3f, seed), "") << "fp16, seed " << seed;
    EXPECT_EQ(compare(*network, DType::bf16, 3e-2f, seed), "") << "bf16, seed " << seed;
    EXPECT_EQ(compare(*network, DType::i8, 4e-2f, seed), "") << "int8, seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Bm1684xLayer, ::testing::ValuesIn(layer_cases()));

// Small groups share commands.
TEST(Bm1684xGroups, AreComputedInBlocks) {
  for (const LayerCase& c : layer_cases()) {
    if (std::string(c.name) != "small groups") continue;
    auto network = random_net(net_of(c), {{"y", c.blobs}}, 1);
    ASSERT_TRUE(network.ok()) << network.status().message();
    const NetCalibrationParameter table = largest_values(*network, random_inputs(*network, 1));
    const auto commands = [&](DType type) {
      auto compiled = bm1684x::compile(*network, {.type = type, .table = &table});
      return compiled.ok() ? compiled->program.size() : 0;
    };
    EXPECT_LT(commands(DType::f16), 15u);
    EXPECT_LT(commands(DType::i8), 15u);
    EXPECT_GT(commands(DType::f32), 20u);
    return;
  }
  FAIL() << "no such case";
}

// Concatenations of samples inside one of channels: the samples of the parts follow each other.
TEST(Bm1684xNet, JoinsSamplesBeforeChannels) {
  const auto concat = [](const std::string& top, const std::string& a, const std::string& b,
                         int axis) {
    return "layer { name: \"" + top + "\" bottom: \"" + a + "\" bottom: \"" + b + "\" top: \"" +
           top + "\" type: \"Concat\" concat_param { axis: " + std::to_string(axis) + " } } ";
  };
  const auto function = [](const std::string& top, const std::string& from,
                           const std::string& type) {
    return "layer { name: \"" + top + "\" bottom: \"" + from + "\" top: \"" + top + "\" type: \"" +
           type + "\" } ";
  };
  for (const int samples : {1, 2}) {
    const std::string net =
        "name: \"net\" layer { name: \"data\" type: \"Input\" top: \"data\" input_param { shape { "
        "dim: " +
        std::to_string(samples) + " dim: 3 dim: 4 dim: 5 } } } " + function("a", "data", "TanH") +
        function("b", "data", "Sigmoid") + function("c", "data", "AbsVal") +
        concat("ab", "a", "b", 0) + concat("cb", "c", "b", 0) + concat("all", "ab", "cb", 1) +
        function("y", "all", "ReLU");
    auto network = random_net(net, {}, 1);
    ASSERT_TRUE(network.ok()) << network.status().message();
    EXPECT_EQ(compare(*network, DType::f32, 1e-5f, 1), "") << samples;
  }
}

// Arguments whose exponential exceeds the numbers of the type.
TEST(Bm1684xFunctions, HaveLimits) {
  const struct {
    const char* type;
    float low, high;  // at -1000 and 1000
  } kFunctions[] = {{"Sigmoid", 0, 1}, {"TanH", -1, 1}};
  for (const auto& f : kFunctions) {
    auto network = random_net(
        std::string("layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 1 "
                    "dim: 4 } } } layer { name: 'y' type: '") +
            f.type + "' bottom: 'data' top: 'y' }",
        {}, 1);
    ASSERT_TRUE(network.ok());
    for (const DType type : {DType::f32, DType::f16, DType::bf16}) {
      auto compiled = bm1684x::compile(*network, {.type = type});
      ASSERT_TRUE(compiled.ok());
      auto y = run(*compiled, *network, {{"data", {{1, 4}, {-1000, -90, 90, 1000}}}});
      ASSERT_TRUE(y.ok());
      EXPECT_NEAR((*y)[0][0], f.low, 1e-6f) << f.type << " " << to_string(type);
      EXPECT_NEAR((*y)[0][1], f.low, 1e-6f) << f.type << " " << to_string(type);
      EXPECT_NEAR((*y)[0][2], f.high, 1e-6f) << f.type << " " << to_string(type);
      EXPECT_NEAR((*y)[0][3], f.high, 1e-6f) << f.type << " " << to_string(type);
    }
  }
}

// A view between a layer of bytes and a function keeps the scale.
TEST(Bm1684xBytes, PassViews) {
  const std::string net =
      "layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 2 dim: 3 dim: 4 "
      "dim: 5 } } } layer { name: 'c' type: 'Convolution' bottom: 'data' top: 'c' "
      "convolution_param { num_output: 8 kernel_size: 1 } } layer { name: 'r' type: 'Reshape' "
      "bottom: 'c' top: 'r' reshape_param { shape { dim: 2 dim: 160 } } } layer { name: 'y' type: "
      "'ReLU' bottom: 'r' top: 'y' }";
  auto network = random_net(net, {{"c", {{8, 3, 1, 1}, {8}}}}, 1);
  ASSERT_TRUE(network.ok()) << network.status().message();
  EXPECT_EQ(compare(*network, DType::i8, 4e-2f, 1), "");
}

// An input of a wide range has large units. They are no units of a bias alone.
TEST(Bm1684xBytes, BiasesOfZeroWeightsAreExact) {
  const std::string net =
      "layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 1 dim: 3 dim: 4 "
      "dim: 5 } } } layer { name: 'y' type: 'Convolution' bottom: 'data' top: 'y' "
      "convolution_param { num_output: 8 kernel_size: 1 } }";
  auto network = random_net(net, {{"y", {{8, 3, 1, 1}, {8}}}}, 1);
  ASSERT_TRUE(network.ok()) << network.status().message();
  std::ranges::fill(network->blobs.at("y")[0].data, 0.0f);
  const Values inputs{{"data", random_blob({1, 3, 4, 5}, 1, -1e4f, 1e4f)}};
  EXPECT_EQ(compare(*network, DType::i8, 1e-2f, inputs), "");
}

// Products of bytes with and without sign (after a ReLU), of whole tensors and of a value per
// channel.
TEST(Bm1684xBytes, AreMultiplied) {
  for (const bool by_channel : {false, true})
    for (const bool first_is_unsigned : {false, true})
      for (const bool second_is_unsigned : {false, true}) {
        std::string net =
            "layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 2 dim: 3 "
            "dim: 4 dim: 5 } } } layer { name: 'a' type: 'Convolution' bottom: 'data' top: 'a' "
            "convolution_param { num_output: 70 kernel_size: 1 } }";
        net += by_channel ? " layer { name: 'b' type: 'InnerProduct' bottom: 'data' top: 'b' "
                            "inner_product_param { num_output: 70 } }"
                          : " layer { name: 'b' type: 'Convolution' bottom: 'data' top: 'b' "
                            "convolution_param { num_output: 70 kernel_size: 1 } }";
        for (const auto& [name, is_unsigned] :
             {std::pair("a", first_is_unsigned), {"b", second_is_unsigned}})
          if (is_unsigned)
            net += std::string(" layer { name: '") + name + "r' type: 'ReLU' bottom: '" + name +
                   "' top: '" + name + "' }";
        net += by_channel ? " layer { name: 'y' type: 'Scale' bottom: 'a' bottom: 'b' top: 'y' "
                            "scale_param { axis: 0 } }"
                          : " layer { name: 'y' type: 'Eltwise' bottom: 'a' bottom: 'b' top: 'y' "
                            "eltwise_param { operation: PROD } }";
        const int64_t inputs = by_channel ? 60 : 3;
        std::vector<int64_t> weights{70, inputs, 1, 1};
        if (by_channel) weights.resize(2);
        auto network = random_net(net, {{"a", {{70, 3, 1, 1}, {70}}}, {"b", {weights, {70}}}}, 1);
        ASSERT_TRUE(network.ok()) << network.status().message();
        EXPECT_EQ(compare(*network, DType::i8, 4e-2f, 1), "")
            << by_channel << first_is_unsigned << second_is_unsigned;
      }
}

// Columns of a matrix have factors of their own.
TEST(Bm1684xMatrices, AreScaledByColumn) {
  auto network = random_net(
      "layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 65 dim: 31 } } } "
      "layer { name: 'y' type: 'Scale' bottom: 'data' top: 'y' scale_param { bias_term: true } }",
      {{"y", {{31}, {31}}}}, 1);
  ASSERT_TRUE(network.ok()) << network.status().message();
  EXPECT_EQ(compare(*network, DType::f32, 1e-5f, 1), "");
  EXPECT_EQ(compare(*network, DType::f16, 4e-3f, 1), "");
  EXPECT_EQ(compare(*network, DType::i8, 4e-2f, 1), "");
}

// fp16 refuses weights that it cannot hold.
TEST(Bm1684xWeights, MustFitTheType) {
  auto network = random_net(
      "layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 1 dim: 1 dim: 2 "
      "dim: 2 } } } layer { name: 'c' type: 'Convolution' bottom: 'data' top: 'c' "
      "convolution_param { num_output: 1 kernel_size: 1 bias_term: false } }",
      {{"c", {{1, 1, 1, 1}}}}, 1);
  ASSERT_TRUE(network.ok());
  network->blobs["c"][0].data[0] = 1e5f;
  EXPECT_EQ(bm1684x::compile(*network, {.type = DType::f16}).error().code(), "TW-NET-0410");
  EXPECT_TRUE(bm1684x::compile(*network, {.type = DType::bf16}).ok());
}

}  // namespace
}  // namespace tputwin::net::testing
