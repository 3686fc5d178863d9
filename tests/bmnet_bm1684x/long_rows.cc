// Layers whose rows do not fit a lane, on both chips in all their types.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/support.h"

namespace tputwin::net::testing {
namespace {

using Dims = std::vector<int64_t>;
using TwoOperands = ::bmnet::TGArithmeticParameter;

// A prime above what a lane of either chip holds.
constexpr int64_t kColumns = 70001;

void expect_on_both(const Network& network, const Values& inputs, const std::string& what,
                    float scale = 1) {
  for (const bm1684x::Target* target : {&bm1684x::bm1684x_target(), &bm1684::bm1684_target()}) {
    const bm1684x::ScopedTarget scope(*target);
    for (const auto& [type, tolerance] : {std::pair(DType::f32, 2e-5f),
                                          {DType::f16, 4e-3f},
                                          {DType::bf16, 3e-2f},
                                          {DType::i8, 3e-2f}}) {
      if (!target->has_type(type)) continue;
      EXPECT_EQ(compare(network, type, tolerance * scale, inputs), "")
          << what << " on the " << target->chip.name << " in " << to_string(type);
    }
  }
}

void expect_layer(const std::string& layer, const Dims& input, const BlobShapes& blobs,
                  float scale = 1) {
  std::string shape;
  for (const int64_t d : input) shape += fmt::format(" dim: {}", d);
  const auto network =
      random_net("layer { name: 'x' type: 'Input' top: 'x' input_param { shape {" + shape +
                     " } } } layer { name: 'y' bottom: 'x' top: 'y' " + layer + " }",
                 blobs, 3);
  ASSERT_TRUE(network.ok()) << network.status().message();
  expect_on_both(*network, random_inputs(*network, 1), layer, scale);
}

TEST(TooLongRows, OfWindowsAreDivided) {
  const Dims map{2, 2, 2, kColumns};
  expect_layer(
      "type: 'Convolution' convolution_param { num_output: 3 kernel_h: 1 kernel_w: 3 "
      "pad_h: 0 pad_w: 1 stride_h: 1 stride_w: 2 }",
      map, {{"y", {{3, 2, 1, 3}, {3}}}});
  expect_layer(
      "type: 'Convolution' convolution_param { num_output: 2 kernel_h: 2 kernel_w: 5 "
      "pad_h: 1 pad_w: 4 dilation: 2 group: 2 }",
      map, {{"y", {{2, 1, 2, 5}, {2}}}});
  expect_layer(
      "type: 'Deconvolution' convolution_param { num_output: 2 kernel_h: 1 kernel_w: 4 "
      "stride_h: 1 stride_w: 2 pad_h: 0 pad_w: 1 bias_term: false }",
      {1, 2, 1, kColumns}, {{"y", {{2, 2, 1, 4}}}});
  for (const char* pool : {"MAX", "AVE"})
    for (const int pad : {0, 1})
      expect_layer(fmt::format("type: 'Pooling' pooling_param {{ pool: {} kernel_h: 1 kernel_w: 3 "
                               "stride_h: 1 stride_w: 2 pad_h: 0 pad_w: {} }}",
                               pool, pad),
                   map, {});
}

TEST(TooLongRows, OfLayersOfEachColumnAreDivided) {
  const Dims map{2, 3, 2, kColumns};
  expect_layer("type: 'Scale' scale_param { bias_term: true }", map, {{"y", {{3}, {3}}}});
  expect_layer("type: 'PReLU'", map, {{"y", {{3}}}});
  expect_layer("type: 'LRN' lrn_param { local_size: 3 }", map, {});
  expect_layer("type: 'TanH'", map, {});
  expect_layer("type: 'Upsample' upsample_param { scale: 2 }", {1, 2, 1, kColumns}, {});
}

TEST(TooLongRows, OfManyChannelsAreDivided) {
  expect_layer("type: 'Scale' scale_param { bias_term: true }", {1, 1000, 2, 5003},
               {{"y", {{1000}, {1000}}}});
}

// Vectors have their elements in channels, of which a command has less. A prime number of them is
// no window of few channels and columns.
TEST(TooLongVectors, AreDivided) {
  for (const Dims& shape : {Dims{1, kColumns}, Dims{2, kColumns}}) {
    expect_layer("type: 'Scale' scale_param { bias_term: true }", shape,
                 {{"y", {{kColumns}, {kColumns}}}});
    expect_layer("type: 'PReLU'", shape, {{"y", {{kColumns}}}});
    expect_layer("type: 'InnerProduct' inner_product_param { num_output: 3 }", shape,
                 {{"y", {{3, kColumns}, {3}}}}, 3);
  }
}

Network two_operands(TwoOperands::ArithmeticOp operation, const Dims& a, const Dims& b) {
  TensorOp op;
  set_type(op, Op::arithmetic);
  op.mutable_tg_arithmetic_param()->set_operation(operation);
  auto network = layer_net(op, {a, b}, {});
  EXPECT_TRUE(network.ok()) << network.status().message();
  return *network;
}

// An operand that is repeated along channels alone has the extents of the result, and other steps.
TEST(TooLongRows, OfRepeatedOperandsAreDivided) {
  const std::pair<Dims, Dims> cases[] = {{{2, 2, kColumns}, {2, 2, 1}},
                                         {{2, 2, kColumns}, {2, 1, kColumns}},
                                         {{2, 2, kColumns}, {1, 1, kColumns}},
                                         {{2, 2, kColumns}, {1, 2, kColumns}},
                                         {{2, 2, 1}, {1, 1, kColumns}},
                                         {{2, 3, 2, kColumns}, {2, 3, 2, 1}},
                                         {{2, 3, 2, kColumns}, {2, 1, 2, kColumns}},
                                         {{2, 3, 2, kColumns}, {1, 3, 1, 1}},
                                         {{2, 3, 2, 33000}, {2, 3, 1, 1}},
                                         {{2, 2, 33000}, {2, 1, 33000}},
                                         {{2, kColumns}, {1, kColumns}},
                                         {{20, kColumns}, {20, 1}}};
  for (const auto& [a, b] : cases) {
    const Values inputs{{"x0", random_blob(a, 1)}, {"x1", random_blob(b, 2, 0.25f, 1)}};
    expect_on_both(two_operands(TwoOperands::DIV, a, b), inputs, text(a) + " and " + text(b));
  }
}

// An operand of one column is loaded once, and not as a row: both tensors and little more are
// moved.
TEST(TooLongRows, RepeatOneColumnInLocalMemory) {
  for (const bm1684x::Target* target : {&bm1684x::bm1684x_target(), &bm1684::bm1684_target()}) {
    const auto compiled = bm1684x::compile(
        two_operands(TwoOperands::SUB, {1, 64, kColumns}, {1, 64, 1}), {.target = target});
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    constexpr uint64_t kTensor = 64 * kColumns * sizeof(float);
    EXPECT_LT(compiled->global_bytes, kTensor * 201 / 100) << target->chip.name;
  }
}

TEST(TooLongRows, OfSoftmaxOfSamplesAreDivided) {
  TensorOp op;
  set_type(op, Op::softmax);
  op.mutable_tg_softmax_param()->set_axis(2);
  const Dims shape{2, 2, kColumns};
  const auto network = layer_net(op, {shape}, {});
  ASSERT_TRUE(network.ok()) << network.status().message();
  expect_on_both(*network, {{"x0", random_blob(shape, 1, -4, 4)}}, "softmax", 2);
}

// Weighted sums of columns, two of each.
TEST(TooLongRows, OfResizedMapsAreDivided) {
  TensorOp op;
  set_type(op, Op::resample);
  auto& p = *op.mutable_tg_resample_param();
  p.set_row_taps(1);
  p.set_column_taps(2);
  for (uint32_t row = 0; row < 2; ++row) {
    p.add_row_source(1 - row);
    p.add_row_weight(1);
  }
  for (uint32_t w = 0; w < kColumns / 2; ++w)
    for (const uint32_t tap : {0U, 1U}) {
      p.add_column_source(2 * w + tap);
      p.add_column_weight(tap == 0 ? 0.25f : 0.75f);
    }
  const Dims shape{2, 2, 2, kColumns};
  const auto network = layer_net(op, {shape}, {});
  ASSERT_TRUE(network.ok()) << network.status().message();
  expect_on_both(*network, {{"x0", random_blob(shape, 1)}}, "resample");
}

}  // namespace
}  // namespace tputwin::net::testing
