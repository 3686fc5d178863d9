// Folding does not change the function of the net: checked with a plain evaluation of affine
// layers.
#include <cmath>
#include <random>

#include "base/errors/bmnet.h"
#include "bmnet_caffe/nets.h"

namespace tputwin::net::testing {
namespace {

constexpr int kChannels = 4;

std::vector<float> numbers(int count, float low, float high, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> draw(low, high);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& v : values) v = draw(random);
  return values;
}

void add_batch_norm(caffe::LayerParameter& layer) {
  add_blob(layer, {kChannels}, numbers(kChannels, -1, 1, 1));
  add_blob(layer, {kChannels}, numbers(kChannels, 0.5F, 2, 2));
  add_blob(layer, {1}, {2.0F});
}

void add_scale(caffe::LayerParameter& layer) {
  add_blob(layer, {kChannels}, numbers(kChannels, 0.5F, 2, 3));
  if (layer.scale_param().bias_term()) add_blob(layer, {kChannels}, numbers(kChannels, -1, 1, 4));
}

// Returns y of channel c after a BatchNorm and a Scale.
double expected(double x, int c) {
  const double mean = numbers(kChannels, -1, 1, 1)[static_cast<size_t>(c)] / 2;
  const double variance = numbers(kChannels, 0.5F, 2, 2)[static_cast<size_t>(c)] / 2;
  const double scale = numbers(kChannels, 0.5F, 2, 3)[static_cast<size_t>(c)];
  const double bias = numbers(kChannels, -1, 1, 4)[static_cast<size_t>(c)];
  return (x - mean) / std::sqrt(variance + 1e-5) * scale + bias;
}

const std::string kNormAndScale =
    "layer { name: 'bn' type: 'BatchNorm' bottom: 'conv' top: 'bn' }"
    "layer { name: 'sc' type: 'Scale' bottom: 'bn' top: 'sc' scale_param { bias_term: true } }";

caffe::NetParameter fill(caffe::NetParameter net) {
  for (caffe::LayerParameter& layer : *net.mutable_layer()) {
    if (layer.type() == "BatchNorm") add_batch_norm(layer);
    if (layer.type() == "Scale") add_scale(layer);
  }
  return net;
}

caffe::NetParameter folded(const caffe::NetParameter& net) {
  auto result = fold_batch_norm(net);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message());
  return result.ok() ? *result : caffe::NetParameter{};
}

// Weights of a linear layer, by type; `channel(i)` is the output channel of weight i.
struct Linear {
  const char *type, *parameters;
  int weights;
  int (*channel)(int i);
};

class FoldInto : public ::testing::TestWithParam<Linear> {};

TEST_P(FoldInto, ScalesTheChannelsWeights) {
  const Linear& linear = GetParam();
  for (bool bias : {true, false}) {
    std::string parameters = linear.parameters;
    if (!bias) parameters.insert(parameters.rfind('}'), " bias_term: false ");
    caffe::NetParameter net = fill(
        parse(input("1 2 3 3") + layer("conv", linear.type, "data", parameters) + kNormAndScale));
    const auto weights = numbers(linear.weights, -1, 1, 5);
    const auto biases = numbers(kChannels, -1, 1, 6);
    add_blob(layer_of(net, "conv"), {linear.weights}, weights);
    if (bias) add_blob(layer_of(net, "conv"), {kChannels}, biases);
    const auto result = folded(net);
    ASSERT_EQ(result.layer_size(), 2);
    const auto& conv = result.layer(1);
    EXPECT_EQ(conv.top(0), "sc");
    ASSERT_EQ(conv.blobs_size(), 2);
    for (int i = 0; i < linear.weights; ++i) {
      const int c = linear.channel(i);
      const double w = weights[static_cast<size_t>(i)];
      ASSERT_NEAR(conv.blobs(0).data(i), expected(w, c) - expected(0, c), 1e-5) << i;
    }
    for (int c = 0; c < kChannels; ++c)
      EXPECT_NEAR(conv.blobs(1).data(c), expected(bias ? biases[static_cast<size_t>(c)] : 0, c),
                  1e-5);
    EXPECT_TRUE(conv.convolution_param().bias_term());
    EXPECT_TRUE(conv.inner_product_param().bias_term());
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, FoldInto,
    ::testing::Values(Linear{"Convolution", "convolution_param { num_output: 4 kernel_size: 3 }",
                             72, [](int i) { return i / 18; }},
                      Linear{"Convolution",
                             "convolution_param { num_output: 4 kernel_size: 3 group: 2 }", 36,
                             [](int i) { return i / 9; }},
                      Linear{"Deconvolution", "convolution_param { num_output: 4 kernel_size: 2 }",
                             32, [](int i) { return i / 4 % 4; }},
                      Linear{"Deconvolution",
                             "convolution_param { num_output: 4 kernel_h: 2 kernel_w: 1 group: 2 }",
                             8, [](int i) { return i / 4 * 2 + i / 2 % 2; }},
                      Linear{"InnerProduct", "inner_product_param { num_output: 4 }", 72,
                             [](int i) { return i / 18; }},
                      Linear{"InnerProduct",
                             "inner_product_param { num_output: 4 transpose: true }", 72,
                             [](int i) { return i % 4; }}));

const std::string kConvolution =
    input("1 2 3 3") +
    layer("conv", "Convolution", "data", "convolution_param { num_output: 4 kernel_size: 1 }");

void add_convolution(caffe::NetParameter& net) {
  add_blob(layer_of(net, "conv"), {4, 2, 1, 1}, numbers(8, -1, 1, 7));
  add_blob(layer_of(net, "conv"), {4}, numbers(4, -1, 1, 8));
}

TEST(Fold, InPlace) {
  caffe::NetParameter net =
      fill(parse(kConvolution + "layer { name: 'bn' type: 'BatchNorm' bottom: 'conv' top: 'conv' }"
                                "layer { name: 'sc' type: 'Scale' bottom: 'conv' top: 'conv' }"
                                "layer { name: 'r' type: 'ReLU' bottom: 'conv' top: 'conv' }"));
  add_convolution(net);
  const auto result = folded(net);
  ASSERT_EQ(result.layer_size(), 3);
  EXPECT_TRUE(import_caffe(result).ok());
}

TEST(Fold, NotWhereTheConvolutionIsReadElsewhere) {
  caffe::NetParameter net = fill(parse(kConvolution + kNormAndScale + layer("r", "ReLU", "conv")));
  add_convolution(net);
  const auto result = folded(net);
  ASSERT_EQ(result.layer_size(), 4);
  EXPECT_EQ(result.layer(2).type(), "Scale");
  EXPECT_EQ(result.layer(2).name(), "bn");
  EXPECT_EQ(result.layer(2).top(0), "sc");
  for (int c = 0; c < kChannels; ++c) {
    EXPECT_NEAR(result.layer(2).blobs(1).data(c), expected(0, c), 1e-5);
    EXPECT_NEAR(result.layer(2).blobs(0).data(c), expected(1, c) - expected(0, c), 1e-5);
  }
  EXPECT_TRUE(import_caffe(result).ok());
}

TEST(Fold, NormalizationOfAnInput) {
  caffe::NetParameter net = fill(parse(input("1 4 3 3", "conv") +
                                       "layer { name: 'bn' type: 'BatchNorm' bottom: 'conv' "
                                       "top: 'bn' }" +
                                       layer("r", "ReLU", "bn")));
  const auto result = folded(net);
  ASSERT_EQ(result.layer_size(), 3);
  EXPECT_EQ(result.layer(1).type(), "Scale");
  EXPECT_TRUE(result.layer(1).scale_param().bias_term());
  EXPECT_TRUE(import_caffe(result).ok());
}

TEST(Fold, BiasAlone) {
  caffe::NetParameter net =
      parse(kConvolution + "layer { name: 'b' type: 'Bias' bottom: 'conv' top: 'conv' }");
  add_convolution(net);
  add_blob(layer_of(net, "b"), {4}, {1, 2, 3, 4});
  const auto result = folded(net);
  ASSERT_EQ(result.layer_size(), 2);
  EXPECT_NEAR(result.layer(1).blobs(1).data(2), numbers(4, -1, 1, 8)[2] + 3, 1e-6);
}

TEST(Fold, ANameInUseBetweenForbidsIt) {
  caffe::NetParameter net = fill(parse(
      kConvolution + layer("x", "ReLU", "data") + layer("y", "ReLU", "x") +
      "layer { name: 'bn' type: 'BatchNorm' bottom: 'conv' top: 'x' }" + layer("z", "ReLU", "x")));
  add_convolution(net);
  auto network = import_caffe(folded(net));
  ASSERT_TRUE(network.ok()) << network.error().message();
  EXPECT_EQ(op_of(*network, "z").bottom(0), "x@bn");
}

TEST(Fold, ReportsEveryMissingBlob) {
  auto result = fold_batch_norm(parse(kConvolution + kNormAndScale));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().id(), errors::net_missing_blob);
  EXPECT_NE(result.error().detail().find("layer bn"), std::string::npos);
  EXPECT_NE(result.error().detail().find("layer sc"), std::string::npos);
}

}  // namespace
}  // namespace tputwin::net::testing
