// Integers: folded, cast, and computed in the net. Expected values are those of ONNX Runtime 1.30
// on x86 (CPU, optimizations off).
#include <cmath>

#include "bmnet_onnx/support.h"

namespace tputwin::test::folded_integers {
namespace {

using onnx::TensorProto;

std::vector<float> results(const ModelBuilder& builder, const Blobs& inputs) {
  auto network = import(builder.model);
  EXPECT_TRUE(network.ok()) << network.status().message();
  if (!network.ok()) return {};
  auto result = run_float(*network, inputs);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? result->at("y").data : std::vector<float>{};
}

void cast(ModelBuilder& builder, const std::string& x, const std::string& y, int type) {
  ModelBuilder::set(builder.node("Cast", {x}, {y}), "to", int64_t{type});
}

// Makes the constant "f" one of floats and adds it to the input, which is 0.
std::vector<float> values_of(ModelBuilder& builder, size_t count) {
  builder.input("x", {static_cast<int64_t>(count)});
  cast(builder, "result", "f", TensorProto::FLOAT);
  builder.node("Add", {"x", "f"}, {"y"});
  builder.output("y");
  const std::vector<float> zeros(count);
  return results(builder, {{"x", {{static_cast<int64_t>(count)}, zeros}}});
}

std::vector<float> folded(const char* type, const std::vector<int64_t>& a,
                          const std::vector<int64_t>& b, int of) {
  ModelBuilder builder(15);
  const auto count = static_cast<int64_t>(a.size());
  builder.integers("a", {count}, a, of);
  std::vector<std::string> inputs{"a"};
  if (!b.empty()) {
    builder.integers("b", {static_cast<int64_t>(b.size())}, b, of);
    inputs.push_back("b");
  }
  builder.node(type, inputs, {"result"});
  return values_of(builder, a.size());
}

constexpr int64_t kMost = INT64_MAX, kLeast = INT64_MIN;

TEST(FoldedIntegers, WrapInTheirType) {
  const float most = 9223372036854775807.0f;
  using Values = std::vector<float>;
  EXPECT_EQ(folded("Add", {kMost, kLeast}, {1, -1}, TensorProto::INT64), (Values{-most, most}));
  EXPECT_EQ(folded("Sub", {kMost, kLeast}, {1, 1}, TensorProto::INT64), (Values{most, most}));
  EXPECT_EQ(folded("Mul", {kMost, 1 << 30}, {2, 3}, TensorProto::INT64), (Values{-2, 3221225472}));
  EXPECT_EQ(folded("Abs", {kLeast, -7}, {}, TensorProto::INT64), (Values{-most, 7}));
  EXPECT_EQ(folded("Neg", {kLeast, -7}, {}, TensorProto::INT64), (Values{-most, 7}));
  EXPECT_EQ(folded("Div", {kLeast, 7}, {3, -2}, TensorProto::INT64),
            (Values{-3074457345618258603.0f, -3}));
  EXPECT_EQ(folded("Mod", {kLeast, -7}, {3, 3}, TensorProto::INT64), (Values{1, 2}));
  EXPECT_EQ(folded("Max", {(1LL << 53) + 1, kLeast}, {1LL << 53, 0}, TensorProto::INT64),
            (Values{9007199254740992.0f, 0}));
  EXPECT_EQ(folded("Equal", {(1LL << 53) + 1, 3}, {1LL << 53, 3}, TensorProto::INT64),
            (Values{0, 1}));
  EXPECT_EQ(folded("Add", {INT32_MAX, -5}, {1, 5}, TensorProto::INT32),
            (Values{-2147483648.0f, 0}));
  EXPECT_EQ(folded("Pow", {INT32_MAX, 70000}, {2}, TensorProto::INT32), (Values{1, 605032704}));
}

TEST(FoldedIntegers, OfUnsigned64Bits) {
  ModelBuilder builder(15);
  for (const char* name : {"a", "b"}) {
    auto& tensor = *builder.model.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(TensorProto::UINT64);
    tensor.add_dims(2);
    tensor.add_uint64_data(name[0] == 'a' ? UINT64_MAX : 3);
    tensor.add_uint64_data(name[0] == 'a' ? 5 : 7);
  }
  builder.node("Less", {"a", "b"}, {"result"});
  EXPECT_EQ(values_of(builder, 2), (std::vector<float>{0, 1}));
}

// Reductions take the nearest integer of the type.
TEST(FoldedIntegers, ReductionsSaturate) {
  for (const auto& [type, expected] :
       {std::pair("ReduceSum", 2147483647.0f), std::pair("ReduceProd", 2147483647.0f),
        std::pair("ReduceMean", 1073741840.0f)}) {
    ModelBuilder builder(12);
    builder.integers("a", {2}, {INT32_MAX, 37}, TensorProto::INT32);
    builder.node(type, {"a"}, {"result"});
    EXPECT_EQ(values_of(builder, 1), std::vector<float>{expected}) << type;
  }
}

const std::vector<float> kReals = {-0.5f, 127.9f, 128,    255.9f,        300.5f,   -300.5f,   -129,
                                   32768, 65537,  -65537, 2147483648.0f, INFINITY, -INFINITY, NAN};
struct Cast {
  int type;
  std::vector<float> expected;
};
const Cast kCasts[] = {
    {TensorProto::INT8, {0, 127, -128, -1, 44, -44, 127, 0, 1, -1, 0, 0, 0, 0}},
    {TensorProto::UINT8, {0, 127, 128, 255, 44, 212, 127, 0, 1, 255, 0, 0, 0, 0}},
    {TensorProto::INT16, {0, 127, 128, 255, 300, -300, -129, -32768, 1, -1, 0, 0, 0, 0}},
    {TensorProto::INT32,
     {0, 127, 128, 255, 300, -300, -129, 32768, 65537, -65537, -2147483648.0f, -2147483648.0f,
      -2147483648.0f, -2147483648.0f}},
    {TensorProto::BOOL, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}};

TEST(FoldedIntegers, CastsOfConstants) {
  for (const Cast& one : kCasts) {
    SCOPED_TRACE(one.type);
    ModelBuilder builder(13);
    builder.weights("a", {static_cast<int64_t>(kReals.size())}, kReals);
    cast(builder, "a", "result", one.type);
    EXPECT_EQ(values_of(builder, kReals.size()), one.expected);
  }
}

TEST(FoldedIntegers, CastsOfTensors) {
  for (const Cast& one : kCasts) {
    SCOPED_TRACE(one.type);
    const auto count = static_cast<int64_t>(kReals.size());
    ModelBuilder builder(13);
    builder.input("x", {count});
    cast(builder, "x", "whole", one.type);
    cast(builder, "whole", "y", TensorProto::FLOAT);
    builder.output("y");
    EXPECT_EQ(results(builder, {{"x", {{count}, kReals}}}), one.expected);
  }
}

TEST(FoldedIntegers, CastsToFloatsRound) {
  const std::vector<float> x = {1.00390625f, 0.1f, 65520};
  for (const auto& [type, expected] :
       {std::pair(int{TensorProto::BFLOAT16}, std::vector<float>{1, 0.10009765625f, 65536}),
        std::pair(int{TensorProto::FLOAT16},
                  std::vector<float>{1.00390625f, 0.0999755859375f, 65504})}) {
    ModelBuilder builder(13);
    builder.weights("a", {3}, x);
    cast(builder, "a", "half", type);
    builder.weights("most", {}, {65504});
    cast(builder, "half", "wide", TensorProto::FLOAT);
    builder.node(type == TensorProto::FLOAT16 ? "Min" : "Max", {"wide", "most"}, {"cut"});
    builder.node("Identity", {type == TensorProto::FLOAT16 ? "cut" : "wide"}, {"result"});
    EXPECT_EQ(values_of(builder, 3), expected);
  }
}

// Sums of int8 wrap, in the net and as constants.
TEST(FoldedIntegers, ArithmeticOfBytes) {
  const std::vector<float> x = {1, 127, -128, 100};
  ModelBuilder builder(14);
  builder.input("x", {4});
  cast(builder, "x", "a", TensorProto::INT8);
  builder.node("Add", {"a", "a"}, {"sum"});
  cast(builder, "sum", "y", TensorProto::FLOAT);
  builder.output("y");
  EXPECT_EQ(results(builder, {{"x", {{4}, x}}}), (std::vector<float>{2, -2, 0, -56}));
  EXPECT_EQ(folded("Add", {1, 127, -128, 100}, {1, 127, -128, 100}, TensorProto::INT8),
            (std::vector<float>{2, -2, 0, -56}));
}

}  // namespace
}  // namespace tputwin::test::folded_integers
