// Operators on single values or along an axis, and operators that move elements.
#include <numeric>

#include "bmnet_cpu/call.h"

namespace tputwin::test {
namespace {

TEST(CpuOps, NamesOfPlugins) {
  EXPECT_EQ(net::cpu_plugin_name("tg_softmax"), "Softmax");
  EXPECT_EQ(net::cpu_plugin_name("tg_detectoutput"), "DetectOutput");
  EXPECT_EQ(net::cpu_plugin_name("tg_convolution"), "Convolution") << "in floats";
  EXPECT_EQ(net::cpu_plugin_name("tg_concat"), "") << "the TPU moves floats";
  EXPECT_EQ(net::cpu_plugin_name("Softmax"), "") << "no IR type";
  EXPECT_EQ(net::cpu_plugin_name(""), "");
  EXPECT_TRUE(net::has_float_output("tg_yolo"));
  EXPECT_FALSE(net::has_float_output("tg_softmax"));
}

TEST(CpuOps, UnknownTypesAndMissingOperandsAreRefused) {
  CpuCall("tg_convolution").input({1}, {1}).output({1}).expect_refused();
  CpuCall("").input({1}, {1}).output({1}).expect_refused();
  CpuCall("Softmax").output({1}).expect_refused();
}

TEST(Softmax, AlongAnyAxis) {
  const float e = std::exp(1.0F);
  for (const char* type : {"tg_softmax", "Softmax"}) {
    CpuCall call(type);
    call.input({1, 2, 2}, {0, 1000, 1, 1001}).output({1, 2, 2});
    const float small = 1 / (1 + e), large = e / (1 + e);
    expect_near(call.run(), {small, small, large, large});
    call.op.mutable_tg_softmax_param()->set_axis(-1);
    expect_near(call.run(), {0, 1, 0, 1});
    call.op.mutable_tg_softmax_param()->set_axis(3);
    call.expect_refused();
    call.output({1, 2, 3}).expect_refused();
  }
}

TEST(Interp, CornersOnCorners) {
  CpuCall call("tg_interp");
  call.input({1, 1, 2, 2}, {0, 2, 4, 6}).output({1, 1, 3, 3});
  expect_near(call.run(), {0, 1, 2, 2, 3, 4, 4, 5, 6});
  call.output({1, 1, 1, 1});
  expect_near(call.run(), {0});
  call.output({1, 2, 3, 3}).expect_refused();
}

TEST(Interp, NegativePadsCut) {
  CpuCall call("tg_interp");
  Floats ramp(16);
  std::iota(ramp.begin(), ramp.end(), 0.0F);
  call.input({1, 1, 4, 4}, ramp).output({1, 1, 2, 2});
  call.op.mutable_tg_interp_param()->set_pad_beg(static_cast<uint32_t>(-1));
  call.op.mutable_tg_interp_param()->set_pad_end(static_cast<uint32_t>(-1));
  expect_near(call.run(), {5, 6, 9, 10});
  call.output({1, 1, 1, 3});
  expect_near(call.run(), {5, 5.5F, 6});
  call.op.mutable_tg_interp_param()->set_pad_end(static_cast<uint32_t>(-3));
  call.expect_refused();
  call.op.mutable_tg_interp_param()->set_pad_end(1);
  call.expect_refused();
}

TEST(Normalize, AcrossSpaceOrPerPixel) {
  CpuCall call("tg_norm");
  auto* param = call.op.mutable_tg_norm_param();
  call.input({1, 2, 1, 2}, {3, 1, 4, 7}).output({1, 2, 1, 2});
  const float all = std::sqrt(75.0F), right = std::sqrt(50.0F);
  expect_near(call.run(), {3 / all, 1 / all, 4 / all, 7 / all});
  param->set_across_spatial(false);
  param->set_channel_shared(false);
  param->add_scale(10);
  param->add_scale(100);
  expect_near(call.run(), {6, 10 / right, 80, 700 / right}, 1e-3F);
  call.input({2}, {1, 2});  // comes before the parameters
  expect_near(call.run(), {0.6F, 1 / right, 1.6F, 14 / right});
  call.inputs[1] = {{3}, {1, 2, 3}};
  call.expect_refused();
  param->set_channel_shared(true);
  expect_near(call.run(), {0.6F, 1 / right, 0.8F, 7 / right});
}

TEST(Reduction, OperationsAndAxes) {
  using Parameter = bmnet::TGReductionParameter;
  CpuCall call("tg_reduction");
  auto* param = call.op.mutable_tg_reduction_param();
  param->set_axis(1);
  param->set_coeff(2);
  call.input({2, 3}, {1, -2, 3, 4, 5, -6}).output({2});
  expect_near(call.run(), {4, 6});
  param->set_operation(Parameter::ASUM);
  expect_near(call.run(), {12, 30});
  param->set_operation(Parameter::SUMSQ);
  expect_near(call.run(), {28, 154});
  param->set_operation(Parameter::MEAN);
  expect_near(call.run(), {4.0F / 3, 2});
  param->set_axis(0);
  call.expect_refused();
  call.output({1});
  expect_near(call.run(), {10.0F / 6});
}

TEST(Elementwise, EluLeakyReluDequantized) {
  CpuCall elu("ELU");
  elu.input({3}, {-1, 0, 2}).output({3});
  expect_near(elu.run(), {std::exp(-1.0F) - 1, 0, 2});
  elu.op.mutable_tg_activation_param()->add_activation_arg(2);
  expect_near(elu.run(), {2 * std::exp(-1.0F) - 2, 0, 2});
  elu.op.mutable_tg_customized_param()->add_f32_param(3);
  expect_near(elu.run(), {3 * std::exp(-1.0F) - 3, 0, 2});
  CpuCall leaky("LeakyRelu");
  leaky.op.mutable_tg_customized_param()->add_f32_param(0.5F);
  expect_near(leaky.input({3}, {-1, 0, 2}).output({3}).run(), {-0.5F, 0, 2});
  expect_near(CpuCall("Dequantized").input({2}, {-1, 3}).output({2}).run(), {-1, 3});
}

TEST(Moves, TileReversePermute) {
  CpuCall tile("Tile");
  tile.op.mutable_tg_tile_param()->set_tiles(2);
  tile.input({2, 2}, {1, 2, 3, 4}).output({2, 4});
  expect_near(tile.run(), {1, 2, 1, 2, 3, 4, 3, 4});
  tile.output({2, 2}).expect_refused();
  CpuCall reverse("Reverse");
  reverse.input({2, 2}, {1, 2, 3, 4}).output({2, 2});
  expect_near(reverse.run(), {3, 4, 1, 2});
  reverse.op.mutable_tg_reverse_param()->set_axis(1);
  expect_near(reverse.run(), {2, 1, 4, 3});
  CpuCall permute("Permute");
  permute.input({2, 1, 3}, {0, 1, 2, 3, 4, 5}).output({3, 2, 1});
  for (uint32_t axis : {2, 0, 1}) permute.op.mutable_tg_permute_param()->add_order(axis);
  expect_near(permute.run(), {0, 3, 1, 4, 2, 5});
  permute.op.mutable_tg_permute_param()->set_order(1, 2);
  permute.expect_refused();
  permute.op.mutable_tg_permute_param()->set_order(1, 7);
  permute.expect_refused();
  CpuCall twice("Permute");
  for (uint32_t axis : {0, 0}) twice.op.mutable_tg_permute_param()->add_order(axis);
  twice.input({2, 2}, {0, 1, 2, 3}).output({2, 2}).expect_refused();
  CpuCall reversed("Permute0321");
  expect_near(reversed.input({1, 1, 2, 2}, {1, 2, 3, 4}).output({1, 2, 2, 1}).run(), {1, 3, 2, 4});
}

}  // namespace
}  // namespace tputwin::test
