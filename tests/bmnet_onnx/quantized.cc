// Quantized models: scales become thresholds and do not change; the integers follow the formula.
#include <cmath>

#include "bmnet/integers/rules.h"
#include "bmnet/integers/thresholds.h"
#include "bmnet/pipeline/prepare.h"
#include "bmnet_onnx/calibrated.h"

namespace tputwin::test {
namespace {

// x -> Q -> DQ -> Conv(1x1, weights dequantized) -> Relu -> Q -> DQ -> y
ModelBuilder qdq_model() {
  ModelBuilder builder(13);
  builder.input("x", {1, 2, 2, 2});
  builder.weights("sx", {}, {1.0f / 64});
  builder.weights("sy", {}, {1.0f / 32});
  builder.weights("sw", {2}, {1.0f / 128, 1.0f / 64});
  builder.integers("zero", {}, {0}, onnx::TensorProto::INT8);
  builder.integers("zeros", {2}, {0, 0}, onnx::TensorProto::INT8);
  builder.integers("w", {2, 2, 1, 1}, {64, -32, 100, 7}, onnx::TensorProto::INT8);
  builder.node("QuantizeLinear", {"x", "sx", "zero"}, {"xq"});
  builder.node("DequantizeLinear", {"xq", "sx", "zero"}, {"xd"});
  builder.set(builder.node("DequantizeLinear", {"w", "sw", "zeros"}, {"wd"}), "axis", int64_t{0});
  builder.node("Conv", {"xd", "wd"}, {"c"});
  builder.node("Relu", {"c"}, {"r"});
  builder.node("QuantizeLinear", {"r", "sy", "zero"}, {"rq"});
  builder.node("DequantizeLinear", {"rq", "sy", "zero"}, {"y"});
  builder.output("y");
  return builder;
}

TEST(Quantized, ScalesBecomeThresholds) {
  auto loaded = load(qdq_model().model);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  std::map<std::string, float> thresholds;
  for (const auto& entry : loaded->thresholds.layer())
    for (const auto& blob : entry.blob_param()) thresholds[blob.name()] = blob.threshold_y();
  EXPECT_EQ(thresholds.at("x"), 2);  // 128 / 64
  EXPECT_EQ(thresholds.at("y"), 4);
  EXPECT_EQ(thresholds.at("c"), 4);  // only a ReLU reads it
}

TEST(Quantized, IntegersAreThoseOfTheFormula) {
  auto loaded = load(qdq_model().model);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  auto network = net::import_caffe(loaded->net);
  ASSERT_TRUE(network.ok()) << network.status().message();
  const std::vector<float> x = {0.5f, -1, 1.5f, 1.984375f, -2, 0.25f, 0.015625f, 1};
  const Blobs inputs{{"x", {{1, 2, 2, 2}, x}}};
  auto net = quantized(*network, inputs, loaded->thresholds);
  ASSERT_TRUE(net.ok()) << net.status().message();
  auto result = run_int8(*net, inputs);
  ASSERT_TRUE(result.ok()) << result.status().message();
  // w' = floor(w * T_x/T_y * 2^s + 0.5), y = sat8(rhu(sum w'x, s)): docs/layers.md.
  const float w[2][2] = {{0.5f, -0.25f}, {100.0f / 64, 7.0f / 64}};
  const float ratio = 2.0f / 4;
  int shift = 0;
  while (std::ldexp(100.0f / 64 * ratio, shift + 1) < 128) ++shift;
  for (size_t o = 0; o < 2; ++o)
    for (size_t i = 0; i < 4; ++i) {
      int sum = 0;
      for (size_t c = 0; c < 2; ++c)
        sum += static_cast<int>(std::floor(std::ldexp(w[o][c] * ratio, shift) + 0.5f)) *
               static_cast<int>(x[c * 4 + i] * 64);
      const int rounded = (sum + (1 << (shift - 1))) >> shift;
      const int y = std::max(0, std::min(127, rounded));
      EXPECT_EQ(result->begin()->second.data[o * 4 + i] * 32, static_cast<float>(y)) << o << i;
    }
}

// x -> Q -> DQ -> Conv -> Q -> DQ -> Conv -> Relu -> y, and a Sigmoid of the second Conv: what is
// behind the last scale is fp32. Layers before it need their scales.
TEST(Quantized, LayersBehindTheLastScaleAreFloats) {
  for (const bool has_scale : {true, false}) {
    ModelBuilder builder(13);
    builder.input("x", {1, 2, 2, 2});
    builder.weights("s", {}, {1.0f / 64});
    builder.weights("w", {2, 2, 1, 1}, {0.5f, -0.25f, 1, 0.125f});
    builder.integers("zero", {}, {0}, onnx::TensorProto::INT8);
    const auto quantize = [&](const std::string& x) {
      builder.node("QuantizeLinear", {x, "s", "zero"}, {x + "q"});
      builder.node("DequantizeLinear", {x + "q", "s", "zero"}, {x + "d"});
      return x + "d";
    };
    const std::string x = quantize("x");
    builder.node("Conv", {x, "w"}, {"a"});
    builder.node("Conv", {has_scale ? quantize("a") : "a", "w"}, {"b"});
    builder.node("Relu", {"b"}, {"y"});
    builder.node("Sigmoid", {"b"}, {"z"});
    builder.output("y");
    builder.output("z");
    auto loaded = load(builder.model);
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    auto network = net::import_caffe(loaded->net);
    ASSERT_TRUE(network.ok()) << network.status().message();
    NetCalibrationParameter table = loaded->thresholds;
    EXPECT_FALSE(net::resolve_thresholds(*network, table).ok());
    net::keep_unscaled_end_in_floats(*network, table);
    EXPECT_TRUE(net::resolve_thresholds(*network, table).ok());
    std::set<std::string> floats;
    for (const auto& entry : table.layer())
      if (entry.type() == "fp32") floats.insert(entry.name());
    std::set<std::string> expected{"n_b", "n_y", "n_z"};
    if (!has_scale) expected.insert("n_a");
    EXPECT_EQ(floats, expected);
  }
}

TEST(Quantized, QLinearConvHasItsScales) {
  ModelBuilder builder(13);
  builder.input("x", {1, 1, 2, 2});
  builder.weights("s", {}, {1.0f / 64});
  builder.weights("sw", {}, {1.0f / 128});
  builder.integers("mid", {}, {128}, onnx::TensorProto::UINT8);
  builder.integers("w", {1, 1, 1, 1}, {192}, onnx::TensorProto::UINT8);
  builder.integers("b", {1}, {8192}, onnx::TensorProto::INT32);
  builder.node("QuantizeLinear", {"x", "s", "mid"}, {"xq"});
  builder.node("QLinearConv", {"xq", "s", "mid", "w", "sw", "mid", "s", "mid", "b"}, {"yq"});
  builder.node("DequantizeLinear", {"yq", "s", "mid"}, {"y"});
  builder.output("y");
  auto loaded = load(builder.model);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  auto network = net::import_caffe(loaded->net);
  ASSERT_TRUE(network.ok()) << network.status().message();
  const Blobs inputs{{"x", {{1, 1, 2, 2}, {0, 0.5f, -0.5f, 1}}}};
  auto result = run_float(*network, inputs);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->begin()->second.data, (std::vector<float>{1, 1.25f, 0.75f, 1.5f}));
  for (const auto& entry : loaded->thresholds.layer())
    for (const auto& blob : entry.blob_param()) EXPECT_EQ(blob.threshold_y(), 2) << blob.name();
}

// A scale of the file holds for the unchanged tensor: calibration must not equalize ranges of
// channels across it. Channel 0 of `a` has magnitudes up to 1/16, and its reader multiplies by 16.
TEST(Quantized, CalibrationKeepsTheValuesThatScalesAreOf) {
  ModelBuilder builder(13);
  builder.input("x", {1, 2, 4, 4});
  builder.weights("sx", {}, {1.0f / 128});
  builder.integers("zero", {}, {0}, onnx::TensorProto::INT8);
  builder.weights("w", {2, 2, 1, 1}, {1.0f / 16, 0, 0, 1});
  builder.weights("v", {1, 2, 1, 1}, {16, 1});
  builder.node("QuantizeLinear", {"x", "sx", "zero"}, {"xq"});
  builder.node("DequantizeLinear", {"xq", "sx", "zero"}, {"xd"});
  builder.node("Conv", {"xd", "w"}, {"c"});
  builder.node("Relu", {"c"}, {"r"});
  builder.node("QuantizeLinear", {"r", "sx", "zero"}, {"rq"});
  builder.node("DequantizeLinear", {"rq", "sx", "zero"}, {"rd"});
  builder.node("Conv", {"rd", "v"}, {"y"});
  builder.output("y");
  const Blobs sample{{"x", {{1, 2, 4, 4}, random_values(32, 1, -1, 1)}}};
  auto net = calibrated(builder.model, {sample});
  ASSERT_TRUE(net.ok()) << net.status().message();
  for (const auto& tensor : net->calibration.tensors)
    if (tensor.blob == "r") {
      EXPECT_LE(tensor.largest, 1);
    }
  auto network = import(builder.model);
  ASSERT_TRUE(network.ok());
  auto expected = run_float(*network, sample);
  auto result = run_int8(net->net, sample);
  ASSERT_TRUE(expected.ok() && result.ok());
  EXPECT_GT(sqnr(expected->at("y").data, result->at("y").data), 12);
}

}  // namespace
}  // namespace tputwin::test
