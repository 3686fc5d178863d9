// Operators whose parameters the net computes give what constants give.
#include <cmath>
#include <functional>

#include "bmnet_onnx/support.h"

namespace tputwin::test {
namespace {

using Dims = std::vector<int64_t>;

struct Case {
  const char* type;
  int64_t opset;
  Dims x;
  std::vector<Dims> parameters;
  std::function<void(onnx::NodeProto&)> set = [](onnx::NodeProto&) {};
  float least = -1;
};

size_t count_of(const Dims& dims) {
  size_t count = 1;
  for (const int64_t extent : dims) count *= static_cast<size_t>(extent);
  return count;
}

// Returns y = type(x, parameters); those of `computed` are inputs, the others constants.
std::vector<float> result(const Case& c, unsigned computed) {
  ModelBuilder builder(c.opset);
  Blobs inputs;
  builder.input("x", c.x);
  inputs["x"] = {c.x, random_values(count_of(c.x), 1)};
  std::vector<std::string> operands{"x"};
  for (size_t i = 0; i < c.parameters.size(); ++i) {
    const Dims& dims = c.parameters[i];
    const std::string name = "p" + std::to_string(i);
    const auto values = random_values(count_of(dims), 2 + i, c.least);
    operands.push_back(name);
    if ((computed >> i & 1) == 0) {
      builder.weights(name, dims, values);
      continue;
    }
    builder.input(name, dims);
    inputs[name] = {dims.empty() ? Dims{1} : dims, values};
  }
  c.set(builder.node(c.type, operands, {"y"}));
  builder.output("y");
  auto network = import(builder.model);
  EXPECT_TRUE(network.ok()) << network.status().message();
  if (!network.ok()) return {};
  auto results = run_float(*network, inputs);
  EXPECT_TRUE(results.ok()) << results.status().message();
  return results.ok() ? results->begin()->second.data : std::vector<float>();
}

auto attribute(const char* name, Dims values) {
  return [=](onnx::NodeProto& node) { ModelBuilder::set(node, name, values); };
}

std::vector<Case> cases() {
  const auto window = [](int64_t group, Dims strides, Dims dilations, Dims pads) {
    return [=](onnx::NodeProto& node) {
      ModelBuilder::set(node, "group", group);
      ModelBuilder::set(node, "strides", strides);
      ModelBuilder::set(node, "dilations", dilations);
      ModelBuilder::set(node, "pads", pads);
    };
  };
  return {
      {"Clip", 13, {2, 3}, {{1}, {1}}},
      {"Conv", 13, {2, 4, 7, 6}, {{6, 2, 3, 2}, {6}}, window(2, {2, 1}, {1, 2}, {1, 0, 2, 1})},
      {"Conv", 13, {1, 4, 5, 5}, {{4, 1, 3, 3}}, window(4, {1, 1}, {1, 1}, {1, 1, 1, 1})},
      {"Conv", 13, {2, 3, 9}, {{4, 3, 3}, {4}}, attribute("strides", {2})},
      {"Conv", 13, {2, 3, 4, 4}, {{5, 3, 1, 1}}},
      {"Conv", 13, {1, 2, 3, 4, 5}, {{3, 2, 2, 3, 1}}, attribute("pads", {0, 1, 0, 1, 1, 0})},
      {"ConvTranspose",
       13,
       {2, 4, 5, 3},
       {{4, 3, 3, 2}, {6}},
       window(2, {2, 3}, {2, 1}, {1, 0, 0, 1})},
      {"ConvTranspose", 13, {1, 2, 6}, {{2, 3, 4}}, attribute("strides", {2})},
      {"ConvTranspose",
       13,
       {1, 2, 2, 3, 4},
       {{2, 3, 2, 1, 3}, {3}},
       attribute("strides", {2, 1, 3})},
      {"BatchNormalization", 15, {2, 3, 4}, {{3}, {3}, {3}, {3}}, [](onnx::NodeProto&) {}, 0.25f},
      {"InstanceNormalization", 13, {2, 3, 4, 5}, {{3}, {3}}},
      {"LayerNormalization", 17, {2, 3, 4}, {{4}, {4}}},
      {"GroupNormalization",
       18,
       {2, 4, 3, 2},
       {{2}, {2}},
       [](onnx::NodeProto& node) { ModelBuilder::set(node, "num_groups", int64_t{2}); }},
      {"GroupNormalization",
       21,
       {2, 4, 3, 2},
       {{4}, {4}},
       [](onnx::NodeProto& node) { ModelBuilder::set(node, "num_groups", int64_t{2}); }},
      {"RMSNormalization", 23, {2, 3, 4}, {{4}}},
  };
}

TEST(Computed, ParametersAreAsConstants) {
  for (const Case& c : cases()) {
    const unsigned all = (1u << c.parameters.size()) - 1;
    const std::vector<float> expected = result(c, 0);
    for (unsigned computed = 1; computed <= all; ++computed) {
      SCOPED_TRACE(std::string(c.type) + ", computed " + std::to_string(computed));
      const std::vector<float> actual = result(c, computed);
      ASSERT_EQ(actual.size(), expected.size());
      for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 2e-5) << i;
    }
  }
}

// Returns the element at `i` of the tensor x of a tensor that is broadcast to it.
float broadcast_at(const net::Blob& blob, const Dims& x, size_t i) {
  size_t index = 0, stride = 1;
  for (size_t axis = 0; axis < x.size(); ++axis) {
    const auto extent = static_cast<size_t>(x[x.size() - 1 - axis]);
    if (axis < blob.shape.size()) {
      const auto own = static_cast<size_t>(blob.shape[blob.shape.size() - 1 - axis]);
      index += own == 1 ? 0 : i % extent * stride;
      stride *= own;
    }
    i /= extent;
  }
  return blob.data[index];
}

// Layer normalization by its definition.
std::vector<float> normalized(const Dims& x, const std::vector<float>& values, size_t length,
                              const net::Blob& scale, const net::Blob& offset) {
  std::vector<float> result;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto* row = values.data() + i / length * length;
    double mean = 0, variance = 0;
    for (size_t k = 0; k < length; ++k) mean += row[k] / static_cast<double>(length);
    for (size_t k = 0; k < length; ++k)
      variance += (row[k] - mean) * (row[k] - mean) / static_cast<double>(length);
    result.push_back(static_cast<float>((values[i] - mean) / std::sqrt(variance + 1e-5) *
                                            broadcast_at(scale, x, i) +
                                        broadcast_at(offset, x, i)));
  }
  return result;
}

TEST(Computed, ScalesOfLayersAreBroadcast) {
  struct Layer {
    Dims x;
    int64_t axis;
    size_t length;
    Dims scale, offset;
  };
  const Layer layers[] = {
      {{3, 4, 5}, 0, 60, {1, 4, 5}, {1}},       {{3, 4, 5}, 1, 20, {5}, {4, 1}},
      {{3, 4, 5}, -1, 5, {3, 1, 5}, {3, 1, 1}}, {{2, 5, 5}, -1, 5, {5, 1}, {5}},
      {{3, 4, 5}, 1, 20, {3, 1, 1}, {3, 4, 5}}, {{3, 4, 5}, -1, 5, {1}, {1, 1, 5}},
  };
  for (const Layer& layer : layers)
    for (const bool computed : {false, true}) {
      SCOPED_TRACE(::testing::PrintToString(layer.scale) + " " + std::to_string(computed));
      const auto blob = [](const Dims& dims, uint64_t seed) {
        size_t count = 1;
        for (const int64_t extent : dims) count *= static_cast<size_t>(extent);
        return net::Blob{dims, random_values(count, seed)};
      };
      Blobs inputs{{"x", blob(layer.x, 1)}};
      const net::Blob scale = blob(layer.scale, 2), offset = blob(layer.offset, 3);
      ModelBuilder builder(17);
      builder.input("x", layer.x);
      for (const auto& [name, parameter] : {std::pair("s", scale), {"b", offset}}) {
        if (computed) builder.input(name, parameter.shape), inputs[name] = parameter;
        if (!computed) builder.weights(name, parameter.shape, parameter.data);
      }
      ModelBuilder::set(builder.node("LayerNormalization", {"x", "s", "b"}, {"y"}), "axis",
                        layer.axis);
      builder.output("y");
      const auto network = import(builder.model);
      ASSERT_TRUE(network.ok()) << network.status().message();
      const auto results = run_float(*network, inputs);
      ASSERT_TRUE(results.ok()) << results.status().message();
      const std::vector<float>& y = results->at("y").data;
      const auto expected = normalized(layer.x, inputs.at("x").data, layer.length, scale, offset);
      ASSERT_EQ(y.size(), expected.size());
      for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 2e-5) << i;
    }
}

TEST(Computed, PadsHaveTheValue) {
  ModelBuilder builder;
  builder.input("x", {1, 2, 1, 2});
  builder.input("value", {1});
  builder.integers("pads", {8}, {0, 1, 0, -1, 0, 0, 1, 1});
  builder.node("Pad", {"x", "pads", "value"}, {"y"});
  builder.output("y");
  auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto results = run_float(*network, {{"x", {{1, 2, 1, 2}, {1, 2, 3, 4}}}, {"value", {{1}, {7}}}});
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_EQ(results->at("y").data, (std::vector<float>{7, 7, 7, 7, 2, 7, 7, 7, 4, 7, 7, 7}));
}

// A node in place of another may stand for further nodes, whose tensors have names of their own.
TEST(Computed, ConstantsOfNodesThatExpandAreFolded) {
  ModelBuilder builder;
  builder.input("x", {1, 3, 1, 2});
  builder.weights("k", {1, 2, 1, 2}, {1, 2, 3, 4});
  builder.integers("pads", {8}, {0, 1, 0, 0, 0, 0, 0, 0});
  builder.node("Pad", {"k", "pads"}, {"more"});
  builder.node("Mul", {"x", "more"}, {"y"});
  builder.output("y");
  auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto results = run_float(*network, {{"x", {{1, 3, 1, 2}, {1, 1, 1, 1, 1, 1}}}});
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_EQ(results->at("y").data, (std::vector<float>{0, 0, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace tputwin::test
