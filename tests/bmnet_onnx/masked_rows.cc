// Masks that choose by tensors, rows that are masked whole, and pads of minus infinity. Expected
// values are those of ONNX Runtime 1.30 (CPU, optimizations off), or of the same formula.
#include <cfloat>
#include <cmath>

#include "bmnet_onnx/support.h"

namespace tputwin::test::masked_rows {
namespace {

using Dims = std::vector<int64_t>;
constexpr int64_t kSize = 2, kQueries = 2, kKeys = 3;
const std::vector<float> kQ = {1, 0, 0, 2}, kK = {1, 2, -1, 0.5f, 0, 1}, kV = {1, 2, 3, 4, 5, 6};

Result<std::vector<float>> values_of(const ModelBuilder& builder, const Blobs& inputs) {
  TW_ASSIGN_OR_RETURN(network, import(builder.model));
  TW_ASSIGN_OR_RETURN(result, run_float(network, inputs));
  return result.begin()->second.data;
}

// softmax(cap(q k / sqrt(2)) + mask) v, with zeros for queries without a key.
std::vector<float> attention(const std::vector<float>& mask, float cap) {
  std::vector<float> y;
  for (size_t q = 0; q < kQueries; ++q) {
    std::vector<double> weights;
    double sum = 0;
    for (size_t k = 0; k < kKeys; ++k) {
      double score = (kQ[2 * q] * kK[2 * k] + kQ[2 * q + 1] * kK[2 * k + 1]) / std::sqrt(2.0);
      if (cap != 0) score = cap * std::tanh(score / cap);
      const float added = mask[q * kKeys + k];
      weights.push_back(added <= -1e38f ? 0 : std::exp(score + added));
      sum += weights.back();
    }
    for (size_t i = 0; i < kSize; ++i) {
      double value = 0;
      for (size_t k = 0; k < kKeys; ++k) value += weights[k] * kV[2 * k + i];
      y.push_back(static_cast<float>(sum == 0 ? 0 : value / sum));
    }
  }
  return y;
}

enum class Form { constant, tensor, booleans, boolean_tensor };

void expect_attention(Form form, const std::vector<float>& mask, bool causal, float cap) {
  ModelBuilder builder(23);
  builder.model.set_ir_version(10);
  builder.input("q", {1, 1, kQueries, kSize});
  builder.weights("k", {1, 1, kKeys, kSize}, kK);
  builder.weights("v", {1, 1, kKeys, kSize}, kV);
  Blobs inputs{{"q", {{1, 1, kQueries, kSize}, kQ}}};
  std::vector<int64_t> kept;
  std::vector<float> added = mask, is_kept;
  for (const float m : mask) kept.push_back(m == 0), is_kept.push_back(m == 0 ? 1.0f : 0.0f);
  const Dims dims{kQueries, kKeys};
  if (form == Form::constant) builder.weights("m", dims, mask);
  if (form == Form::booleans) builder.integers("m", dims, kept, onnx::TensorProto::BOOL);
  if (form == Form::tensor) builder.input("m", dims);
  if (form == Form::boolean_tensor) builder.input("m", dims, onnx::TensorProto::BOOL);
  if (form == Form::tensor) inputs["m"] = {dims, mask};
  if (form == Form::boolean_tensor) inputs["m"] = {dims, is_kept};
  auto& node = builder.node("Attention", {"q", "k", "v", "m"}, {"y"});
  if (causal) ModelBuilder::set(node, "is_causal", int64_t{1});
  if (cap != 0) ModelBuilder::set(node, "softcap", cap);
  builder.output("y");
  if (causal) added[1] = added[2] = added[5] = -INFINITY;
  auto actual = values_of(builder, inputs);
  ASSERT_TRUE(actual.ok()) << actual.status().message();
  const std::vector<float> expected = attention(added, cap);
  ASSERT_EQ(actual->size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR((*actual)[i], expected[i], 1e-5) << i;
}

TEST(MaskedRows, OfAttention) {
  for (const Form form : {Form::constant, Form::tensor, Form::booleans, Form::boolean_tensor})
    for (const bool causal : {false, true})
      for (const float cap : {0.0f, 0.8f})
        for (const bool row : {false, true}) {
          SCOPED_TRACE(::testing::Message() << static_cast<int>(form) << causal << cap << row);
          const float none = -INFINITY;
          expect_attention(form, {row ? none : 0, 0, none, 0, none, row ? 0.0f : none}, causal,
                           cap);
          expect_attention(form, {row ? none : 0, none, none, 0, none, 0}, causal, cap);
        }
}

TEST(MaskedRows, OfTheLowestFloat) {
  for (const Form form : {Form::constant, Form::tensor})
    expect_attention(form, {-FLT_MAX, -FLT_MAX, -FLT_MAX, 0, -FLT_MAX, 0.5f}, false, 0);
}

// A tensor chooses between scores and minus infinity.
ModelBuilder chosen(const char* type, float value) {
  ModelBuilder builder(13);
  builder.input("x", {2, 3});
  builder.input("m", {2, 3}, onnx::TensorProto::BOOL);
  builder.weights("none", {}, {value});
  builder.node("Where", {"m", "x", "none"}, {"s"});
  builder.node(type, {"s"}, {"y"});
  builder.output("y");
  return builder;
}

const Blobs kScores{{"x", {{2, 3}, {1, 2, 3, -1, 0.5f, 0}}}, {"m", {{2, 3}, {1, 0, 1, 0, 1, 0}}}};
const std::vector<float> kWeights = {0.1192029f, 0, 0.8807971f, 0, 1, 0};

TEST(MaskedRows, WhereATensorChooses) {
  for (const float value : {-1e4f, -FLT_MAX, -INFINITY}) {
    const ModelBuilder builder = chosen("Softmax", value);
    auto actual = values_of(builder, kScores);
    ASSERT_TRUE(actual.ok()) << actual.status().message();
    for (size_t i = 0; i < 6; ++i) EXPECT_NEAR((*actual)[i], kWeights[i], 1e-6) << i;
    auto network = import(builder.model);
    auto net = quantized(std::move(*network), kScores);
    ASSERT_TRUE(net.ok()) << net.status().message();
    auto result = run_int8(*net, kScores);
    ASSERT_TRUE(result.ok()) << result.status().message();
    for (size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(result->at("y").data[i], kWeights[i], 0.02) << value << " " << i;
  }
}

// Readers other than a Softmax get the infinite values themselves.
TEST(MaskedRows, InfinityForOthers) {
  const std::pair<const char*, std::vector<float>> expected[] = {
      {"LogSoftmax", {-2.126928f, -INFINITY, -0.126928f, -INFINITY, 0, -INFINITY}},
      {"Sigmoid", {0.7310586f, 0, 0.9525741f, 0, 0.6224593f, 0}},
      {"Relu", {1, 0, 3, 0, 0.5f, 0}},
      {"Exp", {2.7182817f, 0, 20.085537f, 0, 1.6487212f, 0}},
      {"ReduceMax", {3}},
      {"ArgMax", {0, 1, 0}}};
  for (const auto& [type, values] : expected) {
    SCOPED_TRACE(type);
    auto actual = values_of(chosen(type, -INFINITY), kScores);
    ASSERT_TRUE(actual.ok()) << actual.status().message();
    ASSERT_EQ(actual->size(), values.size());
    for (size_t i = 0; i < values.size(); ++i)
      if (std::isfinite(values[i]))
        EXPECT_NEAR((*actual)[i], values[i], 1e-5) << i;
      else
        EXPECT_EQ((*actual)[i], values[i]) << i;
  }
}

// A MaxPool of a row that is masked whole is -inf.
TEST(MaskedRows, InfinityBeforeMaxPool) {
  ModelBuilder builder(13);
  builder.input("x", {1, 1, 2, 4});
  builder.input("m", {1, 1, 2, 4}, onnx::TensorProto::BOOL);
  builder.weights("none", {}, {-INFINITY});
  builder.node("Where", {"m", "x", "none"}, {"s"});
  auto& node = builder.node("MaxPool", {"s"}, {"y"});
  ModelBuilder::set(node, "kernel_shape", Dims{1, 2});
  ModelBuilder::set(node, "strides", Dims{1, 2});
  builder.output("y");
  auto actual = values_of(builder, {{"x", {{1, 1, 2, 4}, {-1, -2, 3, 4, 5, 6, 7, 8}}},
                                    {"m", {{1, 1, 2, 4}, {1, 1, 0, 1, 0, 0, 1, 0}}}});
  ASSERT_TRUE(actual.ok()) << actual.status().message();
  EXPECT_EQ(*actual, (std::vector<float>{-1, 4, -INFINITY, 7}));
}

std::vector<float> pooled(const std::vector<float>& x, const char* second, float value,
                          std::string& refusal) {
  ModelBuilder builder(13);
  builder.input("x", {1, 1, 3, 3});
  builder.integers("pads", {8}, {0, 0, 1, 0, 0, 0, 0, 1});
  builder.weights("value", {}, {value});
  builder.node("Pad", {"x", "pads", "value"}, {"padded"});
  auto& node = builder.node(second, {"padded"}, {"y"});
  if (second == std::string("MaxPool")) {
    ModelBuilder::set(node, "kernel_shape", Dims{2, 2});
    ModelBuilder::set(node, "strides", Dims{2, 2});
  }
  builder.output("y");
  auto actual = values_of(builder, {{"x", {{1, 1, 3, 3}, x}}});
  refusal = actual.ok() ? "" : actual.status().message();
  return actual.ok() ? *actual : std::vector<float>{};
}

TEST(MaskedRows, PadsOfMinusInfinity) {
  const std::vector<float> x = {-9, -8, -7, -6, -5, -4, -3, -2, -1};
  std::string refusal;
  for (const float value : {-INFINITY, -FLT_MAX}) {
    EXPECT_EQ(pooled(x, "MaxPool", value, refusal), (std::vector<float>{-8, -7, -2, -1}));
    EXPECT_TRUE(pooled(x, "Relu", value, refusal).empty());
    EXPECT_NE(refusal.find("node n_y (Relu)"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("only a MaxPool has such pads"), std::string::npos) << refusal;
  }
}

}  // namespace
}  // namespace tputwin::test::masked_rows
