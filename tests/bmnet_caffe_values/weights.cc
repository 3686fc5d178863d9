// Weights of a layer, as recorded from Caffe (BVLC's master 9b891540): names, sharing, the order of
// the file, shapes.
#include <gmock/gmock.h>

#include "bmnet_caffe_values/values.h"

namespace tputwin::net::testing {
namespace {

using ::testing::HasSubstr;

const Floats kOne{1, 0, 0, 1}, kThree{3, 0, 0, 3}, kFive{5, 0, 0, 5};

std::string product(const std::string& name, const std::string& bottom, const std::string& more,
                    const std::string& parameters = "num_output: 2 bias_term: false") {
  return "layer { name: '" + name + "' type: 'InnerProduct' bottom: '" + bottom + "' top: '" +
         name + "' inner_product_param { " + parameters + " } " + more + " }\n";
}

std::string input2() { return input_text("x", {1, 2}); }
std::string towers(const std::string& first = "", const std::string& second = "") {
  return input2() + product("f1", "x", "param { name: 'w' " + first + " }") +
         product("f2", "f1", "param { name: 'w' " + second + " }");
}

Floats run_net(const Result<caffe::NetParameter>& net, const Floats& x) {
  if (!net.ok()) {
    ADD_FAILURE() << net.status().message();
    return {};
  }
  const auto values = run_float(*net, {{"x", x}});
  EXPECT_TRUE(values.ok()) << values.status().message();
  return values.ok() ? values->begin()->second : Floats();
}

std::string failure(const Result<caffe::NetParameter>& net) {
  if (!net.ok()) return net.error().message();
  const auto network = import_caffe(*net);
  return network.ok() ? "" : network.error().message();
}

// ---- Sharing ----

TEST(SharedWeights, TheLastInTheFileCountsForBoth) {
  EXPECT_EQ(run_net(try_net(towers(), {{"f1", {2, 2}, kOne}, {"f2", {2, 2}, kThree}}), {1, 1}),
            (Floats{9, 9}));
  EXPECT_EQ(run_net(try_net(towers(), {{"f2", {2, 2}, kThree}, {"f1", {2, 2}, kOne}}), {1, 1}),
            (Floats{1, 1}));
}

TEST(SharedWeights, OneTowerIsEnough) {
  EXPECT_EQ(run_net(try_net(towers(), {{"f1", {2, 2}, kFive}}), {1, 1}), (Floats{25, 25}));
  EXPECT_EQ(run_net(try_net(towers(), {{"f2", {2, 2}, kFive}}), {1, 1}), (Floats{25, 25}));
  EXPECT_THAT(failure(try_net(towers())), HasSubstr("weight = none"));
}

// Weights of equal values get different integers if thresholds differ, so the int8 net shares none.
TEST(SharedWeights, AreSharedNoLongerInTheInt8Net) {
  const auto net = make_net(towers(), {{"f1", {2, 2}, {0.5F, 3, -2, 1}}});
  const Values sample{{"x", {1, 0.5F}}};
  const Floats right = run_net(net, sample.at("x"));
  const auto int8 = run_int8(net, {sample});
  ASSERT_TRUE(int8.ok()) << int8.status().message();
  EXPECT_GT(sqnr(right, int8->outputs[0].at("f2")), 35);
}

TEST(SharedWeights, WithOneNameForWeightsAndOneForBiases) {
  const std::string specs = "param { name: 'w' } param { name: 'b' }", with_bias = "num_output: 2";
  const std::string text =
      input2() + product("f1", "x", specs, with_bias) + product("f2", "f1", specs, with_bias);
  EXPECT_EQ(run_net(try_net(text, {{"f1", {2, 2}, kThree}, {"f1", {2}, {1, 2}}}), {1, 1}),
            (Floats{13, 17}));
  // Only biases are shared; each layer has its own weights.
  const std::string biases = "param { } param { name: 'b' }";
  const std::string own =
      input2() + product("f1", "x", biases, with_bias) + product("f2", "f1", biases, with_bias);
  EXPECT_EQ(run_net(try_net(own, {{"f1", {2, 2}, kOne},
                                  {"f1", {2}, {9, 9}},
                                  {"f2", {2, 2}, kThree},
                                  {"f2", {2}, {1, 2}}}),
                    {1, 1}),
            (Floats{7, 11}));
  EXPECT_THAT(failure(try_net(own, {{"f1", {2, 2}, kOne}, {"f1", {2}, {9, 9}}})),
              HasSubstr("weight = none"));
}

// Two layers, 2 to 3 and 3 to 2, so that the shapes differ.
std::string wide(const std::string& share) {
  return input2() + product("f1", "x", "param { name: 'w' }", "num_output: 3 bias_term: false") +
         product("f2", "f1", "param { name: 'w' " + share + " }", "num_output: 2 bias_term: false");
}

TEST(SharedWeights, HaveOneShapeUnlessPermissive) {
  const LayerBlob f1{"f1", {3, 2}, {1, 2, 3, 4, 5, 6}}, f2{"f2", {2, 3}, {1, 1, 1, 1, 1, 2}};
  EXPECT_THAT(failure(try_net(wide(""), {f1, f2})), HasSubstr("shares it with layer f1"));
  EXPECT_THAT(failure(try_net(wide(""), {f1})), HasSubstr("blob"));
  const std::string permissive = wide("share_mode: PERMISSIVE");
  // f1 = (1+2, 3+4, 5+6) = (3, 7, 11); f2 = (1*3 + 2*7 + 3*11, 4*3 + 5*7 + 6*11)
  EXPECT_EQ(run_net(try_net(permissive, {f1}), {1, 1}), (Floats{50, 113}));
  // f2's values for both: f1 = (2, 2, 3), f2 = (7, 10)
  EXPECT_EQ(run_net(try_net(permissive, {f1, f2}), {1, 1}), (Floats{7, 10}));
  EXPECT_EQ(run_net(try_net(permissive, {f2}), {1, 1}), (Floats{7, 10}));
  const std::string other = input2() + product("f1", "x", "param { name: 'w' }") +
                            product("f2", "f1", "param { name: 'w' share_mode: PERMISSIVE }",
                                    "num_output: 3 bias_term: false");
  EXPECT_THAT(failure(try_net(other, {{"f1", {2, 2}, kOne}})), HasSubstr("4 values"));
}

TEST(SharedWeights, OfLayersOfCaffe1) {
  const std::string text =
      "input: 'x' input_dim: 1 input_dim: 2 input_dim: 1 input_dim: 1\n"
      "layers { name: 'f1' type: INNER_PRODUCT bottom: 'x' top: 'f1' param: 'w'"
      " inner_product_param { num_output: 2 bias_term: false } }\n"
      "layers { name: 'f2' type: INNER_PRODUCT bottom: 'f1' top: 'f2' param: 'w'"
      " inner_product_param { num_output: 2 bias_term: false } }\n";
  EXPECT_EQ(run_net(try_net(text, {{"f1", {2, 2}, kFive}}), {1, 1}), (Floats{25, 25}));
}

TEST(Weights, OfALayerThatIsInTheFileTwiceAreTheLast) {
  const std::string text = input2() + product("f1", "x", "", "num_output: 3 bias_term: false");
  const LayerBlob first{"f1", {3, 2}, {1, 2, 3, 4, 5, 6}},
      second{"f1", {3, 2}, {5, 6, 7, 8, 9, 10}}, between{"other", {1}, {0}};
  EXPECT_EQ(run_net(try_net(text, {first, between, second}), {1, 10}), (Floats{65, 87, 109}));
}

TEST(Weights, OfLayersOfOneNameGoToTheFirst) {
  const std::string text = input2() + product("f", "x", "", "num_output: 2 bias_term: false") +
                           "layer { name: 'f' type: 'ReLU' bottom: 'f' top: 'r' }\n"
                           "layer { name: 'f' type: 'ReLU' bottom: 'r' top: 's' }\n";
  const auto net = make_net(text, {{"f", {2, 2}, {1, 2, -3, 1}}});
  EXPECT_EQ(net.layer(2).name(), "f/2");
  EXPECT_EQ(net.layer(3).name(), "f/3");
  EXPECT_EQ(run_net(net, {1, 1}), (Floats{3, 0}));
  const auto int8 = run_int8(net, {{{"x", {1, 1}}}});
  ASSERT_TRUE(int8.ok()) << int8.status().message();
  EXPECT_THAT(failure(try_net(input2() + product("f", "x", "") +
                                  "layer { name: 'f' type: 'InnerProduct' bottom: 'f' top: 'g'"
                                  " inner_product_param { num_output: 2 bias_term: false } }\n",
                              {{"f", {2, 2}, kOne}})),
              HasSubstr("weight = none"));
}

// ---- Shapes ----

struct ShapeCase {
  const char* parameters;  // of an inner product of two inputs
  Shape shape;
  bool right;
};

class BlobShapes : public ::testing::TestWithParam<ShapeCase> {};

TEST_P(BlobShapes, AreThoseOfTheLayer) {
  const ShapeCase& c = GetParam();
  const std::string text = input2() + product("f1", "x", "", c.parameters);
  EXPECT_EQ(failure(try_net(text, {{"f1", c.shape, {1, 2, 3, 4, 5, 6}}})).empty(), c.right);
}

constexpr const char* kPlain = "num_output: 3 bias_term: false";
constexpr const char* kTransposed = "num_output: 3 bias_term: false transpose: true";
INSTANTIATE_TEST_SUITE_P(
    InnerProduct, BlobShapes,
    ::testing::Values(ShapeCase{kPlain, {3, 2}, true}, ShapeCase{kPlain, {2, 3}, false},
                      ShapeCase{kTransposed, {2, 3}, true}, ShapeCase{kTransposed, {3, 2}, false},
                      ShapeCase{kPlain, {3, 2, 1, 1}, false},
                      ShapeCase{kPlain, {1, 1, 3, 2}, false}, ShapeCase{kPlain, {6}, false},
                      ShapeCase{kPlain, {}, false}));

// Returns the error of a merge with a blob of Caffe 1's four extents, and of `shape_too` if given.
std::string of_extents(const Shape& extents, const std::string& text, int values,
                       const Shape& shape_too = {}) {
  auto graph = read_prototxt(text);
  EXPECT_TRUE(graph.ok()) << graph.status().message();
  caffe::NetParameter file;
  file.add_layer()->set_name("f1");
  caffe::BlobProto& blob = *file.mutable_layer(0)->add_blobs();
  blob.set_num(static_cast<int>(extents[0]));
  blob.set_channels(static_cast<int>(extents[1]));
  blob.set_height(static_cast<int>(extents[2]));
  blob.set_width(static_cast<int>(extents[3]));
  for (int64_t extent : shape_too) blob.mutable_shape()->add_dim(extent);
  for (int i = 0; i < values; ++i) blob.add_data(1);
  return failure(merge_caffe(*graph, file));
}

TEST(BlobShapes, OldExtentsBeginWithOnes) {
  const std::string text = input2() + product("f1", "x", "", kPlain);
  EXPECT_EQ(of_extents({1, 1, 3, 2}, text, 6), "");
  EXPECT_NE(of_extents({1, 1, 2, 3}, text, 6), "");
  EXPECT_NE(of_extents({3, 2, 1, 1}, text, 6), "");
  EXPECT_NE(of_extents({0, 0, 0, 0}, text, 6), "");
  // The extents are used if both are given.
  EXPECT_EQ(of_extents({1, 1, 3, 2}, text, 6, {2, 3}), "");
  EXPECT_NE(of_extents({1, 1, 2, 3}, text, 6, {3, 2}), "");
}

TEST(BlobShapes, OfScalarsHaveNoExtents) {
  const std::string prelu = input2() +
                            "layer { name: 'f1' type: 'PReLU' bottom: 'x' top: 'f1'"
                            " prelu_param { channel_shared: true } }\n";
  EXPECT_EQ(failure(try_net(prelu, {{"f1", {}, {0.5F}}})), "");
  EXPECT_NE(failure(try_net(prelu, {{"f1", {1}, {0.5F}}})), "");
  EXPECT_EQ(of_extents({1, 1, 1, 1}, prelu, 1), "");
}

TEST(BlobShapes, OfKernels) {
  const std::string text =
      input_text("x", {1, 1, 4, 4}) +
      "layer { name: 'f1' type: 'Convolution' bottom: 'x' top: 'f1' convolution_param {"
      " num_output: 1 kernel_h: 3 kernel_w: 1 bias_term: false } }\n";
  EXPECT_EQ(failure(try_net(text, {{"f1", {1, 1, 3, 1}, {1, 2, 3}}})), "");
  EXPECT_NE(failure(try_net(text, {{"f1", {1, 1, 1, 3}, {1, 2, 3}}})), "");
  const std::string split =
      input_text("x", {1, 2, 4, 4}) +
      "layer { name: 'f1' type: 'Convolution' bottom: 'x' top: 'f1' convolution_param {"
      " num_output: 1 kernel_h: 1 kernel_w: 2 bias_term: false } }\n";
  EXPECT_EQ(failure(try_net(split, {{"f1", {1, 2, 1, 2}, {1, 2, 3, 4}}})), "");
  EXPECT_NE(failure(try_net(split, {{"f1", {1, 1, 2, 2}, {1, 2, 3, 4}}})), "");
}

// Folding reads blobs before shapes are known.
TEST(BlobShapes, OfWhatIsFolded) {
  const std::string text = input_text("x", {1, 2, 2, 1}) +
                           "layer { name: 'b' type: 'BatchNorm' bottom: 'x' top: 'b' }\n"
                           "layer { name: 's' type: 'Scale' bottom: 'b' top: 's' }\n";
  const auto folded = [&](const Shape& mean, const Shape& factor, const Shape& scale) {
    const auto net = make_net(
        text, {{"b", mean, {1, 2}}, {"b", {2}, {1, 2}}, {"b", factor, {1}}, {"s", scale, {1, 2}}});
    return fold_batch_norm(net).ok();
  };
  EXPECT_TRUE(folded({2}, {1}, {2}));
  EXPECT_FALSE(folded({1, 2, 1, 1}, {1}, {2}));
  EXPECT_FALSE(folded({2}, {}, {2}));
  EXPECT_FALSE(folded({2}, {1}, {1, 2}));
}

}  // namespace
}  // namespace tputwin::net::testing
