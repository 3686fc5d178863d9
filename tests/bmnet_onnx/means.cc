// Thresholds around means: the scale of a mean is much smaller than the scale of its input.
// Expected values are those of ONNX Runtime 1.30 (CPU, optimizations off).
#include <cmath>

#include "bmnet_onnx/calibrated.h"

namespace tputwin::test {
namespace {

using onnx::TensorProto;

constexpr size_t kPixels = 81;

enum class Kind { global, window, reduce };

// x -> Q -> DQ -> Conv 1x1 -> [Relu] -> mean [-> Q -> DQ] -> y, where only x and the mean have
// scales.
ModelBuilder mean_model(Kind kind, bool relu, const std::vector<float>& weights, float mean_scale) {
  ModelBuilder builder(13);
  builder.input("x", {1, 4, 9, 9});
  builder.weights("w", {4, 4, 1, 1}, weights);
  builder.weights("xs", {}, {4.0f / 127});
  builder.integers("z", {}, {0}, TensorProto::INT8);
  builder.node("QuantizeLinear", {"x", "xs", "z"}, {"q"});
  builder.node("DequantizeLinear", {"q", "xs", "z"}, {"d"});
  builder.node("Conv", {"d", "w"}, {"c"});
  if (relu) builder.node("Relu", {"c"}, {"r"});
  const std::string from = relu ? "r" : "c";
  if (kind == Kind::global) builder.node("GlobalAveragePool", {from}, {"m"});
  if (kind == Kind::window)
    ModelBuilder::set(builder.node("AveragePool", {from}, {"m"}), "kernel_shape",
                      std::vector<int64_t>{9, 9});
  if (kind == Kind::reduce)
    ModelBuilder::set(builder.node("ReduceMean", {from}, {"m"}), "axes",
                      std::vector<int64_t>{2, 3});
  builder.weights("ms", {}, {mean_scale});
  builder.node("QuantizeLinear", {"m", "ms", "z"}, {"k"});
  builder.node("DequantizeLinear", {"k", "ms", "z"}, {"y"});
  builder.output("y");
  return builder;
}

TEST(Means, DoNotGiveTheirScaleToWhatTheyAreMeansOf) {
  const std::vector<float> weights = random_values(16, 5, -1.27f, 1.27f);
  Batches samples;
  for (uint64_t i = 0; i < 4; ++i)
    samples.push_back({{"x", {{1, 4, 9, 9}, random_values(4 * kPixels, i, -4, 4)}}});
  for (const Kind kind : {Kind::global, Kind::window, Kind::reduce})
    for (const bool relu : {false, true}) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(kind) << " " << relu);
      // The scale of the means that a quantizer of the whole net would find.
      auto wide = import(mean_model(kind, relu, weights, 1).model);
      ASSERT_TRUE(wide.ok()) << wide.status().message();
      float most = 0;
      for (const Blobs& sample : samples) {
        auto floats = run_float(*wide, sample);
        ASSERT_TRUE(floats.ok()) << floats.status().message();
        for (float v : floats->begin()->second.data) most = std::max(most, std::fabs(v));
      }
      const ModelBuilder builder = mean_model(kind, relu, weights, most / 127);
      // The file alone does not give the range of `c`.
      auto alone = own_int8(builder.model);
      ASSERT_FALSE(alone.ok());
      EXPECT_NE(alone.status().message().find("TW-NET-0302"), std::string::npos);
      auto net = calibrated(builder.model, samples);
      ASSERT_TRUE(net.ok()) << net.status().message();
      EXPECT_GT(tensor_threshold(net->net, "c"), 2);
      for (const Blobs& sample : samples) {
        auto expected = run_float(*wide, sample);
        auto result = run_int8(net->net, sample);
        ASSERT_TRUE(expected.ok() && result.ok());
        EXPECT_GT(sqnr(expected->begin()->second.data, result->begin()->second.data), 20);
      }
    }
}

// A mean without a scale, after a tensor with one: samples give a better scale than the bound.
TEST(Means, AreMeasured) {
  ModelBuilder builder(13);
  builder.input("x", {1, 4, 9, 9});
  builder.weights("xs", {}, {4.0f / 127});
  builder.integers("z", {}, {0}, TensorProto::INT8);
  builder.node("QuantizeLinear", {"x", "xs", "z"}, {"q"});
  builder.node("DequantizeLinear", {"q", "xs", "z"}, {"d"});
  builder.node("GlobalAveragePool", {"d"}, {"m"});
  builder.node("Relu", {"m"}, {"y"});
  builder.output("y");
  auto alone = own_int8(builder.model);
  ASSERT_TRUE(alone.ok()) << alone.status().message();
  EXPECT_FLOAT_EQ(tensor_threshold(*alone, "y"), 4.0f / 127 * 128);
  Batches samples{{{"x", {{1, 4, 9, 9}, random_values(4 * kPixels, 1, -3, 4)}}}};
  auto net = calibrated(builder.model, samples);
  ASSERT_TRUE(net.ok()) << net.status().message();
  EXPECT_LT(tensor_threshold(net->net, "m"), 1);
  EXPECT_LT(tensor_threshold(net->net, "y"), 1);
  EXPECT_FLOAT_EQ(tensor_threshold(net->net, "x"), 4.0f / 127 * 128);
}

}  // namespace
}  // namespace tputwin::test
