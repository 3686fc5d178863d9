// Additions of opsets after 17. Expected values are those of ONNX's own formulas.
#include <algorithm>
#include <cmath>

#include "bmnet_onnx/support.h"

namespace tputwin::test {
namespace {

using onnx::TensorProto;

std::vector<float> run(const ModelBuilder& builder, const std::vector<int64_t>& dims,
                       const std::vector<float>& x) {
  auto network = import(builder.model);
  EXPECT_TRUE(network.ok()) << network.status().message();
  if (!network.ok()) return {};
  auto result = run_float(*network, {{"x", {dims, x}}});
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? result->begin()->second.data : std::vector<float>{};
}

void expect_near(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 1e-5f * std::max(1.0f, std::fabs(expected[i]))) << i;
}

std::string refusal(const ModelBuilder& builder) {
  auto network = import(builder.model);
  return network.ok() ? "" : network.status().message();
}

const std::vector<float> kX = {-3, -1, -0.5f, 0, 0.25f, 1, 2, 4};

// A node of one input and one output.
ModelBuilder single(int64_t opset, const std::string& type, const std::vector<int64_t>& dims) {
  ModelBuilder builder(opset);
  builder.input("x", dims);
  builder.node(type, {"x"}, {"y"});
  builder.output("y");
  return builder;
}

template <class Function>
std::vector<float> mapped(Function function) {
  std::vector<float> y;
  for (float x : kX) y.push_back(function(x));
  return y;
}

TEST(Opsets, FunctionsOfOneValue) {
  const auto gelu = [](float x) { return 0.5f * x * (1 + std::erf(x / std::sqrt(2.0f))); };
  const auto by_tanh = [](float x) {
    return 0.5f * x * (1 + std::tanh(std::sqrt(2 / 3.14159265f) * (x + 0.044715f * x * x * x)));
  };
  const auto mish = [](float x) { return x * std::tanh(std::log1p(std::exp(x))); };
  const auto swish = [](float x) { return x / (1 + std::exp(-1.5f * x)); };
  expect_near(run(single(20, "Gelu", {1, 8}), {1, 8}, kX), mapped(gelu));
  ModelBuilder tanh = single(26, "Gelu", {1, 8});
  ModelBuilder::set(*tanh.model.mutable_graph()->mutable_node(0), "approximate",
                    std::string("tanh"));
  expect_near(run(tanh, {1, 8}, kX), mapped(by_tanh));
  expect_near(run(single(18, "Mish", {1, 8}), {1, 8}, kX), mapped(mish));
  ModelBuilder scaled = single(24, "Swish", {1, 8});
  ModelBuilder::set(*scaled.model.mutable_graph()->mutable_node(0), "alpha", 1.5f);
  expect_near(run(scaled, {1, 8}, kX), mapped(swish));
  EXPECT_NE(refusal(single(19, "Gelu", {1, 8})).find("opset 19 has none such"), std::string::npos);
}

TEST(Opsets, AttributesOfAnOperatorAreChecked) {
  ModelBuilder builder = single(20, "Gelu", {1, 8});
  ModelBuilder::set(*builder.model.mutable_graph()->mutable_node(0), "alpha", 1.0f);
  EXPECT_NE(refusal(builder).find("no attribute alpha"), std::string::npos) << refusal(builder);
  ModelBuilder split(17);
  split.input("x", {1, 8});
  ModelBuilder::set(split.node("Split", {"x"}, {"a", "b"}), "num_outputs", int64_t{2});
  split.output("a");
  EXPECT_NE(refusal(split).find("num_outputs"), std::string::npos) << refusal(split);
}

// Axes are an input from opset 18 on, of all reductions.
TEST(Opsets, AxesOfReductions) {
  struct Row {
    const char* type;
    float (*of)(float a, float b);
  };
  const Row rows[] = {{"ReduceMean", [](float a, float b) { return (a + b) / 2; }},
                      {"ReduceMax", [](float a, float b) { return std::max(a, b); }},
                      {"ReduceMin", [](float a, float b) { return std::min(a, b); }},
                      {"ReduceProd", [](float a, float b) { return a * b; }},
                      {"ReduceL1", [](float a, float b) { return std::fabs(a) + std::fabs(b); }},
                      {"ReduceL2", [](float a, float b) { return std::sqrt(a * a + b * b); }},
                      {"ReduceSumSquare", [](float a, float b) { return a * a + b * b; }}};
  for (const Row& row : rows)
    for (const int64_t opset : {18, 23}) {
      SCOPED_TRACE(row.type);
      ModelBuilder builder(opset);
      builder.input("x", {4, 2});
      builder.integers("axes", {1}, {-1});
      ModelBuilder::set(builder.node(row.type, {"x", "axes"}, {"y"}), "keepdims", int64_t{0});
      builder.output("y");
      std::vector<float> expected;
      for (size_t i = 0; i < 4; ++i) expected.push_back(row.of(kX[2 * i], kX[2 * i + 1]));
      expect_near(run(builder, {4, 2}, kX), expected);
    }
}

TEST(Opsets, SplitIntoUnequalParts) {
  ModelBuilder builder(18);
  builder.input("x", {1, 8});
  auto& node = builder.node("Split", {"x"}, {"a", "b", "c"});
  ModelBuilder::set(node, "axis", int64_t{1});
  ModelBuilder::set(node, "num_outputs", int64_t{3});
  builder.node("Neg", {"c"}, {"y"});
  builder.output("y");
  expect_near(run(builder, {1, 8}, kX), {-2, -4});
}

TEST(Opsets, PadOfSomeAxesAndWrapped) {
  ModelBuilder builder(18);
  builder.input("x", {1, 1, 2, 4});
  builder.integers("pads", {2}, {1, 2});
  builder.integers("axes", {1}, {-1});
  builder.node("Pad", {"x", "pads", "", "axes"}, {"y"});
  builder.output("y");
  expect_near(run(builder, {1, 1, 2, 4}, kX), {0, -3, -1, -0.5f, 0, 0, 0,  //
                                               0, 0.25f, 1, 2, 4, 0, 0});
  ModelBuilder wrap(19);
  wrap.input("x", {1, 1, 2, 4});
  wrap.integers("pads", {2}, {1, 2});
  wrap.integers("axes", {1}, {3});
  ModelBuilder::set(wrap.node("Pad", {"x", "pads", "", "axes"}, {"y"}), "mode",
                    std::string("wrap"));
  wrap.output("y");
  expect_near(run(wrap, {1, 1, 2, 4}, kX), {0, -3, -1, -0.5f, 0, -3, -1,  //
                                            4, 0.25f, 1, 2, 4, 0.25f, 1});
}

ModelBuilder resized(int64_t opset, const std::vector<int64_t>& sizes,
                     const std::vector<int64_t>& axes) {
  ModelBuilder builder(opset);
  builder.input("x", {1, 1, 2, 4});
  builder.integers("sizes", {static_cast<int64_t>(sizes.size())}, sizes);
  auto& node = builder.node("Resize", {"x", "", "", "sizes"}, {"y"});
  ModelBuilder::set(node, "axes", axes);
  builder.output("y");
  return builder;
}

TEST(Opsets, ResizeOfSomeAxes) {
  ModelBuilder builder = resized(18, {8}, {3});
  expect_near(run(builder, {1, 1, 2, 4}, kX), {-3, -3, -1, -1, -0.5f, -0.5f, 0, 0,  //
                                               0.25f, 0.25f, 1, 1, 2, 2, 4, 4});
}

// 8 columns would be the factor 2, 3 rows the factor 1.5, which is the smaller one.
TEST(Opsets, ResizeKeepsTheRatio) {
  for (const bool larger : {false, true}) {
    ModelBuilder builder = resized(19, {3, 8}, {2, 3});
    auto& node = *builder.model.mutable_graph()->mutable_node(0);
    ModelBuilder::set(node, "keep_aspect_ratio_policy",
                      std::string(larger ? "not_smaller" : "not_larger"));
    auto network = import(builder.model);
    ASSERT_TRUE(network.ok()) << network.status().message();
    const auto* end = &network->ops.back();
    EXPECT_EQ(net::dims(end->input_shape(0)),
              larger ? (std::vector<int64_t>{1, 1, 4, 8}) : (std::vector<int64_t>{1, 1, 3, 6}));
  }
}

TEST(Opsets, ResizeWithAntialias) {
  ModelBuilder larger = resized(18, {4, 8}, {2, 3});
  auto& node = *larger.model.mutable_graph()->mutable_node(0);
  ModelBuilder::set(node, "mode", std::string("linear"));
  ModelBuilder::set(node, "antialias", int64_t{1});
  EXPECT_EQ(run(larger, {1, 1, 2, 4}, kX).size(), 32u);
  ModelBuilder smaller = resized(18, {1, 2}, {2, 3});
  auto& shrinks = *smaller.model.mutable_graph()->mutable_node(0);
  ModelBuilder::set(shrinks, "mode", std::string("linear"));
  ModelBuilder::set(shrinks, "antialias", int64_t{1});
  // The filter reaches two pixels; what is beyond a border counts there. Rows are means, and
  // columns (x0 + 0.75 x1 + 0.25 x2) / 2 and (0.25 x1 + 0.75 x2 + x3) / 2 of -1.375, 0, 0.75, 2.
  expect_near(run(smaller, {1, 1, 2, 4}, kX), {-0.59375f, 1.28125f});
}

// (x - mean) / sqrt(variance + 1e-5) of each group, times scale, plus bias.
TEST(Opsets, GroupNormalization) {
  for (const bool per_channel : {false, true}) {
    ModelBuilder builder(per_channel ? 21 : 18);
    builder.input("x", {1, 4, 1, 2});
    const std::vector<float> scale = per_channel ? std::vector<float>{1, 1, 2, 3}
                                                 : std::vector<float>{1, 2},
                             bias = per_channel ? std::vector<float>{0, 0, 1, -1}
                                                : std::vector<float>{0, 1};
    const auto values = static_cast<int64_t>(scale.size());
    builder.weights("s", {values}, scale);
    builder.weights("b", {values}, bias);
    ModelBuilder::set(builder.node("GroupNormalization", {"x", "s", "b"}, {"y"}), "num_groups",
                      int64_t{2});
    builder.output("y");
    std::vector<float> expected;
    for (size_t i = 0; i < 8; ++i) {
      float sum = 0, squares = 0;
      for (size_t k = 0; k < 4; ++k) sum += kX[i / 4 * 4 + k];
      const float mean = sum / 4;
      for (size_t k = 0; k < 4; ++k) {
        const float d = kX[i / 4 * 4 + k] - mean;
        squares += d * d;
      }
      const size_t at = per_channel ? i / 2 : i / 4;
      expected.push_back((kX[i] - mean) / std::sqrt(squares / 4 + 1e-5f) * scale[at] + bias[at]);
    }
    expect_near(run(builder, {1, 4, 1, 2}, kX), expected);
  }
}

TEST(Opsets, RmsNormalization) {
  ModelBuilder builder(23);
  builder.input("x", {2, 4});
  builder.weights("s", {4}, {1, 2, 0.5f, -1});
  builder.node("RMSNormalization", {"x", "s"}, {"y"});
  builder.output("y");
  const std::vector<float> scale = {1, 2, 0.5f, -1};
  std::vector<float> expected;
  for (size_t i = 0; i < 8; ++i) {
    float squares = 0;
    for (size_t k = 0; k < 4; ++k) squares += kX[i / 4 * 4 + k] * kX[i / 4 * 4 + k];
    expected.push_back(kX[i] / std::sqrt(squares / 4 + 1e-5f) * scale[i % 4]);
  }
  expect_near(run(builder, {2, 4}, kX), expected);
}

// A scale without a zero point takes its type from output_dtype: none, uint8, int8, int16, int32,
// float8 and int4.
TEST(Opsets, TypesOfQuantizedActivations) {
  for (const int type : {0, 2, 3, 5, 6, 17, 22}) {
    ModelBuilder builder(21);
    builder.input("x", {1, 8});
    builder.weights("s", {}, {0.01f});
    auto& node = builder.node("QuantizeLinear", {"x", "s"}, {"q"});
    if (type != 0) ModelBuilder::set(node, "output_dtype", int64_t{type});
    builder.node("DequantizeLinear", {"q", "s"}, {"y"});
    builder.output("y");
    if (type == TensorProto::INT32) {
      EXPECT_NE(refusal(builder).find("integers of 4, 8 or 16 bits"), std::string::npos) << type;
      continue;
    }
    // uint8 has only [0, 2.55] and int4 [-0.08, 0.07]. The ranges of the others are symmetric, as
    // that of the chip: the float net does not cut them.
    const float least = type == 22 ? -0.08f : type == 0 || type == 2 ? 0 : -INFINITY;
    const float most = type == 22 ? 0.07f : type == 0 || type == 2 ? 2.55f : INFINITY;
    expect_near(run(builder, {1, 8}, kX),
                mapped([&](float x) { return std::clamp(x, least, most); }));
  }
}

// Bytes of a tensor of 4 bits or of float8, as a file has them.
void raw(ModelBuilder& builder, const std::string& name, const std::vector<int64_t>& dims, int type,
         const std::string& bytes) {
  TensorProto& tensor = *builder.model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (int64_t d : dims) tensor.add_dims(d);
  tensor.set_raw_data(bytes);
}

// Weights (4,2) in blocks of 2 rows: -8 to 7, the low half of a byte first.
TEST(Opsets, WeightsOf4BitsInBlocks) {
  constexpr int kInt4 = 22;
  ModelBuilder builder(21);
  builder.input("x", {1, 4});
  raw(builder, "w", {4, 2}, kInt4, std::string("\x21\xf8\x70\x34", 4));
  builder.weights("s", {2, 2}, {1, 0.5f, 2, 10});
  auto& node = builder.node("DequantizeLinear", {"w", "s"}, {"d"});
  ModelBuilder::set(node, "axis", int64_t{0});
  ModelBuilder::set(node, "block_size", int64_t{2});
  builder.node("MatMul", {"x", "d"}, {"y"});
  builder.output("y");
  // rows: (1, 2) (-8, -1) in the first block; (0, 7) (4, 3) in the second
  const float w[4][2] = {{1, 1}, {-8, -0.5f}, {0, 70}, {8, 30}};
  std::vector<float> expected(2);
  for (size_t i = 0; i < 4; ++i)
    for (size_t j = 0; j < 2; ++j) expected[j] += kX[i] * w[i][j];
  expect_near(run(builder, {1, 4}, {kX.begin(), kX.begin() + 4}), expected);
}

// The formats' own examples: the largest, the smallest, one, and minus two; powers of two; and all
// integers of two bits.
TEST(Opsets, WeightsOfFewBits) {
  struct Row {
    int type;
    std::string bytes;
    std::vector<float> values;
  };
  const Row rows[] = {{17, std::string("\x7e\x01\x38\xc0", 4), {448, 0.001953125f, 1, -2}},
                      {18, std::string("\x7f\x01\x40\xc8", 4), {240, 0.0009765625f, 1, -2}},
                      {19, std::string("\x7b\x01\x3c\xc0", 4), {57344, 1.52587890625e-05f, 1, -2}},
                      {20, std::string("\x7f\x01\x40\xc4", 4), {57344, 7.62939453125e-06f, 1, -2}},
                      {23, std::string("\x17\xc2", 2), {6, 0.5f, 1, -2}},
                      {24, std::string("\x7f\x80\x7e\x81", 4), {1, 2, 0.5f, 4}},
                      {25, std::string("\xe4", 1), {0, 1, 2, 3}},
                      {26, std::string("\xe4", 1), {0, 1, -2, -1}}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.type);
    ModelBuilder builder(23);
    builder.input("x", {1, 4});
    raw(builder, "w", {4}, row.type, row.bytes);
    builder.weights("s", {}, {1});
    builder.node("DequantizeLinear", {"w", "s"}, {"d"});
    builder.node("Mul", {"x", "d"}, {"y"});
    builder.output("y");
    expect_near(run(builder, {1, 4}, {1, 1, 1, 1}), row.values);
  }
}

// Casts of tensors to types that only hold weights would not round. Constants round to float8.
TEST(Opsets, CastsToTypesOfWeightsAreRefused) {
  for (const bool is_constant : {false, true})
    for (const int64_t type : {0, 8, 17, 22, 23, 26, 99}) {
      ModelBuilder builder(23);
      builder.input("x", {1, 4});
      builder.weights("w", {4}, {1, 2, 3, 1e9f});
      ModelBuilder::set(builder.node("Cast", {is_constant ? "w" : "x"}, {"c"}), "to", type);
      ModelBuilder::set(builder.node("Cast", {"c"}, {"f"}), "to", int64_t{1});
      builder.node("Add", {"x", "f"}, {"y"});
      builder.output("y");
      if (is_constant && type == 17) {
        expect_near(run(builder, {1, 4}, {0, 0, 0, 0}), {1, 2, 3, 448});
        continue;
      }
      EXPECT_NE(refusal(builder).find("to = " + std::to_string(type)), std::string::npos)
          << refusal(builder);
    }
}

TEST(Opsets, CastLikeHasAttributesOfCast) {
  ModelBuilder builder(24);
  builder.input("x", {1, 8});
  auto& node = builder.node("CastLike", {"x", "x"}, {"y"});
  ModelBuilder::set(node, "saturate", int64_t{1});
  ModelBuilder::set(node, "round_mode", std::string("up"));
  builder.output("y");
  expect_near(run(builder, {1, 8}, kX), kX);
}

}  // namespace
}  // namespace tputwin::test
