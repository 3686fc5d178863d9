// Nets that are quantized while they run, and files whose nodes are not in order.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "bmnet_onnx/support.h"

namespace tputwin::test {
namespace {

using Names = std::vector<std::string>;

const std::vector<float> kX{-1, 0.25f, 3, 0.5f, -0.75f, 2, 1.5f, -0.5f, 0};

// The integers of kX, as ONNX defines them, their scale and their zero point.
struct Dynamic {
  std::vector<float> q;
  float scale = 4.0f / 255, zero = 64;
  Dynamic() {
    for (const float x : kX)
      q.push_back(std::clamp(std::nearbyint(x / scale) + zero, 0.0f, 255.0f));
  }
};

// x (1,1,3,3) -> DynamicQuantizeLinear -> q, s, z, and weights of ConvInteger
ModelBuilder dynamic_model() {
  ModelBuilder builder;
  builder.input("x", {1, 1, 3, 3});
  builder.integers("w", {1, 1, 1, 1}, {5}, onnx::TensorProto::UINT8);
  builder.integers("other", {}, {3}, onnx::TensorProto::UINT8);
  builder.weights("real", {}, {0.5f});
  builder.node("DynamicQuantizeLinear", {"x"}, {"q", "s", "z"});
  return builder;
}

struct Reader {
  std::vector<std::tuple<const char*, Names, const char*>> nodes;
  float (*result)(const Dynamic& d, float q);
};

void expect_results(const Reader& reader) {
  ModelBuilder builder = dynamic_model();
  for (const auto& [type, inputs, output] : reader.nodes) {
    SCOPED_TRACE(type);
    onnx::NodeProto& node = builder.node(type, inputs, {output});
    if (std::string(type) == "Cast") ModelBuilder::set(node, "to", int64_t{1});
  }
  builder.output(std::get<2>(reader.nodes.back()));
  const auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  const auto result = run_float(*network, {{"x", {{1, 1, 3, 3}, kX}}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  const Dynamic d;
  const std::vector<float>& y = result->begin()->second.data;
  for (size_t i = 0; i < y.size(); ++i) EXPECT_FLOAT_EQ(y[i], reader.result(d, d.q[i])) << i;
}

TEST(Dynamic, ReadersMayNeedIntegers) {
  const Reader readers[] = {
      {{{"Cast", {"q"}, "y"}}, [](const Dynamic&, float q) { return q; }},
      {{{"Cast", {"z"}, "y"}}, [](const Dynamic& d, float) { return d.zero; }},
      {{{"ConvInteger", {"q", "w"}, "c"}, {"Cast", {"c"}, "y"}},
       [](const Dynamic&, float q) { return 5 * q; }},
      {{{"ConvInteger", {"q", "w", "other"}, "c"}, {"Cast", {"c"}, "y"}},
       [](const Dynamic&, float q) { return 5 * (q - 3); }},
      {{{"DequantizeLinear", {"q", "real", "z"}, "y"}},
       [](const Dynamic& d, float q) { return (q - d.zero) * 0.5f; }}};
  for (const Reader& reader : readers) expect_results(reader);
}

// Readers of sums of integers, or of a scale, that are not the product of both.
TEST(Dynamic, SumsMayLackTheirScale) {
  const auto of_sum = [](std::vector<std::tuple<const char*, Names, const char*>> nodes) {
    nodes.insert(nodes.begin(), {{"ConvInteger", {"q", "w", "z"}, "c"}, {"Cast", {"c"}, "f"}});
    return nodes;
  };
  const Reader readers[] = {
      {of_sum({}), [](const Dynamic& d, float q) { return 5 * (q - d.zero); }},
      {of_sum({{"Add", {"f", "real"}, "y"}}),
       [](const Dynamic& d, float q) { return 5 * (q - d.zero) + 0.5f; }},
      {of_sum({{"Mul", {"f", "real"}, "y"}}),
       [](const Dynamic& d, float q) { return 2.5f * (q - d.zero); }},
      {of_sum({{"Mul", {"f", "s"}, "g"}, {"Mul", {"g", "s"}, "y"}}),
       [](const Dynamic& d, float q) { return 5 * (q - d.zero) * d.scale * d.scale; }},
      {of_sum({{"Div", {"f", "s"}, "y"}}),
       [](const Dynamic& d, float q) { return 5 * (q - d.zero) / d.scale; }},
      {{{"Relu", {"s"}, "y"}}, [](const Dynamic& d, float) { return d.scale; }},
      {{{"Mul", {"s", "real"}, "y"}}, [](const Dynamic& d, float) { return d.scale * 0.5f; }}};
  for (const Reader& reader : readers) expect_results(reader);
}

// All three results, and numbers that are all 0, whose scale is 1.
TEST(Dynamic, ResultsMayBeOutputs) {
  ModelBuilder builder = dynamic_model();
  for (const char* name : {"q", "s", "z"}) builder.output(name);
  const auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  const auto result = run_float(*network, {{"x", {{1, 1, 3, 3}, kX}}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  const Dynamic d;
  EXPECT_EQ(result->at("q").data, d.q);
  EXPECT_FLOAT_EQ(result->at("s").data[0], d.scale);
  EXPECT_EQ(result->at("z").data[0], d.zero);
  const std::vector<float> zeros(9, 0);
  const auto of_zeros = run_float(*network, {{"x", {{1, 1, 3, 3}, zeros}}});
  ASSERT_TRUE(of_zeros.ok()) << of_zeros.status().message();
  EXPECT_EQ(of_zeros->at("q").data, zeros);
  EXPECT_EQ(of_zeros->at("s").data[0], 1);
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
