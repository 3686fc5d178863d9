// Single layers in every type.
#include <gtest/gtest.h>

#include "bmnet_bm1684x/support.h"

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

class Bm1684xLayer : public ::testing::TestWithParam<Case> {};

TEST_P(Bm1684xLayer, AgreesWithFloatExecution) {
  const Case& c = GetParam();
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    auto network = random_net(net_of(c), {{"y", c.blobs}}, seed);
    ASSERT_TRUE(network.ok()) << network.status().message();
    EXPECT_EQ(compare(*network, DType::f32, 1e-5f, seed), "") << "fp32, seed " << seed;
    EXPECT_EQ(compare(*network, DType::f16, 4e-3f, seed), "") << "fp16, seed " << seed;
    EXPECT_EQ(compare(*network, DType::bf16, 3e-2f, seed), "") << "bf16, seed " << seed;
    EXPECT_EQ(compare(*network, DType::i8, 4e-2f, seed), "") << "int8, seed " << seed;
  }
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
    Convolutions, Bm1684xLayer,
    ::testing::Values(
        Case{"plain", convolution("num_output: 4 kernel_size: 3"), {{4, 6, 3, 3}, {4}}},
        Case{"strided",
             convolution("num_output: 4 kernel_size: 3 stride: 2 pad: 1"),
             {{4, 6, 3, 3}, {4}}},
        Case{"many channels",
             convolution("num_output: 130 kernel_size: 3 pad: 1"),
             {{130, 70, 3, 3}, {130}},
             {1, 70, 12, 13}},
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
        Case{"large map",
             convolution("num_output: 20 kernel_size: 3 pad: 1"),
             {{20, 16, 3, 3}, {20}},
             {1, 16, 300, 310}},
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
    Pools, Bm1684xLayer,
    ::testing::Values(
        Case{"max", pooling("pool: MAX kernel_size: 2 stride: 2"), {}},
        Case{"max padded", pooling("pool: MAX kernel_size: 3 stride: 2 pad: 1"), {}},
        Case{"average", pooling("pool: AVE kernel_size: 3 stride: 1"), {}},
        Case{"average padded", pooling("pool: AVE kernel_size: 3 stride: 1 pad: 1"), {}},
        Case{"average cut at the edge",
             pooling("pool: AVE kernel_size: 3 stride: 2"),
             {},
             {1, 5, 8, 8}},
        Case{"global average", pooling("pool: AVE global_pooling: true"), {}}));

INSTANTIATE_TEST_SUITE_P(
    Functions, Bm1684xLayer,
    ::testing::Values(
        Case{"relu", "type: \"ReLU\"", {}},
        Case{"leaky relu", "type: \"ReLU\" relu_param { negative_slope: 0.1 }", {}},
        Case{"prelu", "type: \"PReLU\"", {{6}}}, Case{"sigmoid", "type: \"Sigmoid\"", {}},
        Case{"tanh", "type: \"TanH\"", {}}, Case{"absolute", "type: \"AbsVal\"", {}},
        Case{"elu", "type: \"ELU\"", {}},
        Case{"power", "type: \"Power\" power_param { power: 2 scale: 0.5 shift: 1.5 }", {}},
        Case{"root", "type: \"Power\" power_param { power: 0.5 scale: 0.5 shift: 1.5 }", {}},
        Case{"fraction", "type: \"Power\" power_param { power: 0.7 scale: 0.5 shift: 1.5 }", {}},
        Case{"reciprocal", "type: \"Power\" power_param { power: -1 scale: 0.5 shift: 1.5 }", {}}));

INSTANTIATE_TEST_SUITE_P(
    Moves, Bm1684xLayer,
    ::testing::Values(
        Case{"permute",
             "type: \"Permute\" permute_param { order: 0 order: 2 order: 3 order: 1 }",
             {}},
        Case{"permute rows",
             "type: \"Permute\" permute_param { order: 0 order: 3 order: 1 order: 2 }",
             {}},
        Case{"reorg", "type: \"Reorg\" reorg_param { stride: 2 }", {}, {2, 8, 6, 8}}));

}  // namespace
}  // namespace tputwin::net::testing
