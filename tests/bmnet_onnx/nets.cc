// Whole nets: the trained nets of tputwin, exported, give the results of the Caffe import; patterns
// of exporters.
#include <filesystem>
#include <fstream>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/import.h"
#include "bmnet_onnx/export.h"
#include "bmnet_onnx/support.h"

namespace tputwin::test {
namespace {

class TrainedNets : public ::testing::TestWithParam<const char*> {};

TEST_P(TrainedNets, GiveWhatTheCaffeImportGives) {
  const std::string stem = std::string(TPUTWIN_SOURCE_DIR "/models/") + GetParam();
  auto caffe = net::load_caffe(stem + ".prototxt", stem + ".caffemodel");
  ASSERT_TRUE(caffe.ok()) << caffe.status().message();
  auto folded = net::fold_batch_norm(*caffe);
  ASSERT_TRUE(folded.ok()) << folded.status().message();
  for (int64_t opset : {7, 13, 17, 18, 20, 21, 23, 26}) {
    // Runs two images at once: the file has a dynamic batch dimension.
    auto from_caffe = net::import_caffe(*folded, {.batch = 2});
    auto loaded = load(to_onnx(*caffe, opset));
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    auto from_onnx = net::import_caffe(loaded->net, {.batch = 2});
    ASSERT_TRUE(from_caffe.ok() && from_onnx.ok()) << from_onnx.status().message();
    const std::string input = from_caffe->inputs()[0];
    const auto size = static_cast<size_t>(net::count(*from_caffe->shape_of(input)));
    const Blobs inputs{
        {input, {net::dims(*from_caffe->shape_of(input)), random_values(size, 3, 0)}}};
    auto expected = run_float(*from_caffe, inputs), got = run_float(*from_onnx, inputs);
    ASSERT_TRUE(expected.ok() && got.ok()) << got.status().message();
    const auto& wanted = expected->begin()->second.data;
    const auto& values = got->begin()->second.data;
    ASSERT_EQ(values.size(), wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(values[i], wanted[i], 1e-4) << i;

    auto by_caffe = quantized(*from_caffe, inputs), by_onnx = quantized(*from_onnx, inputs);
    ASSERT_TRUE(by_caffe.ok() && by_onnx.ok()) << by_onnx.status().message();
    auto int8_caffe = run_int8(*by_caffe, inputs), int8_onnx = run_int8(*by_onnx, inputs);
    ASSERT_TRUE(int8_caffe.ok() && int8_onnx.ok()) << int8_onnx.status().message();
    EXPECT_GT(cosine(int8_caffe->begin()->second.data, int8_onnx->begin()->second.data), 0.999);
  }
}

INSTANTIATE_TEST_SUITE_P(Ours, TrainedNets, ::testing::Values("lenet_fashion", "resnet_fashion"),
                         [](const auto& info) { return std::string(info.param); });

// Returns float results of a synthetic model.
std::vector<float> result_of(const ModelBuilder& builder, const std::vector<int64_t>& dims,
                             const std::vector<float>& x) {
  auto network = import(builder.model);
  EXPECT_TRUE(network.ok()) << network.status().message();
  if (!network.ok()) return {};
  const Blobs inputs{{"x", {dims, x}}};
  auto result = run_float(*network, inputs);
  EXPECT_TRUE(result.ok()) << result.status().message();
  if (!result.ok()) return {};
  // The chip's program gives the results of the int8 interpreter.
  auto int8 = quantized(*network, inputs);
  EXPECT_TRUE(int8.ok()) << int8.status().message();
  if (int8.ok()) {
    auto bytes = run_int8(*int8, inputs);
    EXPECT_TRUE(bytes.ok()) << bytes.status().message();
    if (bytes.ok()) {
      EXPECT_GT(cosine(bytes->begin()->second.data, result->begin()->second.data), 0.98);
    }
  }
  return result->begin()->second.data;
}

// x.view(x.size(0), -1) as PyTorch writes it.
TEST(Patterns, ShapesComputedOfShapes) {
  ModelBuilder builder(11);
  builder.input("x", {-1, 2, 3, 4});
  builder.integers("zero", {}, {0});
  builder.integers("rest", {1}, {-1});
  builder.node("Shape", {"x"}, {"shape"});
  builder.set(builder.node("Gather", {"shape", "zero"}, {"n"}), "axis", int64_t{0});
  builder.set(builder.node("Unsqueeze", {"n"}, {"n1"}), "axes", std::vector<int64_t>{0});
  builder.set(builder.node("Concat", {"n1", "rest"}, {"to"}), "axis", int64_t{0});
  builder.node("Reshape", {"x", "to"}, {"y"});
  builder.output("y");
  const auto x = random_values(24, 1);
  EXPECT_EQ(result_of(builder, {1, 2, 3, 4}, x), x);
}

// A channel shuffle has five axes.
TEST(Patterns, ShuffledChannels) {
  ModelBuilder builder(13);
  builder.input("x", {1, 6, 2, 2});
  builder.integers("split", {5}, {1, 2, 3, 2, 2});
  builder.integers("whole", {4}, {1, 6, 2, 2});
  builder.node("Reshape", {"x", "split"}, {"a"});
  builder.set(builder.node("Transpose", {"a"}, {"b"}), "perm", std::vector<int64_t>{0, 2, 1, 3, 4});
  builder.node("Reshape", {"b", "whole"}, {"y"});
  builder.output("y");
  std::vector<float> x(24), expected;
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) / 24;
  for (size_t c : {0, 3, 1, 4, 2, 5})
    expected.insert(expected.end(), x.begin() + static_cast<std::ptrdiff_t>(4 * c),
                    x.begin() + static_cast<std::ptrdiff_t>(4 * c + 4));
  EXPECT_EQ(result_of(builder, {1, 6, 2, 2}, x), expected);
}

TEST(Patterns, PadsAreFusedIntoTheConvolutionAfterThem) {
  ModelBuilder builder(13);
  builder.input("x", {1, 1, 4, 4});
  builder.integers("pads", {8}, {0, 0, 0, 1, 0, 0, 2, 1});
  builder.weights("w", {1, 1, 3, 3}, std::vector<float>(9, 1));
  builder.node("Pad", {"x", "pads"}, {"p"});
  builder.node("Conv", {"p", "w"}, {"y"});
  builder.output("y");
  auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  EXPECT_EQ(network->ops.size(), 3u);
  EXPECT_EQ(result_of(builder, {1, 1, 4, 4}, std::vector<float>(16, 1)).size(), 16u);
}

// Pads around maps of few rows: first and last tiles are entirely in the padding.
TEST(Patterns, PadsOfSmallMaps) {
  for (const float value : {0.0f, 1.5f}) {
    ModelBuilder builder(13);
    builder.input("x", {1, 3, 2, 3});
    builder.integers("pads", {8}, {0, 0, 2, 3, 0, 0, 2, 1});
    builder.weights("value", {}, {value});
    builder.node("Pad", {"x", "pads", "value"}, {"y"});
    builder.output("y");
    const auto y = result_of(builder, {1, 3, 2, 3}, std::vector<float>(18, -1));
    ASSERT_EQ(y.size(), size_t{3 * 6 * 7});
    for (size_t i = 0; i < y.size(); ++i) {
      const size_t row = i / 7 % 6, column = i % 7;
      const bool inside = row >= 2 && row < 4 && column >= 3 && column < 6;
      EXPECT_EQ(y[i], inside ? -1 : value) << i;
    }
  }
}

TEST(Patterns, AnOutputThatIsReadAndAnUnwantedPart) {
  ModelBuilder builder(13);
  builder.input("x", {1, 4, 2, 2});
  builder.set(builder.node("Split", {"x"}, {"a", "b"}), "axis", int64_t{1});
  builder.node("Relu", {"a"}, {"y"});
  builder.node("Sigmoid", {"y"}, {"z"});
  builder.output("z");
  builder.output("y");
  auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  EXPECT_EQ(network->outputs().size(), 2u);
  const Blobs inputs{{"x", {{1, 4, 2, 2}, random_values(16, 5)}}};
  auto int8 = quantized(*network, inputs);
  ASSERT_TRUE(int8.ok()) << int8.status().message();
  auto result = run_int8(*int8, inputs);
  ASSERT_TRUE(result.ok()) << result.status().message();
}

TEST(Patterns, BatchNormalizationAndItsLikeGoIntoTheConvolution) {
  ModelBuilder builder(13);
  builder.input("x", {1, 2, 4, 4});
  builder.weights("w", {4, 2, 1, 1}, random_values(8, 1));
  builder.weights("half", {}, {0.5f});
  builder.weights("bias", {4, 1, 1}, {1, 2, 3, 4});
  builder.node("Conv", {"x", "w"}, {"c"});
  builder.node("Mul", {"c", "half"}, {"m"});
  builder.node("Add", {"m", "bias"}, {"y"});
  builder.output("y");
  auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  EXPECT_EQ(network->ops.size(), 3u);
}

}  // namespace
}  // namespace tputwin::test
