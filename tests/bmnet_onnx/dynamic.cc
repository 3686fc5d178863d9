// Nets that are quantized while they run, and files whose nodes are not in order.
#include "bmnet_onnx/support.h"

namespace tputwin::test {
namespace {

using Names = std::vector<std::string>;

ModelBuilder dynamic_model() {
  ModelBuilder builder;
  builder.input("x", {1, 2, 3, 3});
  builder.node("DynamicQuantizeLinear", {"x"}, {"q", "s", "z"});
  return builder;
}

TEST(Dynamic, ReadersThatNeedIntegersAreRefused) {
  const struct {
    const char* type;
    Names inputs;
    const char* named;  // in the message
  } cases[] = {{"Cast", {"q"}, "q"},
               {"ConvInteger", {"q", "w"}, "q"},
               {"ConvInteger", {"q", "w", "other"}, "q"},
               {"DequantizeLinear", {"q", "real", "z"}, "q"},
               {"Cast", {"z"}, "z"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.type);
    ModelBuilder builder = dynamic_model();
    builder.integers("w", {2, 2, 1, 1}, {1, 2, 3, 4}, onnx::TensorProto::UINT8);
    builder.integers("other", {}, {3}, onnx::TensorProto::UINT8);
    builder.weights("real", {}, {0.5f});
    onnx::NodeProto& node = builder.node(c.type, c.inputs, {"t"});
    if (std::string(c.type) == "Cast") ModelBuilder::set(node, "to", int64_t{1});
    builder.node("Relu", {"t"}, {"y"});
    builder.output("y");
    const auto network = import(builder.model);
    ASSERT_FALSE(network.ok());
    const std::string message = network.status().message();
    EXPECT_NE(message.find("input = " + std::string(c.named)), std::string::npos) << message;
    EXPECT_NE(message.find("DynamicQuantizeLinear"), std::string::npos) << message;
  }
  ModelBuilder ends = dynamic_model();
  ends.output("q");
  EXPECT_FALSE(import(ends.model).ok());
}

// Readers of sums of integers, or of a scale, must be the product of both.
TEST(Dynamic, SumsWithoutTheirScaleAreRefused) {
  using Nodes = std::vector<std::tuple<const char*, Names, const char*>>;
  const Nodes cases[] = {{{"Cast", {"c"}, "y"}},
                         {{"Cast", {"c"}, "f"}, {"Add", {"f", "real"}, "y"}},
                         {{"Cast", {"c"}, "f"}, {"Mul", {"f", "real"}, "y"}},
                         {{"Cast", {"c"}, "f"}, {"Mul", {"f", "s"}, "g"}, {"Mul", {"g", "s"}, "y"}},
                         {{"Cast", {"c"}, "f"}, {"Div", {"f", "s"}, "y"}},
                         {{"Relu", {"s"}, "y"}},
                         {{"Mul", {"s", "real"}, "y"}}};
  for (const Nodes& nodes : cases) {
    ModelBuilder builder = dynamic_model();
    builder.integers("w", {2, 2, 1, 1}, {1, 2, 3, 4}, onnx::TensorProto::UINT8);
    builder.weights("real", {}, {0.5f});
    builder.node("ConvInteger", {"q", "w", "z"}, {"c"});
    for (const auto& [type, inputs, output] : nodes) {
      onnx::NodeProto& node = builder.node(type, inputs, {output});
      if (std::string(type) == "Cast") ModelBuilder::set(node, "to", int64_t{1});
    }
    builder.output("y");
    const auto network = import(builder.model);
    ASSERT_FALSE(network.ok()) << std::get<0>(nodes.back());
    EXPECT_NE(network.status().message().find("multiplied by its scale"), std::string::npos);
  }
}

// y = Relu(x) + Sigmoid(Relu(x)), with nodes in any order.
TEST(Order, NodesMayBeUnsorted) {
  const std::vector<std::pair<const char*, std::pair<Names, const char*>>> nodes = {
      {"Relu", {{"x"}, "a"}}, {"Sigmoid", {{"a"}, "b"}}, {"Add", {{"a", "b"}, "y"}}};
  const Blobs inputs{{"x", {{1, 2, 2, 2}, {-1, 2, 3, -4, 0, 0.5f, 7, -8}}}};
  std::vector<int> order{0, 1, 2};
  std::vector<float> expected;
  do {
    ModelBuilder builder;
    builder.input("x", {1, 2, 2, 2});
    for (const int i : order) {
      const auto& [type, ends] = nodes[static_cast<size_t>(i)];
      builder.node(type, ends.first, {ends.second});
    }
    builder.output("y");
    const auto network = import(builder.model);
    ASSERT_TRUE(network.ok()) << network.status().message();
    const auto result = run_float(*network, inputs);
    ASSERT_TRUE(result.ok());
    const std::vector<float>& y = result->begin()->second.data;
    if (expected.empty()) expected = y;
    EXPECT_EQ(y, expected);
  } while (std::ranges::next_permutation(order).found);
}

TEST(Order, NodesThatNeedEachOtherAreRefused) {
  ModelBuilder builder;
  builder.input("x", {1, 2, 2, 2});
  builder.node("Add", {"x", "b"}, {"a"});
  builder.node("Relu", {"a"}, {"b"});
  builder.output("b");
  const auto network = import(builder.model);
  ASSERT_FALSE(network.ok());
  EXPECT_NE(network.status().message().find("its input b is made by no node"), std::string::npos)
      << network.status().message();
}

}  // namespace
}  // namespace tputwin::test
