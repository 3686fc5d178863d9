// CPU operators in an int8 net: inputs are dequantized, outputs are quantized.
#include <cstring>

#include "bmnet_int8/net.h"

namespace tputwin::test {
namespace {

TEST(Host, SoftmaxOfBytes) {
  OneLayer layer("tg_softmax");
  layer.op.mutable_tg_softmax_param();
  layer.input({1, 2}, {64, -64}).output({1, 2});
  layer.integers.threshold_x = {2};
  layer.integers.threshold_y = {1};
  // e / (e + 1/e) = 0.8808: 112.74 + 0.5, 15.26 + 0.5
  EXPECT_EQ(layer.run(), (Values{113, 15}));
}

TEST(Host, ResultsAreRoundedToTheNearestAndClamped) {
  OneLayer layer("tg_reduction");
  layer.op.mutable_tg_reduction_param()->set_axis(1);
  layer.input({5, 1}, {-3, 3, -1, 127, -128}).output({5});
  layer.integers.threshold_x = {128};
  layer.integers.threshold_y = {160};
  EXPECT_EQ(layer.run(), (Values{-2, 2, -1, 102, -102}));  // -2.4, 2.4, -0.8, 101.6, -102.4
  layer.integers.threshold_y = {64};
  EXPECT_EQ(layer.run(), (Values{-6, 6, -2, 127, -128}));
  layer.integers.threshold_y = {256};  // ties are rounded up
  EXPECT_EQ(layer.run(), (Values{-1, 2, 0, 64, -64}));
}

// The vendor's ELU adds 0.5 and then truncates; its recorded results require that.
TEST(Host, ThePluginEluCutsTowardsZero) {
  OneLayer layer("ELU");
  layer.op.set_cpu_op(true);
  layer.op.mutable_tg_customized_param()->add_f32_param(0.1F);
  layer.input({4}, {-127, -20, -3, 20}).output({4});
  layer.integers.threshold_x = {13.757675F};
  layer.integers.threshold_y = {13.757675F};
  EXPECT_EQ(layer.run(), (Values{0, 0, 0, 20}));  // -0.93, -0.82, -0.26, 20
}

TEST(Host, FloatResultsAndFloatInputs) {
  OneLayer layer("tg_yolo");
  layer.op.mutable_tg_yolo_param()->set_classes(1);
  layer.input({1, 6, 1, 1}, {0, 0, 64, -64, 0, 0}).output({1, 6, 1, 1}, 4);
  layer.integers.threshold_x = {4};
  auto result = layer.tensors();
  ASSERT_TRUE(result.ok()) << result.status().message();
  float values[6];
  ASSERT_EQ(result->at("out0").size(), sizeof(values));
  std::memcpy(values, result->at("out0").data(), sizeof(values));
  const float expected[] = {0.5, 0.5, 2, -2, 0.5, 0.5};
  for (int i = 0; i < 6; ++i) EXPECT_FLOAT_EQ(values[i], expected[i]);
}

TEST(Host, ABlobIsAnotherInput) {
  OneLayer layer("tg_norm");
  auto* param = layer.op.mutable_tg_norm_param();
  param->set_across_spatial(false);
  param->set_channel_shared(false);
  layer.input({1, 2, 1, 1}, {30, 40}).output({1, 2, 1, 1});
  layer.integers.threshold_x = {128};
  layer.integers.threshold_y = {128};
  layer.blobs = {blob({10, 20})};
  EXPECT_EQ(layer.run(), (Values{6, 16}));
}

}  // namespace
}  // namespace tputwin::test
