// Attention with additive masks. Expected values are those of ONNX Runtime 1.30 (CPU, optimizations
// off), and of the float net.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors/bmnet.h"
#include "bmnet_onnx/calibrated.h"

namespace tputwin::test {
namespace {

constexpr int64_t kHeads = 2, kTokens = 6, kSize = 8;
constexpr float kLowest = std::numeric_limits<float>::lowest();

std::vector<float> causal(float masked) {
  std::vector<float> mask;
  for (int64_t row = 0; row < kTokens; ++row)
    for (int64_t column = 0; column < kTokens; ++column)
      mask.push_back(column > row ? masked : 0.0f);
  return mask;
}

enum class Form {
  sum,
  reversed,
  viewed,
  subtracted,
  then_bias,   // (s + mask) + bias
  after_bias,  // (s + bias) + mask
  maximum,     // max(s + mask, the lowest float)
  transposed,  // rows and heads are swapped before softmax
  viewed_transposed,
  by_input,
  minus_input,
  input_then_constant,
  log
};
constexpr Form kConstant[] = {Form::sum,        Form::reversed,   Form::viewed,
                              Form::subtracted, Form::then_bias,  Form::after_bias,
                              Form::maximum,    Form::transposed, Form::viewed_transposed};
constexpr Form kOfInputs[] = {Form::by_input, Form::minus_input, Form::input_then_constant};
bool is_of_inputs(Form form) { return std::ranges::find(kOfInputs, form) != std::end(kOfInputs); }
bool is_subtracted(Form form) { return form == Form::subtracted || form == Form::minus_input; }

// Returns softmax(q k + mask); row r of the mask allows r + 1 values.
ModelBuilder attention(Form form, float masked) {
  ModelBuilder builder(13);
  builder.input("q", {1, kHeads, kTokens, kSize});
  builder.input("k", {1, kHeads, kSize, kTokens});
  builder.node("MatMul", {"q", "k"}, {"s"});
  if (is_of_inputs(form))
    builder.input("m", {1, 1, kTokens, kTokens});
  else
    builder.weights("m", {1, 1, kTokens, kTokens}, causal(is_subtracted(form) ? -masked : masked));
  builder.weights("bias", {1, kHeads, kTokens, kTokens},
                  random_values(kHeads * kTokens * kTokens, 77));
  builder.weights("lowest", {}, {kLowest});
  std::string sum = "t";
  switch (form) {
    case Form::reversed:
      builder.node("Add", {"m", "s"}, {"t"});
      break;
    case Form::subtracted:
    case Form::minus_input:
      builder.node("Sub", {"s", "m"}, {"t"});
      break;
    case Form::then_bias:
    case Form::input_then_constant:
      builder.node("Add", {"s", "m"}, {"u"});
      builder.node("Add", {"u", "bias"}, {"t"});
      break;
    case Form::after_bias:
      builder.node("Add", {"s", "bias"}, {"u"});
      builder.node("Add", {"u", "m"}, {"t"});
      break;
    default:
      builder.node("Add", {"s", "m"}, {"t"});
  }
  if (form == Form::maximum) builder.node("Max", {"t", "lowest"}, {sum = "cut"});
  if (form == Form::viewed || form == Form::viewed_transposed) {
    builder.integers("shape", {3}, {kHeads, kTokens, kTokens});
    builder.node("Reshape", {sum, "shape"}, {"viewed"});
    sum = "viewed";
  }
  if (form == Form::transposed || form == Form::viewed_transposed) {
    const std::vector<int64_t> order =
        form == Form::transposed ? std::vector<int64_t>{0, 2, 1, 3} : std::vector<int64_t>{1, 0, 2};
    ModelBuilder::set(builder.node("Transpose", {sum}, {"moved"}), "perm", order);
    sum = "moved";
  }
  ModelBuilder::set(builder.node(form == Form::log ? "LogSoftmax" : "Softmax", {sum}, {"y"}),
                    "axis", int64_t{-1});
  builder.output("y");
  return builder;
}

Batches samples(Form form, float masked, size_t count) {
  Batches batches(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t values = kHeads * kTokens * kSize;
    batches[i]["q"] = {{1, kHeads, kTokens, kSize}, random_values(values, i)};
    batches[i]["k"] = {{1, kHeads, kSize, kTokens}, random_values(values, i + 50)};
    if (is_of_inputs(form))
      batches[i]["m"] = {{1, 1, kTokens, kTokens}, causal(is_subtracted(form) ? -masked : masked)};
  }
  return batches;
}

void expect_fit(const ModelBuilder& builder, const Batches& batches) {
  auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto net = calibrated(builder.model, batches);
  ASSERT_TRUE(net.ok()) << net.status().message();
  for (const Blobs& sample : batches) {
    auto expected = run_float(*network, sample);
    auto result = run_int8(net->net, sample);
    ASSERT_TRUE(expected.ok() && result.ok()) << result.status().message();
    EXPECT_GT(cosine(expected->at("y").data, result->at("y").data), 0.999);
  }
}

TEST(Masks, LeaveTheScoresTheirSteps) {
  for (const Form form : kConstant)
    for (const float masked : {-8.0f, -50.0f, -1e4f, -1e9f, kLowest, -INFINITY}) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(form) << " " << masked);
      expect_fit(attention(form, masked), samples(form, masked, 3));
    }
}

// An int8 tensor cannot hold larger magnitudes.
TEST(Masks, OfInputs) {
  for (const Form form : kOfInputs)
    for (const float masked : {-8.0f, -50.0f, -1e4f, -1e9f}) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(form) << " " << masked);
      expect_fit(attention(form, masked), samples(form, masked, 3));
    }
}

// The results of LogSoftmax have the range of the mask, if it is finite.
TEST(Masks, OfLogSoftmax) { expect_fit(attention(Form::log, -8), samples(Form::log, -8, 3)); }

// In ONNX Runtime the second row of random scores is 0.624, 0.376 with a mask of -10000.
TEST(Masks, SecondRow) {
  ModelBuilder builder(13);
  builder.input("s", {1, 1, 2, 3});
  builder.weights("m", {1, 1, 2, 3}, {0, -1e4f, -1e4f, 0, 0, -1e4f});
  builder.node("Add", {"s", "m"}, {"t"});
  builder.node("Softmax", {"t"}, {"y"});
  builder.output("y");
  const Blobs sample{{"s", {{1, 1, 2, 3}, {0.1f, 0.2f, 0.3f, 0.6066f, 0.1f, 1}}}};
  auto net = calibrated(builder.model, {sample});
  ASSERT_TRUE(net.ok()) << net.status().message();
  auto result = run_int8(net->net, sample);
  ASSERT_TRUE(result.ok()) << result.status().message();
  const std::vector<float> expected = {1, 0, 0, 0.624f, 0.376f, 0};
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(result->at("y").data[i], expected[i], 0.01f) << i;
}

// The importer first makes other layers of constants per channel and of scalars; they become masks.
TEST(Masks, OfOtherShapes) {
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{4}, {1, 4}, {1}}) {
    ModelBuilder builder(13);
    builder.input("s", {1, 4});
    std::vector<float> mask(static_cast<size_t>(shape.back()), 0.0f);
    mask.back() = -1e4f;
    builder.weights("m", shape, mask);
    builder.node("Add", {"s", "m"}, {"t"});
    builder.node("Softmax", {"t"}, {"y"});
    builder.output("y");
    expect_fit(builder, {{{"s", {{1, 4}, random_values(4, 3, -2, 2)}}}});
  }
}

// A sum with another reader stays a tensor; a scale of the file stays its range.
TEST(Masks, SumsThatOthersReadStay) {
  ModelBuilder builder = attention(Form::sum, -2);
  builder.node("Sigmoid", {"t"}, {"z"});
  builder.output("z");
  auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  EXPECT_NE(network->producer("t"), nullptr);
  ModelBuilder alone = attention(Form::sum, -2);
  auto without = import(alone.model);
  ASSERT_TRUE(without.ok()) << without.status().message();
  EXPECT_EQ(without->producer("t"), nullptr);
}

std::string refusal(const onnx::ModelProto& model) {
  auto network = import(model);
  return network.ok() ? "" : network.status().message();
}

TEST(Masks, InfinityElsewhere) {
  ModelBuilder builder(13);
  builder.input("s", {2, 2});
  builder.weights("mask", {2, 2}, {0, -INFINITY, -INFINITY, 0});
  builder.node("Add", {"s", "mask"}, {"t"});
  builder.node("Sigmoid", {"t"}, {"y"});
  builder.output("y");
  auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto result = run_float(*network, {{"s", {{2, 2}, {0, 1, 2, 0}}}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->at("y").data, (std::vector<float>{0.5f, 0, 0, 0.5f}));
}

TEST(Masks, InfiniteFactorsAreRefusedByTheirName) {
  ModelBuilder product(13);
  product.input("s", {2, 3, 4});
  product.weights("factor", {2, 3, 4}, std::vector<float>(24, INFINITY));
  product.node("Mul", {"s", "factor"}, {"y"});
  product.output("y");
  EXPECT_NE(refusal(product.model).find("factor = inf"), std::string::npos)
      << refusal(product.model);
}

// Between these masks and the softmax is an operation that it cannot include.
TEST(Masks, BeforeOtherOperations) {
  const std::vector<std::pair<const char*, std::vector<std::string>>> types{
      {"Sub", {"m", "s"}}, {"Min", {"s", "m"}}, {"Div", {"t", "two"}}};
  for (const auto& [type, operands] : types) {
    SCOPED_TRACE(type);
    ModelBuilder builder(13);
    builder.input("q", {1, kHeads, kTokens, kSize});
    builder.input("k", {1, kHeads, kSize, kTokens});
    builder.weights("m", {1, 1, kTokens, kTokens}, causal(-10000));
    builder.weights("two", {}, {2});
    builder.node("MatMul", {"q", "k"}, {"s"});
    builder.node("Add", {"s", "m"}, {"t"});
    builder.node(type, operands, {"u"});
    builder.node("Softmax", {"u"}, {"y"});
    builder.output("y");
    expect_fit(builder, samples(Form::sum, -10000, 2));
  }
}

// A convolution makes the scores of this softmax, as bytes.
TEST(Masks, CoarseScoresAreSaid) {
  ModelBuilder builder(13);
  builder.input("x", {1, 2, 4, 4});
  builder.weights("w", {2, 2, 1, 1}, {1, 0, 0, 1e4f});
  builder.node("Conv", {"x", "w"}, {"s"});
  builder.node("Softmax", {"s"}, {"y"});
  builder.output("y");
  auto net = calibrated(builder.model, {{{"x", {{1, 2, 4, 4}, random_values(32, 1)}}}});
  ASSERT_TRUE(net.ok()) << net.status().message();
  const auto& warnings = net->calibration.warnings;
  const auto coarse = std::ranges::find_if(
      warnings, [](const Error& warning) { return warning.id() == errors::net_coarse_scores; });
  ASSERT_NE(coarse, warnings.end());
  EXPECT_NE(coarse->message().find("step of s"), std::string::npos) << coarse->message();
}

}  // namespace
}  // namespace tputwin::test
