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

}  // namespace
}  // namespace tputwin::net::testing
