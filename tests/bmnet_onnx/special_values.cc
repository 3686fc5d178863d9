// Infinities, NaN and negative zero in the float net. Expected values are those of ONNX
// Runtime 1.30 (CPU, optimizations off).
#include <cmath>

#include "bmnet_onnx/support.h"

namespace tputwin::test {
namespace {

std::vector<float> results(const ModelBuilder& builder, const Blobs& inputs) {
  auto network = import(builder.model);
  EXPECT_TRUE(network.ok()) << network.status().message();
  if (!network.ok()) return {};
  auto result = run_float(*network, inputs);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? result->begin()->second.data : std::vector<float>{};
}

void expect_same(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    if (std::isnan(expected[i]))
      EXPECT_TRUE(std::isnan(actual[i])) << i << ": " << actual[i];
    else
      EXPECT_TRUE(actual[i] == expected[i] && std::signbit(actual[i]) == std::signbit(expected[i]))
          << i << ": " << actual[i] << " for " << expected[i];
}

TEST(SpecialValues, OfOneOperand) {
  const std::vector<float> x = {-INFINITY, -0.0f, 4, INFINITY, NAN};
  const struct {
    const char* type;
    std::vector<float> expected;
  } cases[] = {{"Relu", {0, -0.0f, 4, INFINITY, NAN}},
               {"Sqrt", {NAN, -0.0f, 2, INFINITY, NAN}},
               {"Reciprocal", {-0.0f, -INFINITY, 0.25f, 0, NAN}},
               {"Abs", {INFINITY, 0, 4, INFINITY, NAN}}};
  for (const auto& one : cases) {
    SCOPED_TRACE(one.type);
    ModelBuilder builder(13);
    builder.input("x", {5});
    builder.node(one.type, {"x"}, {"y"});
    builder.output("y");
    expect_same(results(builder, {{"x", {{5}, x}}}), one.expected);
  }
  ModelBuilder clip(13);
  clip.input("x", {4});
  clip.weights("least", {}, {0});
  clip.node("Clip", {"x", "least"}, {"y"});
  clip.output("y");
  expect_same(results(clip, {{"x", {{4}, {-INFINITY, -0.0f, 4, NAN}}}}), {0, -0.0f, 4, NAN});
}

TEST(SpecialValues, NanGoesThroughMaxAndMin) {
  for (const char* type : {"Max", "Min"})
    for (const size_t operands : {2, 3}) {
      SCOPED_TRACE(type);
      ModelBuilder builder(13);
      std::vector<std::string> names;
      Blobs inputs;
      for (size_t i = 0; i < operands; ++i) {
        names.push_back(std::string(1, static_cast<char>('a' + i)));
        builder.input(names.back(), {3});
        std::vector<float> values = {1, 1, 1};
        values[i] = NAN;
        inputs[names.back()] = {{3}, values};
      }
      builder.node(type, names, {"y"});
      builder.output("y");
      std::vector<float> expected(3, 1.0f);
      std::fill_n(expected.begin(), operands, NAN);
      expect_same(results(builder, inputs), expected);
    }
}

}  // namespace
}  // namespace tputwin::test
