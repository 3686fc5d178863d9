// Single layers against OpenCV.
#include <gtest/gtest.h>

#include "bmnet/float/execute.h"
#include "bmnet_float/against_opencv.h"

namespace tputwin::net::testing {
namespace {

struct Case {
  const char* name;
  std::string layer;  // between the input (name "data") and the output
  std::vector<std::vector<int64_t>> blobs;
  std::vector<int64_t> input{2, 6, 11, 9};
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::string net_of(const Case& c) {
  std::string shape;
  for (const int64_t dim : c.input) shape += " dim: " + std::to_string(dim);
  return "name: \"net\" layer { name: \"data\" type: \"Input\" top: \"data\" input_param { shape "
         "{" +
         shape + " } } } layer { name: \"y\" bottom: \"data\" top: \"y\" " + c.layer + " }";
}

class FloatLayer : public ::testing::TestWithParam<Case> {};

TEST_P(FloatLayer, AgreesWithOpenCv) {
  const Case& c = GetParam();
  for (uint64_t seed = 1; seed <= 3; ++seed)
    expect_as_opencv(random_net(net_of(c), {{"y", c.blobs}}, seed), seed);
}

std::string convolution(const std::string& parameters) {
  return "type: \"Convolution\" convolution_param { " + parameters + " }";
}
std::string pooling(const std::string& parameters) {
  return "type: \"Pooling\" pooling_param { " + parameters + " }";
}
std::string deconvolution(const std::string& parameters) {
  return "type: \"Deconvolution\" convolution_param { " + parameters + " }";
}

INSTANTIATE_TEST_SUITE_P(
    Convolutions, FloatLayer,
    ::testing::Values(
        Case{"plain", convolution("num_output: 4 kernel_size: 3"), {{4, 6, 3, 3}, {4}}},
        Case{"strided",
             convolution("num_output: 4 kernel_size: 3 stride: 2 pad: 1"),
             {{4, 6, 3, 3}, {4}}},
        Case{"rectangular",
             convolution(
                 "num_output: 5 kernel_h: 2 kernel_w: 5 stride_h: 1 stride_w: 2 pad_h: 0 pad_w: 3"),
             {{5, 6, 2, 5}, {5}}},
        Case{"wide pad", convolution("num_output: 4 kernel_size: 1 pad: 1"), {{4, 6, 1, 1}, {4}}},
        Case{"grouped", convolution("num_output: 9 kernel_size: 3 group: 3"), {{9, 2, 3, 3}, {9}}},
        Case{"depthwise",
             convolution("num_output: 6 kernel_size: 3 group: 6 pad: 1"),
             {{6, 1, 3, 3}, {6}}},
        Case{"dilated",
             convolution("num_output: 4 kernel_size: 3 dilation: 2 pad: 2 bias_term: false"),
             {{4, 6, 3, 3}}},
        Case{"deconvolution",
             deconvolution("num_output: 4 kernel_size: 4 stride: 2 pad: 1"),
             {{6, 4, 4, 4}, {4}}},
        Case{"deconvolution of step 1",
             deconvolution("num_output: 4 kernel_size: 3 stride: 1"),
             {{6, 4, 3, 3}, {4}}},
        Case{"inner product",
             "type: \"InnerProduct\" inner_product_param { num_output: 70 }",
             {{70, 594}, {70}}}));

INSTANTIATE_TEST_SUITE_P(
    Pools, FloatLayer,
    ::testing::Values(
        Case{"max", pooling("pool: MAX kernel_size: 2 stride: 2"), {}},
        Case{"max padded", pooling("pool: MAX kernel_size: 3 stride: 2 pad: 1"), {}},
        Case{"average", pooling("pool: AVE kernel_size: 3 stride: 1"), {}},
        Case{"average padded", pooling("pool: AVE kernel_size: 3 stride: 1 pad: 1"), {}},
        Case{"average cut", pooling("pool: AVE kernel_size: 4 stride: 3"), {}},
        Case{"average padded and cut", pooling("pool: AVE kernel_size: 4 stride: 3 pad: 1"), {}},
        Case{"global", pooling("pool: AVE global_pooling: true"), {}}));

INSTANTIATE_TEST_SUITE_P(
    Others, FloatLayer,
    ::testing::Values(
        Case{"relu", "type: \"ReLU\"", {}},
        Case{"leaky", "type: \"ReLU\" relu_param { negative_slope: 0.1 }", {}},
        Case{"prelu", "type: \"PReLU\"", {{6}}}, Case{"sigmoid", "type: \"Sigmoid\"", {}},
        Case{"tanh", "type: \"TanH\"", {}}, Case{"abs", "type: \"AbsVal\"", {}},
        Case{"elu", "type: \"ELU\"", {}},
        Case{"power", "type: \"Power\" power_param { power: 2 scale: 3 shift: 0.5 }", {}},
        Case{"scale", "type: \"Scale\" scale_param { bias_term: true }", {{6}, {6}}},
        Case{"batch norm", "type: \"BatchNorm\"", {{6}, {6}, {1}}},
        Case{"lrn", "type: \"LRN\" lrn_param { local_size: 3 alpha: 0.5 beta: 0.75 }", {}},
        Case{"lrn within channels",
             "type: \"LRN\" lrn_param { norm_region: WITHIN_CHANNEL local_size: 3 alpha: 0.5 }",
             {}},
        Case{"softmax", "type: \"Softmax\"", {}},
        Case{"permute",
             "type: \"Permute\" permute_param { order: 0 order: 2 order: 3 order: 1 }",
             {}},
        Case{"flatten", "type: \"Flatten\"", {}},
        Case{"reshape",
             "type: \"Reshape\" reshape_param { shape { dim: 0 dim: 3 dim: -1 dim: 2 } }",
             {},
             {2, 6, 4, 5}}));

TEST(FloatNet, JoinsAndSplits) {
  const std::string text = R"(
    layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 6 dim: 4 dim: 5 } } }
    layer { name: "cut" type: "Slice" bottom: "data" top: "a" top: "b" slice_param { axis: 1 slice_point: 3 } }
    layer { name: "sum" type: "Eltwise" bottom: "a" bottom: "b" top: "sum" eltwise_param { operation: SUM coeff: 0.5 coeff: -2 } }
    layer { name: "max" type: "Eltwise" bottom: "a" bottom: "sum" top: "max" eltwise_param { operation: MAX } }
    layer { name: "prod" type: "Eltwise" bottom: "max" bottom: "b" top: "prod" eltwise_param { operation: PROD } }
    layer { name: "prod3" type: "Eltwise" bottom: "max" bottom: "b" bottom: "a" top: "prod3" eltwise_param { operation: PROD } }
    layer { name: "all" type: "Concat" bottom: "prod" bottom: "sum" bottom: "a" top: "all" concat_param { axis: 1 } })";
  expect_as_opencv(random_net(text, {}, 1), 1);
}

// Expected values are Caffe's (master 9b891540, CPU) for inputs 0, 1, 2, ...: a pad on one axis
// drops last windows on both.
TEST(FloatNet, PoolsAsCaffe) {
  struct Pooled {
    std::string parameters;
    std::vector<int64_t> input, shape;
    std::vector<float> values;
  };
  for (const Pooled& c : {
           Pooled{"pool: MAX kernel_h: 1 kernel_w: 2 stride: 3 pad_h: 0 pad_w: 1",
                  {1, 1, 3, 4},
                  {1, 1, 1, 2},
                  {0, 3}},
           Pooled{"pool: AVE kernel_h: 1 kernel_w: 3 stride_h: 3 stride_w: 2 pad_h: 0 pad_w: 1",
                  {1, 1, 3, 5},
                  {1, 1, 1, 3},
                  {0.333333343f, 2, 2.33333325f}},
           Pooled{"pool: MAX kernel_size: 2 stride: 2 round_mode: FLOOR",
                  {1, 1, 3, 3},
                  {1, 1, 1, 1},
                  {4}},
       }) {
    const Case net{"pooling", pooling(c.parameters), {}, c.input};
    auto network = import_caffe(random_net(net_of(net), {}, 1));
    ASSERT_TRUE(network.ok()) << network.error().message();
    EXPECT_EQ(dims(*network->shape_of("y")), c.shape);
    Blob data{c.input, {}};
    for (int64_t i = 0; i < count(*network->shape_of("data")); ++i)
      data.data.push_back(static_cast<float>(i));
    auto executor = FloatExecutor::create(*network);
    ASSERT_TRUE(executor.ok()) << executor.status().message();
    auto result = (*executor)->run({{"data", data}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->at("y").data, c.values) << c.parameters;
  }
}

TEST(FloatNet, ScalesByAnotherTensor) {
  const std::string text = R"(
    layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 6 dim: 4 dim: 5 } } }
    layer { name: "mean" type: "Pooling" bottom: "data" top: "mean" pooling_param { pool: AVE global_pooling: true } }
    layer { name: "flat" type: "Flatten" bottom: "mean" top: "flat" }
    layer { name: "by_channel" type: "Scale" bottom: "data" bottom: "flat" top: "by_channel" scale_param { axis: 0 } }
    layer { name: "relu" type: "ReLU" bottom: "by_channel" top: "relu" }
    layer { name: "by_all" type: "Scale" bottom: "data" bottom: "relu" top: "by_all" scale_param { axis: 0 } })";
  expect_as_opencv(random_net(text, {}, 1), 1);
}

}  // namespace
}  // namespace tputwin::net::testing
