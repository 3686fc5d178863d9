// Sequences of tensors, of which nodes take tensors by constant positions.
#include "bmnet_onnx/support.h"

namespace tputwin::test::lists {
namespace {

// The rows of x (3,2) as a sequence, without the second one and with twice the first one at the
// end, and what `add` makes of it.
template <class Add>
ModelBuilder rows(const Add& add) {
  ModelBuilder builder(13);
  builder.input("x", {3, 2});
  builder.integers("one", {}, {1});
  builder.node("SplitToSequence", {"x", "one"}, {"all"});
  builder.node("SequenceErase", {"all", "one"}, {"two"});
  builder.integers("first", {}, {0});
  builder.node("SequenceAt", {"two", "first"}, {"a"});
  builder.node("Add", {"a", "a"}, {"twice"});
  builder.node("SequenceInsert", {"two", "twice"}, {"list"});
  add(builder);
  builder.output("y");
  return builder;
}

std::vector<float> results_of(const ModelBuilder& builder) {
  auto network = import(builder.model);
  EXPECT_TRUE(network.ok()) << network.status().message();
  if (!network.ok()) return {};
  auto result = run_float(*network, {{"x", {{3, 2}, {1, 2, 3, 4, 5, 6}}}});
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? result->at("y").data : std::vector<float>();
}

std::string refusal(const ModelBuilder& builder) {
  auto network = import(builder.model);
  return network.ok() ? "imported" : network.status().message();
}

TEST(Lists, AreConcatenated) {
  const ModelBuilder builder = rows([](ModelBuilder& b) {
    ModelBuilder::set(b.node("ConcatFromSequence", {"list"}, {"y"}), "axis", int64_t{0});
  });
  EXPECT_EQ(results_of(builder), (std::vector<float>{1, 2, 5, 6, 2, 4}));
}

TEST(Lists, GiveTensorsByPositionAndTheirNumber) {
  const ModelBuilder builder = rows([](ModelBuilder& b) {
    b.integers("last", {}, {-1});
    b.node("SequenceAt", {"list", "last"}, {"end"});
    b.node("SequenceLength", {"list"}, {"count"});
    ModelBuilder::set(b.node("Cast", {"count"}, {"number"}), "to",
                      int64_t{onnx::TensorProto::FLOAT});
    b.node("Mul", {"end", "number"}, {"y"});
  });
  EXPECT_EQ(results_of(builder), (std::vector<float>{6, 12}));
}

TEST(Lists, PositionsBeyondTheEndAreRefused) {
  const std::string why = refusal(rows([](ModelBuilder& b) {
    b.integers("beyond", {}, {3});
    b.node("SequenceAt", {"list", "beyond"}, {"y"});
  }));
  for (const char* word : {"n_y (SequenceAt)", "position = 3", "within a sequence of 3"})
    EXPECT_NE(why.find(word), std::string::npos) << why;
}

TEST(Lists, AreNoOutputs) {
  const std::string why =
      refusal(rows([](ModelBuilder& b) { b.node("Identity", {"list"}, {"y"}); }));
  EXPECT_NE(why.find("output y"), std::string::npos) << why;
  EXPECT_NE(why.find("make its tensors outputs"), std::string::npos) << why;
}

}  // namespace
}  // namespace tputwin::test::lists
