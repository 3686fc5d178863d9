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

}  // namespace
}  // namespace tputwin::net::testing
