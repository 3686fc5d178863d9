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
               {"Elu", {-1, -0.0f, 4, INFINITY, NAN}},
               {"LeakyRelu", {-INFINITY, -0.0f, 4, INFINITY, NAN}},
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

// NaN is neither larger nor smaller than others: it counts as the first element only.
TEST(SpecialValues, NanInArgMaxAndArgMin) {
  const struct {
    std::vector<float> x;
    float largest, smallest, last_largest, last_smallest;
  } cases[] = {{{1, NAN, 3, 2}, 2, 0, 2, 0},    {{NAN, 1, 3, 2}, 0, 0, 0, 0},
               {{1, 3, NAN, 2}, 1, 0, 1, 0},    {{3, 1, NAN, 2}, 0, 1, 0, 1},
               {{NAN, NAN, NAN}, 0, 0, 0, 0},   {{1, 2, 3, NAN}, 2, 0, 2, 0},
               {{9, 1, 9, NAN, 1}, 0, 1, 2, 4}, {{-0.0f, 0, NAN}, 0, 0, 1, 1},
               {{INFINITY, NAN, 0}, 0, 2, 0, 2}};
  for (const auto& one : cases)
    for (const bool smallest : {false, true})
      for (const bool last : {false, true}) {
        const auto extent = static_cast<int64_t>(one.x.size());
        ModelBuilder builder(13);
        builder.input("x", {1, extent});
        auto& node = builder.node(smallest ? "ArgMin" : "ArgMax", {"x"}, {"y"});
        ModelBuilder::set(node, "axis", int64_t{1});
        ModelBuilder::set(node, "select_last_index", int64_t{last});
        builder.output("y");
        expect_same(results(builder, {{"x", {{1, extent}, one.x}}}),
                    {smallest ? (last ? one.last_smallest : one.smallest)
                              : (last ? one.last_largest : one.largest)});
      }
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
