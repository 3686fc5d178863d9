// Forms of operators on more axes than the net's tensors have, and with tensors where others have
// constants.
#include <gtest/gtest.h>

#include <cmath>

#include "bmnet_onnx/support.h"

namespace tputwin::test {
namespace {

// Returns the only output of a model.
std::vector<float> result_of(const ModelBuilder& builder, const Blobs& inputs) {
  auto network = import(builder.model);
  EXPECT_TRUE(network.ok()) << network.status().message();
  if (!network.ok()) return {};
  auto result = run_float(*network, inputs);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? result->begin()->second.data : std::vector<float>();
}

TEST(PRelu, TakesTensorsAsSlopes) {
  ModelBuilder builder(16);
  builder.input("x", {2, 3});
  builder.input("slope", {2, 1});
  builder.node("PRelu", {"x", "slope"}, {"y"});
  builder.output("y");
  const Blobs inputs{{"x", {{2, 3}, {-1, 2, -3, -4, 5, 0}}}, {"slope", {{2, 1}, {0.5f, -2}}}};
  EXPECT_EQ(result_of(builder, inputs), (std::vector<float>{-0.5f, 2, -1.5f, 8, 5, 0}));
}

TEST(Pow, RepeatsAxesThatCannotBeJoined) {
  ModelBuilder builder(15);
  builder.input("a", {2, 1, 2, 1, 2});
  builder.input("b", {1, 3, 1, 2, 1});
  builder.node("Pow", {"a", "b"}, {"y"});
  builder.output("y");
  const Blobs inputs{{"a", {{2, 1, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}}},
                     {"b", {{1, 3, 1, 2, 1}, {0, 1, 2, 3, -1, 0.5f}}}};
  const std::vector<float> y = result_of(builder, inputs);
  const std::vector<float>&a = inputs.at("a").data, &b = inputs.at("b").data;
  ASSERT_EQ(y.size(), 48u);
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t n = i / 24, c = i / 8 % 3, d = i / 4 % 2, h = i / 2 % 2, w = i % 2;
    EXPECT_FLOAT_EQ(y[i], std::pow(a[n * 4 + d * 2 + w], b[c * 2 + h])) << i;
  }
}

TEST(Pad, TakesFiveAxes) {
  ModelBuilder builder(18);
  builder.input("x", {1, 2, 1, 2, 1});
  builder.integers("pads", {10}, {1, 0, 1, 0, 1, 0, 1, 0, 1, 0});
  builder.weights("value", {}, {9});
  builder.node("Pad", {"x", "pads", "value"}, {"y"});
  builder.output("y");
  const std::vector<float> y = result_of(builder, {{"x", {{1, 2, 1, 2, 1}, {1, 2, 3, 4}}}});
  ASSERT_EQ(y.size(), 2u * 3 * 2 * 3 * 2);
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t n = i / 36, c = i / 12 % 3, d = i / 6 % 2, h = i / 2 % 3, w = i % 2;
    const bool is_inside = n == 1 && c < 2 && d == 1 && h < 2 && w == 1;
    EXPECT_EQ(y[i], is_inside ? static_cast<float>(1 + 2 * c + h) : 9) << i;
  }
}

TEST(LpPool, TakesDepths) {
  ModelBuilder builder(18);
  builder.input("x", {1, 1, 2, 2, 2});
  auto& node = builder.node("LpPool", {"x"}, {"y"});
  ModelBuilder::set(node, "kernel_shape", std::vector<int64_t>{2, 2, 2});
  builder.output("y");
  const std::vector<float> y =
      result_of(builder, {{"x", {{1, 1, 2, 2, 2}, {1, -1, 1, -1, 2, 2, -2, 0}}}});
  ASSERT_EQ(y.size(), 1u);
  EXPECT_FLOAT_EQ(y[0], 4);
}

// Every place of a map is divided by a power of its own channels.
TEST(LRN, TakesAnyNumberOfAxes) {
  for (const std::vector<int64_t>& dims :
       {std::vector<int64_t>{2, 5}, {2, 5, 3}, {2, 5, 3, 2}, {2, 5, 2, 3, 2}}) {
    ModelBuilder builder(18);
    builder.input("x", dims);
    auto& node = builder.node("LRN", {"x"}, {"y"});
    ModelBuilder::set(node, "size", int64_t{3});
    for (const auto& [name, value] : {std::pair("alpha", 0.75f), {"beta", 0.5f}, {"bias", 2.0f}})
      ModelBuilder::set(node, name, value);
    builder.output("y");
    size_t places = 1;
    for (size_t axis = 2; axis < dims.size(); ++axis) places *= static_cast<size_t>(dims[axis]);
    net::Blob x{dims, {}};
    while (x.data.size() < 2 * 5 * places)
      x.data.push_back(static_cast<float>(x.data.size() * 7 % 11) - 5);
    const std::vector<float> y = result_of(builder, {{"x", x}});
    ASSERT_EQ(y.size(), x.data.size());
    for (size_t i = 0; i < y.size(); ++i) {
      const size_t c = i / places % 5;
      float sum = x.data[i] * x.data[i];
      if (c > 0) sum += x.data[i - places] * x.data[i - places];
      if (c < 4) sum += x.data[i + places] * x.data[i + places];
      EXPECT_NEAR(y[i], x.data[i] / std::sqrt(2 + 0.75f / 3 * sum), 1e-5f) << dims.size();
    }
  }
}

// The view of one tensor is an output, and another node needs the same view.
TEST(Views, HaveNamesOfTheirOwn) {
  ModelBuilder builder(18);
  builder.input("x", {2, 3, 4});
  builder.integers("shape", {2}, {6, 4});
  builder.node("Relu", {"x"}, {"r"});
  for (const char* name : {"a", "b", "c"}) {
    builder.node("Reshape", {"r", "shape"}, {name});
    builder.output(name);
  }
  builder.node("Softmax", {"b"}, {"y"});
  builder.output("y");
  const auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  EXPECT_TRUE(net::verify(*network).ok()) << net::verify(*network).message();
}

}  // namespace
}  // namespace tputwin::test
