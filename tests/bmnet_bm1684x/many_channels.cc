// Layers of more channels, weights or elements of an axis than a lane or a command holds, on both
// chips in all their types.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/support.h"

namespace tputwin::net::testing {
namespace {

struct Limits {
  float fp32 = 2e-5f, fp16 = 4e-3f, bytes = 4e-2f;
};

// Compares in all types of both chips. A tolerance of 0 leaves a type out.
void expect_values(const Network& network, const Limits& limits, const std::string& what) {
  for (const bm1684x::Target* target : {&bm1684x::bm1684x_target(), &bm1684::bm1684_target()}) {
    const bm1684x::ScopedTarget scope(*target);
    for (const auto& [type, tolerance] : {std::pair(DType::f32, limits.fp32),
                                          {DType::f16, limits.fp16},
                                          {DType::i8, limits.bytes}}) {
      if (tolerance == 0 || !target->has_type(type)) continue;
      EXPECT_EQ(compare(network, type, tolerance, 1), "")
          << what << " on the " << target->chip.name << " in " << to_string(type);
    }
  }
}

Network net_of(const std::vector<int64_t>& input, const std::string& layer,
               const std::vector<std::vector<int64_t>>& blobs) {
  std::string shape;
  for (const int64_t d : input) shape += " dim: " + std::to_string(d);
  auto network =
      random_net("layer { name: 'x' type: 'Input' top: 'x' input_param { shape {" + shape +
                     " } } } layer { name: 'y' bottom: 'x' top: 'y' " + layer + " }",
                 {{"y", blobs}}, 5);
  EXPECT_TRUE(network.ok()) << network.status().message();
  return *network;
}

std::string convolution_of(int outputs, const std::string& parameters, const char* type = "") {
  return fmt::format("type: '{}onvolution' convolution_param {{ num_output: {} {} }}",
                     *type == 0 ? "C" : type, outputs, parameters);
}

TEST(HeavyConvolution, HasTheValuesOfFloatExecution) {
  expect_values(
      net_of({1, 900, 7, 6}, convolution_of(5, "kernel_size: 9 pad: 3"), {{5, 900, 9, 9}, {5}}),
      {5e-5f, 8e-3f, 6e-2f}, "sums of channels");
  expect_values(net_of({1, 1800, 6, 5}, convolution_of(4, "kernel_size: 9 pad: 4 group: 2"),
                       {{4, 900, 9, 9}, {4}}),
                {5e-5f, 8e-3f, 6e-2f}, "groups");
  expect_values(net_of({1, 900, 3, 4}, convolution_of(5, "kernel_size: 9 stride: 2 pad: 3", "Dec"),
                       {{900, 5, 9, 9}, {5}}),
                {5e-5f, 8e-3f, 0.1f}, "a deconvolution");
  expect_values(
      net_of({1, 4200, 3, 3}, convolution_of(3, "kernel_size: 1"), {{3, 4200, 1, 1}, {3}}),
      {5e-5f, 8e-3f, 6e-2f}, "channels of a command");
}

TEST(HeavyConvolution, KeepsItsRelu) {
  const std::string net =
      "layer { name: 'x' type: 'Input' top: 'x' input_param { shape { dim: 1 dim: 900 dim: 5 dim: "
      "5 "
      "} } } layer { name: 'y' bottom: 'x' top: 'y' " +
      convolution_of(5, "kernel_size: 9 pad: 4") +
      " } layer { name: 'z' type: 'ReLU' bottom: 'y' top: 'z' }";
  auto network = random_net(net, {{"y", {{5, 900, 9, 9}, {5}}}}, 5);
  ASSERT_TRUE(network.ok()) << network.status().message();
  expect_values(*network, {5e-5f, 8e-3f, 6e-2f}, "ReLU");
}

TEST(LongInnerProduct, HasTheValuesOfFloatExecution) {
  for (const int64_t samples : {1, 3, 12}) {
    constexpr int64_t kLength = 70000, kOutputs = 6;
    TensorOp op;
    set_type(op, Op::inner_product);
    auto& p = *op.mutable_tg_inner_product_param();
    p.set_num_output(kOutputs);
    p.set_bias_term(true);
    p.set_weight_transpose(true);
    p.set_do_activation(samples == 3);
    const auto network =
        layer_net(op, {{samples, kLength}},
                  {random_blob({kOutputs, kLength}, 3, -1, 1), random_blob({kOutputs}, 4, -1, 1)});
    ASSERT_TRUE(network.ok()) << network.status().message();
    expect_values(*network, {1e-4f, 8e-3f, 0.15f}, fmt::format("{} samples", samples));
  }
}

// A lane holds a row of 16 bits, but not both matrices.
TEST(LongMatrixProduct, HasTheValuesOfFloatExecution) {
  TensorOp op;
  set_type(op, Op::matmul);
  expect_values(*layer_net(op, {{2, 10, 40000}, {2, 40000, 5}}, {}), {1e-4f, 8e-3f, 1e-4f},
                "a product of tensors");
}

TEST(ManyChannels, AreRanges) {
  for (const int64_t channels : {5000, 70000}) {
    const std::string what = fmt::format("{} channels", channels);
    TensorOp scale;
    set_type(scale, Op::scale);
    scale.mutable_tg_scale_param()->set_axis(1);
    scale.mutable_tg_scale_param()->set_bias_term(true);
    expect_values(
        *layer_net(scale, {{2, channels, 2, 1}},
                   {random_blob({channels}, 3, -1, 1), random_blob({channels}, 4, -1, 1)}),
        {}, "scale of " + what);
    TensorOp prelu;
    set_type(prelu, Op::prelu);
    prelu.mutable_tg_prelu_param()->set_channel_shared(false);
    expect_values(*layer_net(prelu, {{1, channels, 2, 2}}, {random_blob({channels}, 3, -1, 1)}), {},
                  "PReLU of " + what);
    const std::string pool = "type: 'Pooling' pooling_param { pool: AVE kernel_size: 2 }";
    expect_values(net_of({1, channels, 2, 3}, pool, {}), {}, "average of " + what);
    TensorOp resample;
    set_type(resample, Op::resample);
    auto& sums = *resample.mutable_tg_resample_param();
    sums.set_row_taps(2);
    for (const uint32_t row : {0, 0, 0, 1, 0, 1, 1, 1}) sums.add_row_source(row);
    for (const float weight : {0.5f, 0.5f, 0.75f, 0.25f, 0.25f, 0.75f, 0.5f, 0.5f})
      sums.add_row_weight(weight);
    sums.add_column_source(0);
    sums.add_column_weight(1);
    expect_values(*layer_net(resample, {{1, channels, 2, 1}}, {}), {}, "resampled " + what);
    const std::string interp = "type: 'Interp' interp_param { height: 4 width: 3 }";
    expect_values(net_of({1, channels, 2, 2}, interp, {}), {}, "interpolated " + what);
  }
}

// Rows of few elements take more copies of a lane than long ones.
TEST(ManyStandardizedRows, HaveTheValuesOfFloatExecution) {
  constexpr int64_t kChannels = 70000;
  TensorOp op;
  set_type(op, Op::standardize);
  op.mutable_tg_standardize_param()->set_centered(true);
  op.mutable_tg_standardize_param()->set_eps(0.1f);
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{1, kChannels, 2, 2}, {2, kChannels, 3}, {2, kChannels, 1, 1}})
    for (const int axis : {1, 2}) {
      if (axis == 1 && shape[0] == 1) continue;
      op.mutable_tg_standardize_param()->set_axis(2);
      op.mutable_tg_standardize_param()->set_per_channel(axis == 1);
      std::vector<Blob> blobs;
      if (axis == 2)
        blobs = {random_blob({kChannels}, 5, 0.5f, 2), random_blob({kChannels}, 6, -1, 1)};
      expect_values(*layer_net(op, {shape}, blobs), {2e-5f, 8e-3f, 5e-2f},
                    fmt::format("{}, axis {}", text(shape), axis));
    }
}

TEST(ManyNormalizedChannels, HaveTheValuesOfFloatExecution) {
  TensorOp op;
  set_type(op, Op::lrn);
  op.mutable_tg_lrn_param()->set_alpha(0.3f);
  expect_values(*layer_net(op, {{1, 1500, 3, 2}}, {}), {}, "across channels");
  const std::string within =
      "type: 'LRN' lrn_param { norm_region: WITHIN_CHANNEL local_size: 5 alpha: 0.4 }";
  expect_values(net_of({2, 5, 9, 6}, within, {}), {2e-5f, 4e-3f, 0.1f}, "within a channel");
}

TEST(LongColumns, HaveTheValuesOfFloatExecution) {
  for (const bool is_log : {true, false})
    for (const int64_t extent : {3000, 20000}) {
      TensorOp op;
      set_type(op, Op::softmax);
      op.mutable_tg_softmax_param()->set_axis(1);
      op.mutable_tg_softmax_param()->set_log(is_log);
      expect_values(*layer_net(op, {{2, extent, 3}}, {}), {5e-5f, 4e-3f, 5e-2f},
                    fmt::format("softmax of {}", extent));
    }
}

TEST(LongRows, HaveTheValuesOfFloatExecution) {
  TensorOp softmax;
  set_type(softmax, Op::softmax);
  softmax.mutable_tg_softmax_param()->set_axis(1);
  expect_values(*layer_net(softmax, {{3, 140000}}, {}), {5e-5f, 4e-3f, 5e-2f}, "softmax");
  TensorOp turn;
  set_type(turn, Op::permute);
  for (const uint32_t axis : {0u, 2u, 1u, 3u}) turn.mutable_tg_permute_param()->add_order(axis);
  expect_values(*layer_net(turn, {{1, 70000, 9, 1}}, {}), {}, "permutation");
  for (const auto kind :
       {::bmnet::TGReductionParameter::ASUM, ::bmnet::TGReductionParameter::MAX}) {
    TensorOp op;
    set_type(op, Op::reduction);
    op.mutable_tg_reduction_param()->set_axis(2);
    op.mutable_tg_reduction_param()->set_operation(kind);
    expect_values(*layer_net(op, {{1, 70000, 1, 2}}, {}), {2e-5f, 8e-3f, 5e-2f}, "reduction");
  }
}

}  // namespace
}  // namespace tputwin::net::testing
