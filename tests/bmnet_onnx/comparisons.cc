// Comparisons with NaN and infinities. Expected values are those of ONNX Runtime 1.30 (CPU,
// optimizations off).
#include <cmath>

#include "bmnet_onnx/support.h"

namespace tputwin::test::comparisons {
namespace {

const std::vector<float> kA = {NAN, 1, -0.0f, INFINITY, NAN, 2, INFINITY, -INFINITY, 1.0000001f};
const std::vector<float> kB = {1, NAN, 0, INFINITY, NAN, 3, -INFINITY, -INFINITY, 1};

struct Case {
  const char* type;
  std::vector<float> of_tensors, with_one;
};
const Case kCases[] = {
    {"Less", {0, 0, 0, 0, 0, 1, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0, 1, 0}},
    {"Greater", {0, 0, 0, 0, 0, 0, 1, 0, 1}, {0, 0, 0, 1, 0, 1, 1, 0, 1}},
    {"Equal", {0, 0, 1, 1, 0, 0, 0, 1, 0}, {0, 1, 0, 0, 0, 0, 0, 0, 0}},
    {"LessOrEqual", {0, 0, 1, 1, 0, 1, 0, 1, 0}, {0, 1, 1, 0, 0, 0, 0, 1, 0}},
    {"GreaterOrEqual", {0, 0, 1, 1, 0, 0, 1, 1, 1}, {0, 1, 0, 1, 0, 1, 1, 0, 1}}};

std::vector<float> results(ModelBuilder& builder, const std::string& boolean, const Blobs& inputs) {
  ModelBuilder::set(builder.node("Cast", {boolean}, {"y"}), "to",
                    int64_t{onnx::TensorProto::FLOAT});
  builder.output("y");
  auto network = import(builder.model);
  EXPECT_TRUE(network.ok()) << network.status().message();
  if (!network.ok()) return {};
  auto result = run_float(*network, inputs);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? result->at("y").data : std::vector<float>{};
}

TEST(Comparisons, OfTensors) {
  for (const Case& one : kCases) {
    ModelBuilder builder(13);
    builder.input("a", {9});
    builder.input("b", {9});
    builder.node(one.type, {"a", "b"}, {"c"});
    EXPECT_EQ(results(builder, "c", {{"a", {{9}, kA}}, {"b", {{9}, kB}}}), one.of_tensors)
        << one.type;
  }
}

TEST(Comparisons, WithConstants) {
  for (const Case& one : kCases) {
    ModelBuilder builder(13);
    builder.input("a", {9});
    builder.weights("one", {}, {1});
    builder.node(one.type, {"a", "one"}, {"c"});
    EXPECT_EQ(results(builder, "c", {{"a", {{9}, kA}}}), one.with_one) << one.type;
  }
}

TEST(Comparisons, WithInfinity) {
  ModelBuilder builder(13);
  builder.input("a", {9});
  builder.weights("infinite", {}, {-INFINITY});
  builder.node("Equal", {"a", "infinite"}, {"c"});
  EXPECT_EQ(results(builder, "c", {{"a", {{9}, kA}}}),
            (std::vector<float>{0, 0, 0, 0, 0, 0, 0, 1, 0}));
}

TEST(Comparisons, OfConstants) {
  for (const Case& one : kCases) {
    ModelBuilder builder(13);
    builder.weights("a", {9}, kA);
    builder.weights("b", {9}, kB);
    builder.node(one.type, {"a", "b"}, {"c"});
    builder.input("x", {9});
    builder.node("Not", {"c"}, {"not"});
    builder.node("Not", {"not"}, {"same"});
    ModelBuilder::set(builder.node("Cast", {"same"}, {"f"}), "to",
                      int64_t{onnx::TensorProto::FLOAT});
    builder.node("Add", {"f", "x"}, {"sum"});
    EXPECT_EQ(results(builder, "sum", {{"x", {{9}, std::vector<float>(9)}}}), one.of_tensors)
        << one.type;
  }
}

TEST(Comparisons, SearchForNanAndInfinity) {
  const struct {
    const char* type;
    int64_t negative, positive;
    std::vector<float> expected;
  } cases[] = {{"IsNaN", 1, 1, {1, 0, 0, 0, 1, 0, 0, 0, 0}},
               {"IsInf", 1, 1, {0, 0, 0, 1, 0, 0, 1, 1, 0}},
               {"IsInf", 0, 1, {0, 0, 0, 1, 0, 0, 1, 0, 0}},
               {"IsInf", 1, 0, {0, 0, 0, 0, 0, 0, 0, 1, 0}}};
  for (const auto& one : cases) {
    ModelBuilder builder(13);
    builder.input("a", {9});
    auto& node = builder.node(one.type, {"a"}, {"c"});
    if (one.negative == 0) ModelBuilder::set(node, "detect_negative", int64_t{0});
    if (one.positive == 0) ModelBuilder::set(node, "detect_positive", int64_t{0});
    EXPECT_EQ(results(builder, "c", {{"a", {{9}, kA}}}), one.expected) << one.type;
  }
}

// The results are exact in int8, where 1 is 127/128.
TEST(Comparisons, InInt8) {
  const std::vector<float> a = {-1, -0.5f, 0, 0.5f, 1}, b = {1, -0.5f, -1, 0.25f, 1};
  for (const Case& one : kCases) {
    ModelBuilder builder(13);
    builder.input("a", {1, 5});
    builder.input("b", {1, 5});
    builder.node(one.type, {"a", "b"}, {"c"});
    const Blobs inputs{{"a", {{1, 5}, a}}, {"b", {{1, 5}, b}}};
    const std::vector<float> expected = results(builder, "c", inputs);
    auto network = import(builder.model);
    ASSERT_TRUE(network.ok()) << network.status().message();
    auto net = quantized(std::move(*network), inputs);
    ASSERT_TRUE(net.ok()) << net.status().message();
    auto actual = run_int8(*net, inputs);
    ASSERT_TRUE(actual.ok()) << actual.status().message();
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(actual->at("y").data[i], expected[i], 0.01) << one.type << " " << i;
  }
}

}  // namespace
}  // namespace tputwin::test::comparisons
