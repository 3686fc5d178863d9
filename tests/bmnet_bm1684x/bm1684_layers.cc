// Single layers on the BM1684.
#include <gtest/gtest.h>

#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/nets.h"

namespace tputwin::net::testing {
namespace {

class Bm1684Layer : public ::testing::TestWithParam<LayerCase> {};

TEST_P(Bm1684Layer, AgreesWithFloatExecution) {
  const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
  const LayerCase& c = GetParam();
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    auto network = random_net(net_of(c), {{"y", c.blobs}}, seed);
    ASSERT_TRUE(network.ok()) << network.status().message();
    EXPECT_EQ(compare(*network, DType::f32, 1e-5f, seed), "") << "fp32, seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Bm1684Layer, ::testing::ValuesIn(layer_cases()));

}  // namespace
}  // namespace tputwin::net::testing
