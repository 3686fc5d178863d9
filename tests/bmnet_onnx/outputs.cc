// Outputs of a model: in the file's order and under its names, from the file to the bmodel.
#include <cmath>

#include "bmnet/caffe/import.h"
#include "bmnet/pipeline/compile.h"
#include "bmnet_onnx/support.h"

namespace tputwin::test {
namespace {

using Names = std::vector<std::string>;
using Shapes = std::vector<std::vector<int64_t>>;

// The outputs of a model.
struct Outputs {
  Names names;
  Shapes shapes;
  std::vector<std::vector<float>> values;
};

Names names_of(const net::Network& network) {
  Names names;
  for (const std::string& tensor : network.outputs()) names.push_back(network.blob_name(tensor));
  return names;
}

// Returns the float net's outputs. Also checks names and shapes of the other ways: through a
// caffemodel, in int8, compiled.
Outputs outputs_of(const ModelBuilder& builder, const std::vector<int64_t>& dims,
                   const std::vector<float>& x) {
  auto loaded = load(builder.model);
  if (!loaded.ok()) return ADD_FAILURE() << loaded.status().message(), Outputs{};
  auto network = net::import_caffe(loaded->net);
  if (!network.ok()) return ADD_FAILURE() << network.status().message(), Outputs{};
  const Blobs inputs{{network->inputs()[0], {dims, x}}};
  auto result = run_float(*network, inputs);
  auto int8 = quantized(*network, inputs);
  if (!result.ok() || !int8.ok()) return ADD_FAILURE() << int8.status().message(), Outputs{};
  Outputs all{.names = names_of(*network), .shapes = {}, .values = {}};
  for (const std::string& tensor : network->outputs()) {
    all.shapes.push_back(net::dims(*network->shape_of(tensor)));
    all.values.push_back(result->at(tensor).data);
  }

  const std::string file = net::to_caffemodel(loaded->net);
  auto read = net::read_caffemodel({reinterpret_cast<const uint8_t*>(file.data()), file.size()});
  auto again = read.ok() ? net::import_caffe(*read) : Result<net::Network>(read.error());
  if (!again.ok()) return ADD_FAILURE() << again.status().message(), Outputs{};
  EXPECT_EQ(names_of(*again), all.names);

  auto bytes = run_int8(*int8, inputs);
  if (!bytes.ok()) return ADD_FAILURE() << bytes.status().message(), Outputs{};
  auto compiled = net::compile(int8->network, int8->integers);
  if (!compiled.ok()) return ADD_FAILURE() << compiled.status().message(), Outputs{};
  Names compiled_names;
  for (const bmodel::Output& output : compiled->outputs) compiled_names.push_back(output.name);
  EXPECT_EQ(compiled_names, all.names);
  // Outputs are contiguous.
  uint64_t at = compiled->output_offset();
  for (size_t i = 0; i < all.values.size(); ++i) {
    EXPECT_EQ(compiled->outputs.at(i).bytes(), all.values[i].size());
    EXPECT_EQ(compiled->outputs.at(i).offset, at);
    at += compiled->outputs.at(i).bytes();
  }
  return all;
}

TEST(Outputs, AreInTheFilesOrder) {
  ModelBuilder builder;
  builder.input("x", {1, 3, 2, 2});
  builder.weights("v", {2, 3, 1, 1}, std::vector<float>(6, 1));
  builder.weights("w", {5, 3, 1, 1}, std::vector<float>(15, 2));
  builder.node("Conv", {"x", "v"}, {"small"});
  builder.node("Conv", {"x", "w"}, {"large"});
  builder.output("large");
  builder.output("small");
  const Outputs all = outputs_of(builder, {1, 3, 2, 2}, std::vector<float>(12, 1));
  EXPECT_EQ(all.names, (Names{"large", "small"}));
  EXPECT_EQ(all.shapes, (Shapes{{1, 5, 2, 2}, {1, 2, 2, 2}}));
  EXPECT_EQ(all.values[0], std::vector<float>(20, 6));
  EXPECT_EQ(all.values[1], std::vector<float>(8, 3));
}

TEST(Outputs, ThatOtherNodesReadKeepTheirNames) {
  ModelBuilder builder;
  builder.input("x", {1, 2, 1, 2});
  builder.weights("w", {2, 2, 1, 1}, {1, 0, 0, -1});
  builder.node("Conv", {"x", "w"}, {"feat"});
  builder.node("Relu", {"feat"}, {"r"});
  builder.node("Conv", {"r", "w"}, {"logits"});
  builder.output("feat");
  builder.output("logits");
  builder.output("r");
  const Outputs all = outputs_of(builder, {1, 2, 1, 2}, {1, 2, 3, -4});
  EXPECT_EQ(all.names, (Names{"feat", "logits", "r"}));
  EXPECT_EQ(all.values[0], (std::vector<float>{1, 2, -3, 4}));
  EXPECT_EQ(all.values[1], (std::vector<float>{1, 2, 0, -4}));
  EXPECT_EQ(all.values[2], (std::vector<float>{1, 2, 0, 4}));
}

// Results of one axis have one more axis in the net.
TEST(Outputs, OfOneDimensionalMapsKeepNamesAndShapes) {
  ModelBuilder builder;
  builder.input("x", {1, 3, 9});
  builder.weights("w", {2, 3, 2}, std::vector<float>(12, 1));
  builder.node("Conv", {"x", "w"}, {"y"});
  builder.set(builder.node("MaxPool", {"y"}, {"p"}), "kernel_shape", std::vector<int64_t>{2});
  builder.output("p");
  builder.output("y");
  const Outputs all = outputs_of(builder, {1, 3, 9}, std::vector<float>(27, 1));
  EXPECT_EQ(all.names, (Names{"p", "y"}));
  EXPECT_EQ(all.shapes, (Shapes{{1, 2, 7}, {1, 2, 8}}));
}

// An input as an output, a repeated output, and names of nodes that change nothing: each output has
// its own bytes, in every order.
TEST(Outputs, OfInputsRepeatedOnesAndOtherNames) {
  ModelBuilder builder;
  builder.input("x", {1, 4});
  builder.integers("to", {3}, {1, 2, 2});
  builder.node("Relu", {"x"}, {"y"});
  builder.node("Identity", {"y"}, {"same"});
  builder.node("Reshape", {"y", "to"}, {"square"});
  builder.node("Dropout", {"x"}, {"dropped"});
  for (const char* name : {"square", "x", "y", "same", "y", "dropped"}) builder.output(name);
  const Outputs all = outputs_of(builder, {1, 4}, {1, -2, 3, -4});
  EXPECT_EQ(all.names, (Names{"square", "x", "y", "same", "y", "dropped"}));
  EXPECT_EQ(all.shapes, (Shapes{{1, 2, 2}, {1, 4}, {1, 4}, {1, 4}, {1, 4}, {1, 4}}));
  const std::vector<float> x{1, -2, 3, -4}, y{1, 0, 3, 0};
  EXPECT_EQ(all.values, (std::vector<std::vector<float>>{y, x, y, y, y, x}));
}

TEST(Outputs, OfNodesThatComputeNothing) {
  ModelBuilder builder;
  builder.input("x", {1, 2});
  builder.node("Identity", {"x"}, {"y"});
  builder.output("y");
  const Outputs all = outputs_of(builder, {1, 2}, {1, -2});
  EXPECT_EQ(all.names, Names{"y"});
  EXPECT_EQ(all.values[0], (std::vector<float>{1, -2}));
}

// ONNX requires static single assignment form; ONNX Runtime 1.30 also refuses such models.
TEST(Outputs, OfTwoNodesAreRefused) {
  for (const char* twice : {"y", "x", "w"}) {
    ModelBuilder builder;
    builder.input("x", {1, 2});
    builder.weights("w", {2}, {1, 2});
    builder.node("Relu", {"x"}, {"y"});
    builder.node("Neg", {"x"}, {twice});
    builder.output("y");
    auto loaded = load(builder.model);
    ASSERT_FALSE(loaded.ok());
    const std::string text = loaded.error().message();
    for (const char* words : {"TW-NET-0117", "(Neg)", twice, "a tensor has one maker"})
      EXPECT_NE(text.find(words), std::string::npos) << text;
  }
}

TEST(Outputs, OfConstants) {
  ModelBuilder builder;
  builder.input("x", {1, 2, 1, 2});
  builder.weights("w", {2, 3}, {1, -2, 3, 0, 0.5f, -6});
  builder.weights("one", {}, {4});
  builder.node("Identity", {"w"}, {"v"});
  builder.node("Relu", {"x"}, {"y"});
  for (const char* name : {"v", "y", "one", "w"}) builder.output(name);
  const Outputs all = outputs_of(builder, {1, 2, 1, 2}, {INFINITY, 2, -3, 1});
  EXPECT_EQ(all.names, (Names{"v", "y", "one", "w"}));
  EXPECT_EQ(all.shapes, (Shapes{{2, 3}, {1, 2, 1, 2}, {1}, {2, 3}}));
  const std::vector<float> w{1, -2, 3, 0, 0.5f, -6};
  EXPECT_EQ(all.values[0], w);
  EXPECT_EQ(all.values[2], std::vector<float>{4});
  EXPECT_EQ(all.values[3], w);
}

TEST(Outputs, OfConstantIntegersAreFloats) {
  ModelBuilder builder;
  builder.input("x", {1, 2});
  builder.integers("w", {3}, {1, -2, 1 << 24});
  builder.node("Relu", {"x"}, {"y"});
  builder.output("y");
  builder.output("w");
  const Outputs outputs = outputs_of(builder, {1, 2}, {1, -1});
  EXPECT_EQ(outputs.names, (Names{"y", "w"}));
  EXPECT_EQ(outputs.values[1], (std::vector<float>{1, -2, 1 << 24}));
  builder.integers("large", {1}, {(1 << 24) + 1});
  builder.output("large");
  auto loaded = load(builder.model);
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.error().message().find("output large"), std::string::npos);
}

}  // namespace
}  // namespace tputwin::test
