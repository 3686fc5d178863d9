// Batches of nets whose reshapes make several rows of a sample.
#include <algorithm>

#include "bmnet_onnx/support.h"

namespace tputwin::test::batches {
namespace {

constexpr int64_t kSamples = 3, kValues = 16;

void expect(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words)
    EXPECT_NE(text.find(word), std::string::npos) << word << ": " << text;
}

// Softmax of two rows of eight values for each sample.
ModelBuilder rows_of_samples(int64_t axis) {
  ModelBuilder builder(17);
  builder.input("x", {1, 4, 2, 2});
  builder.integers("rows", {2}, {2, 8});
  builder.integers("sample", {2}, {1, kValues});
  builder.node("Reshape", {"x", "rows"}, {"r"});
  ModelBuilder::set(builder.node("Softmax", {"r"}, {"s"}), "axis", axis);
  builder.node("Reshape", {"s", "sample"}, {"y"});
  builder.output("y");
  return builder;
}

std::vector<float> results(const ModelBuilder& builder, int64_t batch,
                           const std::vector<float>& x) {
  auto network = import(builder.model, {.batch = batch});
  EXPECT_TRUE(network.ok()) << network.status().message();
  if (!network.ok()) return {};
  auto result = run_float(*network, {{"x", {{batch, 4, 2, 2}, x}}});
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? result->begin()->second.data : std::vector<float>{};
}

TEST(Batches, OfReshapesThatCountPartsOfSamples) {
  const ModelBuilder builder = rows_of_samples(-1);
  const std::vector<float> all = random_values(kSamples * kValues, 5);
  std::vector<float> single;
  for (auto sample = all.begin(); sample != all.end(); sample += kValues)
    std::ranges::copy(results(builder, 1, {sample, sample + kValues}), std::back_inserter(single));
  ASSERT_EQ(single.size(), all.size());
  EXPECT_EQ(results(builder, kSamples, all), single);
}

TEST(Batches, MustNotMixSamples) {
  const auto network = import(rows_of_samples(0).model, {.batch = kSamples});
  ASSERT_FALSE(network.ok());
  expect(network.error().message(),
         {"n_r", "(3,4,2,2)", "--batch", "open first extent", "--shape"});
}

std::string shapes_of_inputs(const onnx::ModelProto& model, int64_t batch) {
  const auto network = import(model, {.batch = batch});
  if (!network.ok()) return network.error().message();
  std::string text;
  for (const std::string& input : network->inputs())
    text += net::describe(*network->shape_of(input));
  return text;
}

ModelBuilder sum_of(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  ModelBuilder builder(17);
  builder.input("a", a);
  builder.input("b", b);
  builder.node("Add", {"a", "b"}, {"y"});
  builder.output("y");
  return builder;
}

TEST(Batches, AreFirstExtentsThatAreOpenOrElseEqualOrOne) {
  EXPECT_EQ(shapes_of_inputs(sum_of({-1, 8}, {-1, 8}).model, 3), "(3,8)(3,8)");
  EXPECT_EQ(shapes_of_inputs(sum_of({-1, 8}, {1, 8}).model, 3), "(3,8)(1,8)");
  EXPECT_EQ(shapes_of_inputs(sum_of({4, 8}, {4, 8}).model, 3), "(3,8)(3,8)");
  EXPECT_EQ(shapes_of_inputs(sum_of({1, 1, 8}, {3, 8}).model, 2), "(2,1,8)(3,8)");
  expect(shapes_of_inputs(sum_of({2, 3, 8}, {3, 8}).model, 4),
         {"TW-NET-0120", "--batch = 4", "a (2,3,8), b (3,8)", "--shape"});
}

TEST(Shapes, AreGivenForEachInput) {
  const auto network =
      import(sum_of({-1, 8}, {1, 8}).model, {.input_shapes = {net::make_shape({1, 8})}});
  ASSERT_FALSE(network.ok());
  expect(network.error().message(),
         {"TW-NET-0402", "--shape", "given 1 times", "each of the 2 inputs", "a (N,8), b (1,8)"});
}

// The chip's shapes have four axes.
TEST(Shapes, MayEndWithOnes) {
  ModelBuilder builder(17);
  builder.input("x", {-1, 8});
  builder.weights("w", {8, 2}, random_values(16, 1));
  builder.node("Gemm", {"x", "w"}, {"y"});
  builder.output("y");
  const auto network = import(builder.model, {.input_shapes = {net::make_shape({2, 8, 1, 1})}});
  ASSERT_TRUE(network.ok()) << network.status().message();
  EXPECT_EQ(net::describe(*network->shape_of("x")), "(2,8)");
}

// An input of five axes is one of four in the net.
TEST(Shapes, OfFiveAxes) {
  ModelBuilder builder(13);
  builder.input("x", {2, 3, 1, 2, 2});
  ModelBuilder::set(builder.node("Transpose", {"x"}, {"y"}), "perm",
                    std::vector<int64_t>{4, 1, 0, 3, 2});
  builder.output("y");
  const std::vector<int64_t> dims{2, 3, 1, 2, 2};
  net::ImportOptions options;
  options.input_shapes = {net::make_shape(dims)};
  auto network = import(builder.model, options);
  ASSERT_TRUE(network.ok()) << network.status().message();
  std::vector<float> x(24), expected;
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  for (size_t e = 0; e < 2; ++e)
    for (size_t b = 0; b < 3; ++b)
      for (size_t a = 0; a < 2; ++a)
        for (size_t d = 0; d < 2; ++d) expected.push_back(x[((a * 3 + b) * 2 + d) * 2 + e]);
  auto result = run_float(*network, {{"x", {dims, x}}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->at("y").data, expected);
}

}  // namespace
}  // namespace tputwin::test::batches
