// The interpreter on cases small enough to compute by hand.
#include "base/errors/bmnet.h"
#include "bmnet_int8/net.h"

namespace tputwin::test {
namespace {

// ---- Convolution ----

OneLayer convolution(const std::vector<int64_t>& in, const Values& values,
                     const std::vector<int64_t>& out, int kernel) {
  OneLayer layer("tg_convolution");
  auto* param = layer.op.mutable_tg_convolution_param();
  for (int i = 0; i < 2; ++i) param->add_kernel_size(static_cast<uint32_t>(kernel));
  layer.input(in, values).output(out);
  return layer;
}

TEST(Convolution, OneByOneWithBiasAndShift) {
  auto layer = convolution({1, 2, 1, 2}, {1, 2, 10, -20}, {1, 2, 1, 2}, 1);
  layer.op.mutable_tg_convolution_param()->set_bias_term(true);
  layer.blobs = {blob({1, 2, -3, 100}), blob({1, -1000})};
  layer.integers.right_shift = 1;
  // 1+20+1, 2-40+1; -3+1000-1000, -6-2000-1000
  EXPECT_EQ(layer.run(), (Values{11, -18, -1, -128}));
  layer.op.mutable_tg_convolution_param()->set_do_activation(true);
  EXPECT_EQ(layer.run(), (Values{11, 0, 0, 0}));
}

TEST(Convolution, PadsStrideAndDilation) {
  const Values ramp{1, 2, 3, 4, 5, 6, 7, 8, 9};
  auto layer = convolution({1, 1, 3, 3}, ramp, {1, 1, 2, 2}, 2);
  layer.blobs = {blob({1, 10, 0, 5})};
  EXPECT_EQ(layer.run(), (Values{1 + 20 + 25, 2 + 30 + 30, 4 + 50 + 40, 5 + 60 + 45}));
  auto* param = layer.op.mutable_tg_convolution_param();
  for (int i = 0; i < 2; ++i) param->add_dilation(2);
  *layer.op.mutable_output_shape(0) = make_shape({1, 1, 1, 1});
  EXPECT_EQ(layer.run(), (Values{1 + 30 + 45}));
  // One row of padding above, two columns on the right: the window skips (1,1).
  for (uint32_t pad : {1, 0, 0, 2}) param->add_pad(pad);
  for (int i = 0; i < 2; ++i) param->add_stride(2);
  *layer.op.mutable_output_shape(0) = make_shape({1, 1, 1, 2});
  EXPECT_EQ(layer.run(), (Values{5 * 6, 0}));
}

TEST(Convolution, Groups) {
  auto layer = convolution({1, 4, 1, 1}, {1, 2, 3, 4}, {1, 2, 1, 1}, 1);
  layer.op.mutable_tg_convolution_param()->set_group(2);
  layer.blobs = {blob({1, 10, 2, 20})};
  EXPECT_EQ(layer.run(), (Values{21, 86}));
  auto depthwise = convolution({2, 2, 1, 1}, {1, 2, 3, 4}, {2, 2, 1, 1}, 1);
  depthwise.op.mutable_tg_convolution_param()->set_group(2);
  depthwise.blobs = {blob({5, -7})};
  EXPECT_EQ(depthwise.run(), (Values{5, -14, 15, -28}));
}

TEST(Convolution, Deconvolution) {
  // Each input multiplies the kernel; the products are two pixels apart, and a border of one pixel
  // is cut off.
  auto layer = convolution({1, 1, 1, 2}, {1, 2}, {1, 1, 1, 3}, 3);
  auto* param = layer.op.mutable_tg_convolution_param();
  for (int i = 0; i < 2; ++i) param->add_stride(2);
  for (int i = 0; i < 4; ++i) param->add_pad(1);
  for (int i = 0; i < 2; ++i) param->add_ins(0);
  layer.blobs = {blob({0, 0, 0, 1, 10, 20, 0, 0, 0})};
  EXPECT_EQ(layer.run(), (Values{10, 20 + 2, 20}));
}

TEST(Convolution, ManyTermsStayExact) {
  const int64_t channels = 2000;
  auto layer = convolution({1, channels, 1, 1}, Values(channels, -128), {1, 1, 1, 1}, 1);
  layer.blobs = {blob(std::vector<float>(channels, -128))};
  layer.integers.right_shift = 18;  // 2000 * 2^14 / 2^18
  EXPECT_EQ(layer.run(), (Values{125}));
}

TEST(InnerProduct, BothLayoutsOfTheMatrix) {
  OneLayer layer("tg_inner_product");
  auto* param = layer.op.mutable_tg_inner_product_param();
  param->set_num_output(2);
  layer.input({2, 3, 1, 1}, {1, 2, 3, -1, 0, 1}).output({2, 2});
  layer.blobs = {blob({1, 2, 3, 4, 5, 6}), blob({0, 100})};
  EXPECT_EQ(layer.run(), (Values{14, 127, 2, 102}));
  param->set_weight_transpose(false);
  layer.blobs[0] = blob({1, 4, 2, 5, 3, 6});
  EXPECT_EQ(layer.run(), (Values{14, 127, 2, 102}));
  param->set_bias_term(false);
  EXPECT_EQ(layer.run(), (Values{14, 32, 2, 2}));
}

TEST(Scale, PerChannelAndOverSeveralAxes) {
  OneLayer layer("tg_scale");
  auto* param = layer.op.mutable_tg_scale_param();
  param->set_bias_term(true);
  layer.input({1, 2, 1, 2}, {1, 2, 3, 4}).output({1, 2, 1, 2});
  layer.blobs = {blob({2, 3}), blob({10, -10})};
  EXPECT_EQ(layer.run(), (Values{12, 14, -1, 2}));
  param->set_num_axes(-1);
  layer.blobs = {blob({1, 2, 3, 4}), blob({0, 0, 0, 1})};
  EXPECT_EQ(layer.run(), (Values{1, 4, 9, 17}));
}

// ---- Pooling ----

OneLayer pooling(bool average) {
  OneLayer layer("tg_pooling");
  auto* param = layer.op.mutable_tg_pooling_param();
  if (average) param->set_pool(bmnet::TGPoolingParameter::AVE);
  for (int i = 0; i < 2; ++i) param->add_kernel_size(2), param->add_stride(2);
  for (uint32_t pad : {0, 1, 0, 1}) param->add_pad(pad);
  layer.input({1, 1, 3, 3}, {-1, -2, -3, -4, -5, -6, -7, -8, -9}).output({1, 1, 2, 2});
  return layer;
}

TEST(Pooling, MaxIgnoresThePadding) {
  auto layer = pooling(false);
  EXPECT_EQ(layer.run(), (Values{-1, -3, -7, -9}));
  layer.integers.multiplier = {160};
  layer.integers.right_shift = 8;
  EXPECT_EQ(layer.run(), (Values{-1, -2, -4, -6}));  // -0.625, -1.875, -4.375, -5.625
}

TEST(Pooling, AverageCountsThePaddingAsZeros) {
  OneLayer layer("tg_pooling");
  auto* param = layer.op.mutable_tg_pooling_param();
  param->set_pool(bmnet::TGPoolingParameter::AVE);
  for (int i = 0; i < 2; ++i) param->add_kernel_size(2), param->add_stride(2);
  for (int i = 0; i < 4; ++i) param->add_pad(1);
  layer.input({1, 1, 4, 4}, {-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15, -16})
      .output({1, 1, 3, 3});
  layer.integers.multiplier = {64};
  layer.integers.right_shift = 8;
  // quarters of -1, -5, -4, -14, -34, -20, -13, -29, -16, ties rounded up
  EXPECT_EQ(layer.run(), (Values{0, -1, -1, -3, -8, -5, -3, -7, -4}));
}

TEST(Pooling, WindowsOverTheEdgeHaveMultipliersOfTheirOwn) {
  auto layer = pooling(true);
  layer.integers.multiplier = {64};
  layer.integers.right_shift = 8;
  layer.integers.overhanging = {{128, 8}, {128, 8}, {128, 7}};  // last column, last row, corner
  EXPECT_EQ(layer.run(), (Values{-3, -4, -7, -9}));             // -12/4, -9/2, -15/2, -9
}

// ---- Activations ----

TEST(Activation, Relu) {
  OneLayer layer("tg_activation");
  layer.op.mutable_tg_activation_param();
  layer.input({1, 4}, {-128, -1, 0, 127}).output({1, 4});
  EXPECT_EQ(layer.run(), (Values{0, 0, 0, 127}));
  layer.op.mutable_tg_activation_param()->add_activation_arg(0.1F);
  layer.integers = {.gt_scale = 64, .gt_shift = 6, .le_scale = 102, .le_shift = 10};
  EXPECT_EQ(layer.run(), (Values{-13, 0, 0, 127}));  // -12.75, -0.0996
}

TEST(Activation, PreluHasASlopePerChannel) {
  OneLayer layer("tg_prelu");
  layer.op.mutable_tg_prelu_param();
  layer.input({1, 2, 1, 2}, {-100, 100, -100, 100}).output({1, 2, 1, 2});
  layer.blobs = {blob({64, -32})};
  layer.integers = {.gt_scale = 127, .gt_shift = 6, .le_shift = 7};
  EXPECT_EQ(layer.run(), (Values{-50, 127, 25, 127}));
  layer.op.mutable_tg_prelu_param()->set_channel_shared(true);
  layer.blobs = {blob({64})};
  EXPECT_EQ(layer.run(), (Values{-50, 127, -50, 127}));
}

TEST(Activation, Tables) {
  for (const char* type : {"tg_power", "tg_clip", "tg_activation"}) {
    OneLayer layer(type);
    layer.op.mutable_tg_power_param();
    layer.op.mutable_tg_clip_param();
    layer.op.mutable_tg_activation_param()->set_activation(bmnet::TANH);
    layer.input({3}, {0, -1, 127}).output({3});
    EXPECT_FALSE(layer.tensors().ok()) << "no table";
    layer.integers.table.emplace();
    (*layer.integers.table)[0] = 5;
    (*layer.integers.table)[255] = -6;
    (*layer.integers.table)[127] = 7;
    EXPECT_EQ(layer.run(), (Values{5, -6, 7}));
  }
}

// ---- Several inputs, several channels ----

OneLayer eltwise(bmnet::TGEltwiseParameter::EltwiseOp operation) {
  OneLayer layer("tg_eltwise");
  layer.op.mutable_tg_eltwise_param()->set_operation(operation);
  layer.input({1, 3}, {1, 100, -128}).input({1, 3}, {2, -100, -128}).output({1, 3});
  return layer;
}

TEST(Eltwise, Sum) {
  auto layer = eltwise(bmnet::TGEltwiseParameter::SUM);
  EXPECT_EQ(layer.run(), (Values{3, 0, -128}));
  layer.integers = {.right_shift = 2, .multiplier = {64, -32}};
  EXPECT_EQ(layer.run(), (Values{0, 127, -128}));  // (64-64)/4, 9600/4, -4096/4
}

TEST(Eltwise, SumAccumulatesInSixteenBits) {
  auto layer = eltwise(bmnet::TGEltwiseParameter::SUM);
  layer.input({1, 3}, {0, 0, 127}).input({1, 3}, {0, 0, 127});
  layer.integers = {.right_shift = 8, .multiplier = {127, 127, 127, 127}};
  // 2 * -16256 is above -32768, then twice 16129 more: -254 / 256
  EXPECT_EQ(layer.run(), (Values{1, 0, -1}));  // 381/256
  layer.input({1, 3}, {0, 0, -128});
  layer.integers.multiplier.push_back(127);
  std::swap(layer.inputs["in2"], layer.inputs["in4"]);
  // -48768 is cut to -32768; then 32258 more
  EXPECT_EQ(layer.run(), (Values{1, 0, -2}));
}

TEST(Eltwise, MaxAndProduct) {
  auto max = eltwise(bmnet::TGEltwiseParameter::MAX);
  max.integers = {.right_shift = 6, .multiplier = {64, 127}};
  EXPECT_EQ(max.run(), (Values{4, 100, -128}));
  auto product = eltwise(bmnet::TGEltwiseParameter::PROD);
  product.integers = {.right_shift = 13, .multiplier = {64}};
  EXPECT_EQ(product.run(), (Values{0, -78, 127}));
}

TEST(Concat, CopiesOrRescales) {
  OneLayer layer("tg_concat");
  layer.op.mutable_tg_concat_param()->set_axis(1);
  layer.input({2, 1, 2}, {1, 2, 3, 4}).input({2, 2, 2}, {5, 6, 7, 8, 9, 10, 11, 12});
  layer.output({2, 3, 2});
  EXPECT_EQ(layer.run(), (Values{1, 2, 5, 6, 7, 8, 3, 4, 9, 10, 11, 12}));
  layer.integers.multiplier = {128, 255};
  layer.integers.shift = {6, 8};
  EXPECT_EQ(layer.run(), (Values{2, 4, 5, 6, 7, 8, 6, 8, 9, 10, 11, 12}));
}

TEST(Lrn, AcrossChannels) {
  OneLayer layer("tg_lrn");
  layer.op.mutable_tg_lrn_param()->set_local_size(3);
  layer.input({1, 3, 1, 1}, {10, 20, 40}).output({1, 3, 1, 1});
  auto& integers = layer.integers.lrn.emplace();
  for (int x = 0; x < 128; ++x) {
    integers.square[static_cast<size_t>(x)] = static_cast<int8_t>(x / 4);
    integers.power[static_cast<size_t>(x)] = static_cast<int8_t>(64 - x);
  }
  integers.sum_multiplier = 3;
  integers.sum_shift = 1;
  integers.right_shift = 5;
  // squares 2, 5, 10; sums 21, 51, 45; halves 11, 26, 23; powers 53, 38, 41
  EXPECT_EQ(layer.run(), (Values{17, 24, 51}));
}

// ---- Chains and errors ----

TEST(RunInt8, RefusesWhatItDoesNotKnow) {
  OneLayer layer("tg_strange");
  layer.input({1}, {1}).output({1});
  auto result = layer.tensors();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().id(), errors::net_ir_type);
}

TEST(RunInt8, RefusesBlobsThatAreNoIntegersOrOfAnotherSize) {
  auto layer = convolution({1, 1, 1, 1}, {1}, {1, 1, 1, 1}, 1);
  EXPECT_EQ(layer.tensors().error().id(), errors::net_missing_blob);
  for (float value : {0.5F, 128.0F, -129.0F, NAN}) {
    layer.blobs = {blob({value})};
    EXPECT_EQ(layer.tensors().error().id(), errors::net_not_integer) << value;
  }
  layer.blobs = {blob({1, 2})};
  EXPECT_EQ(layer.tensors().error().id(), errors::net_blob_shape);
}

TEST(RunInt8, RefusesInputsOfAnotherSize) {
  auto layer = convolution({1, 1, 1, 1}, {1}, {1, 1, 1, 1}, 1);
  layer.inputs["in0"].push_back(0);
  EXPECT_EQ(layer.tensors().error().id(), errors::net_data_shape);
  layer.inputs.clear();
  EXPECT_EQ(layer.tensors().error().id(), errors::net_data_shape);
}

}  // namespace
}  // namespace tputwin::test
