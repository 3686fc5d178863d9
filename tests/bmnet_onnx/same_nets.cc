// Operators that are made of others, next to nets that have those written out.
#include "bmnet_onnx/support.h"

namespace tputwin::test {
namespace {

using Shape = std::vector<int64_t>;
using Shapes = std::map<std::string, Shape>;

size_t count(const Shape& shape) {
  size_t product = 1;
  for (const int64_t extent : shape) product *= static_cast<size_t>(extent);
  return product;
}

ModelBuilder with_inputs(const Shapes& shapes) {
  ModelBuilder builder(13);
  for (const auto& [name, shape] : shapes) builder.input(name, shape);
  return builder;
}

void use_microsoft(ModelBuilder& builder) {
  auto* opset = builder.model.add_opset_import();
  opset->set_domain("com.microsoft");
  opset->set_version(1);
}

// Both nets compute y from the same inputs, in float and (compiled as interpreted) in int8.
void expect_same(const ModelBuilder& one, const ModelBuilder& other, const Shapes& shapes) {
  Blobs inputs;
  for (const auto& [name, shape] : shapes)
    inputs[name] = {shape, random_values(count(shape), inputs.size() + 1)};
  auto a = import(one.model), b = import(other.model);
  ASSERT_TRUE(a.ok() && b.ok()) << a.status().message() << b.status().message();
  auto expected = run_float(*b, inputs), actual = run_float(*a, inputs);
  ASSERT_TRUE(expected.ok() && actual.ok()) << actual.status().message();
  const std::vector<float>&e = expected->at("y").data, &y = actual->at("y").data;
  ASSERT_EQ(e.size(), y.size());
  for (size_t i = 0; i < e.size(); ++i) EXPECT_NEAR(y[i], e[i], 1e-4f) << i;
  auto int8 = quantized(std::move(*a), inputs);
  ASSERT_TRUE(int8.ok()) << int8.status().message();
  auto result = run_int8(*int8, inputs);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_GT(cosine(e, result->at("y").data), 0.97);
}

TEST(SameNets, EinsumOfThreeOperands) {
  const Shapes shapes{{"a", {2, 3}}, {"b", {3, 4}}, {"c", {4, 5}}};
  ModelBuilder one = with_inputs(shapes), other = with_inputs(shapes);
  ModelBuilder::set(one.node("Einsum", {"a", "b", "c"}, {"y"}), "equation",
                    std::string("ij,jk,kl->il"));
  other.node("MatMul", {"a", "b"}, {"ab"});
  other.node("MatMul", {"ab", "c"}, {"y"});
  one.output("y");
  other.output("y");
  expect_same(one, other, shapes);
}

// The trace of each matrix: the sum of its diagonal, elements 0 and 3.
TEST(SameNets, EinsumOfADiagonal) {
  const Shapes shapes{{"a", {5, 2, 2}}};
  ModelBuilder one = with_inputs(shapes), other = with_inputs(shapes);
  ModelBuilder::set(one.node("Einsum", {"a"}, {"y"}), "equation", std::string("bii->b"));
  other.weights("mask", {2, 2}, {1, 0, 0, 1});
  other.node("Mul", {"a", "mask"}, {"m"});
  other.integers("axes", {2}, {1, 2});
  ModelBuilder::set(other.node("ReduceSum", {"m", "axes"}, {"y"}), "keepdims", int64_t{0});
  one.output("y");
  other.output("y");
  expect_same(one, other, shapes);
}

TEST(SameNets, PadOfFiveAxes) {
  const Shapes shapes{{"x", {1, 2, 3, 4, 5}}};
  ModelBuilder one = with_inputs(shapes), other = with_inputs(shapes);
  one.integers("pads", {10}, {0, 0, 0, 1, 2, 0, 0, 0, 2, 1});
  one.weights("v", {}, {0.5f});
  one.node("Pad", {"x", "pads", "v"}, {"y"});
  other.integers("flat", {4}, {1, 6, 4, 5});
  other.integers("whole", {5}, {1, 2, 3, 7, 8});
  other.integers("pads", {8}, {0, 0, 1, 2, 0, 0, 2, 1});
  other.weights("v", {}, {0.5f});
  other.node("Reshape", {"x", "flat"}, {"r"});
  other.node("Pad", {"r", "pads", "v"}, {"p"});
  other.node("Reshape", {"p", "whole"}, {"y"});
  one.output("y");
  other.output("y");
  expect_same(one, other, shapes);
}

// Samples of sound, (1, length), as Silero's VAD pads them.
TEST(SameNets, PadOfSamplesByTheirEnds) {
  for (const char* mode : {"reflect", "edge"}) {
    const Shapes shapes{{"x", {1, 90}}};
    ModelBuilder one = with_inputs(shapes), other = with_inputs(shapes);
    one.integers("pads", {4}, {0, 70, 0, 66});
    ModelBuilder::set(one.node("Pad", {"x", "pads"}, {"y"}), "mode", std::string(mode));
    other.integers("map", {4}, {1, 1, 1, 90});
    other.integers("row", {2}, {1, 226});
    other.integers("pads", {8}, {0, 0, 0, 70, 0, 0, 0, 66});
    other.node("Reshape", {"x", "map"}, {"r"});
    ModelBuilder::set(other.node("Pad", {"r", "pads"}, {"p"}), "mode", std::string(mode));
    other.node("Reshape", {"p", "row"}, {"y"});
    one.output("y");
    other.output("y");
    expect_same(one, other, shapes);
  }
}

TEST(SameNets, FusedGemmWithElu) {
  const Shapes shapes{{"x", {3, 4}}};
  ModelBuilder one = with_inputs(shapes), other = with_inputs(shapes);
  for (ModelBuilder* builder : {&one, &other}) builder->weights("w", {4, 5}, random_values(20, 9));
  use_microsoft(one);
  auto& fused = one.node("FusedGemm", {"x", "w"}, {"y"});
  fused.set_domain("com.microsoft");
  ModelBuilder::set(fused, "activation", std::string("Elu"));
  ModelBuilder::set(fused, "activation_alpha", 0.7f);
  other.node("Gemm", {"x", "w"}, {"g"});
  ModelBuilder::set(other.node("Elu", {"g"}, {"y"}), "alpha", 0.7f);
  one.output("y");
  other.output("y");
  expect_same(one, other, shapes);
}

// One head: softmax(q k^T / sqrt(size)) v, where the bias has parts for q, k and v.
TEST(SameNets, MultiHeadAttention) {
  const Shapes shapes{{"k", {1, 3, 4}}, {"q", {1, 2, 4}}, {"v", {1, 3, 4}}};
  ModelBuilder one = with_inputs(shapes), other = with_inputs(shapes);
  const std::vector<float> bias = random_values(12, 5);
  use_microsoft(one);
  one.weights("b", {12}, bias);
  auto& node = one.node("MultiHeadAttention", {"q", "k", "v", "b"}, {"y"});
  node.set_domain("com.microsoft");
  ModelBuilder::set(node, "num_heads", int64_t{1});
  int at = 0;
  for (const char* name : {"q", "k", "v"}) {
    other.weights(std::string(name) + "b", {4}, {bias.begin() + at, bias.begin() + at + 4});
    other.node("Add", {name, std::string(name) + "b"}, {std::string(name) + "s"});
    at += 4;
  }
  other.weights("scale", {}, {0.5f});
  ModelBuilder::set(other.node("Transpose", {"ks"}, {"kt"}), "perm", Shape{0, 2, 1});
  other.node("MatMul", {"qs", "kt"}, {"scores"});
  other.node("Mul", {"scores", "scale"}, {"scaled"});
  ModelBuilder::set(other.node("Softmax", {"scaled"}, {"p"}), "axis", int64_t{-1});
  other.node("MatMul", {"p", "vs"}, {"y"});
  one.output("y");
  other.output("y");
  expect_same(one, other, shapes);
}

// h = f(clip(x W^T)) in the first step, with f of an alpha and a beta.
TEST(SameNets, RecurrentActivationsWithParameters) {
  const Shapes shapes{{"x", {1, 2, 3}}};
  ModelBuilder one = with_inputs(shapes), other = with_inputs(shapes);
  const std::vector<float> w = random_values(12, 4, -2, 2);
  one.weights("w", {1, 4, 3}, w);
  one.weights("r", {1, 4, 4}, random_values(16, 6));
  auto& node = one.node("RNN", {"x", "w", "r"}, {"y"});
  ModelBuilder::set(node, "hidden_size", int64_t{4});
  ModelBuilder::set(node, "clip", 0.8f);
  auto* names = node.add_attribute();
  names->set_name("activations");
  names->set_type(onnx::AttributeProto::STRINGS);
  names->add_strings("ScaledTanh");
  for (const auto& [name, value] :
       {std::pair("activation_alpha", 1.7f), {"activation_beta", 0.6f}}) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::FLOATS);
    attribute->add_floats(value);
  }
  other.integers("rows", {2}, {2, 3});
  other.integers("whole", {4}, {1, 1, 2, 4});
  other.weights("w", {4, 3}, w);
  other.weights("least", {}, {-0.8f});
  other.weights("most", {}, {0.8f});
  other.weights("beta", {}, {0.6f});
  other.weights("alpha", {}, {1.7f});
  other.node("Reshape", {"x", "rows"}, {"flat"});
  ModelBuilder::set(other.node("Gemm", {"flat", "w"}, {"g"}), "transB", int64_t{1});
  other.node("Clip", {"g", "least", "most"}, {"c"});
  other.node("Mul", {"c", "beta"}, {"m"});
  other.node("Tanh", {"m"}, {"t"});
  other.node("Mul", {"t", "alpha"}, {"h"});
  other.node("Reshape", {"h", "whole"}, {"y"});
  one.output("y");
  other.output("y");
  expect_same(one, other, shapes);
}

}  // namespace
}  // namespace tputwin::test
