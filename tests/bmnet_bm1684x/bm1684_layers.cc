// Single layers on the BM1684.
#include <gtest/gtest.h>

#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/nets.h"
#include "bmodel/bm168x/model.h"

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

Result<bm1684x::CompiledStream> compiled_function(const std::string& name, DType type) {
  TensorOp op;
  set_type(op, Op::function);
  op.mutable_tg_function_param()->set_name(name);
  TW_ASSIGN_OR_RETURN(network, layer_net(op, {{1, 2, 3, 4}}, {}));
  return bm1684x::compile(network, {.target = &bm1684::bm1684_target(), .type = type});
}

TEST(Bm1684Refusals, NameLayerAndRule) {
  EXPECT_TRUE(compiled_function("exp", DType::f32).ok());
  const auto other = compiled_function("other", DType::f32);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code(), "TW-NET-0410");
  EXPECT_NE(other.error().message().find("layer y"), std::string::npos) << other.error().message();
  EXPECT_NE(other.error().message().find("other"), std::string::npos) << other.error().message();
  EXPECT_EQ(other.error().reference(), "docs/compiler-bm1684.md");
  for (const DType type : {DType::f16, DType::bf16})
    EXPECT_EQ(compiled_function("exp", type).error().code(), "TW-NET-0412");
  EXPECT_EQ(compiled_function("exp", DType::i8).error().code(), "TW-NET-0302");
}

// Runtimes leave addresses below the first weight as they are.
TEST(Bm1684File, HasTheAddressesOfTheChip) {
  constexpr uint64_t kFirstWeight = 0x1'0510'0000;
  auto network = random_net(net_of(layer_cases().front()), {{"y", layer_cases().front().blobs}}, 1);
  ASSERT_TRUE(network.ok());
  auto compiled = bm1684x::compile(*network, {.target = &bm1684::bm1684_target()});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  auto bytes = bm1684x::to_file(*compiled, "net");
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  auto file = bmodel::bm168x::read(*bytes);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->model.chip, "BM1684");
  const auto& stage = *file->model.net.at(0)->parameter.at(0);
  EXPECT_EQ(stage.coeff_mem->address, kFirstWeight);
  EXPECT_GT(stage.ctx_addr, kFirstWeight);
  EXPECT_EQ(stage.cmd_group.at(0)->bdc_cmd_byte, 0u);
}

}  // namespace
}  // namespace tputwin::net::testing
