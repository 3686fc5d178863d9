// Concatenations of tensors that other layers read, and of parts with very different ranges.
#include <cmath>

#include "bmnet_onnx/calibrated.h"

namespace tputwin::test {
namespace {

Batches normal_samples(const std::vector<std::string>& inputs, size_t count) {
  Batches samples(count);
  for (size_t i = 0; i < count; ++i)
    for (const std::string& input : inputs) {
      // Sums of uniform numbers, nearly normal.
      std::vector<float> values(256);
      for (uint64_t part = 0; part < 12; ++part) {
        const auto more = random_values(256, i * 100 + part * 7 + input.size(), -0.5f, 0.5f);
        for (size_t v = 0; v < values.size(); ++v) values[v] += more[v];
      }
      samples[i][input] = {{1, 4, 8, 8}, std::move(values)};
    }
  return samples;
}

// a = conv(x), y = concat(a, k * a), z = conv(a).
ModelMaker skip_connection(float k) {
  ModelMaker maker(13);
  maker.input("x", {1, 4, 8, 8});
  maker.weights("w", {4, 4, 1, 1}, random_values(16, 1, -2, 2));
  maker.weights("v", {4, 4, 1, 1}, random_values(16, 2, -2, 2));
  maker.weights("k", {}, {k});
  maker.node("Conv", {"x", "w"}, {"a"});
  maker.node("Mul", {"a", "k"}, {"b"});
  ModelMaker::set(maker.node("Concat", {"a", "b"}, {"y"}), "axis", int64_t{1});
  maker.node("Conv", {"a", "v"}, {"z"});
  maker.output("y");
  maker.output("z");
  return maker;
}

// A concatenation does not reduce the precision of its inputs for other readers.
TEST(Concats, WhatOthersReadKeepsItsSteps) {
  const Batches samples = normal_samples({"x"}, 8);
  for (const float k : {1.0f, 4.0f, 16.0f, 64.0f, 256.0f}) {
    const ModelMaker maker = skip_connection(k);
    auto network = import(maker.model);
    ASSERT_TRUE(network.ok()) << network.status().message();
    auto net = calibrated(maker.model, samples);
    ASSERT_TRUE(net.ok()) << net.status().message();
    for (const Blobs& sample : {samples[0], samples[1]}) {
      auto expected = run_float(*network, sample);
      auto result = run_int8(net->net, sample);
      ASSERT_TRUE(expected.ok() && result.ok());
      EXPECT_GT(cosine(expected->at("z").data, result->at("z").data), 0.999) << k;
    }
  }
}

// Returns the end of a detector: boxes up to 640 and scores up to 1 in one tensor, moved as
// exporters do.
ModelMaker detector(bool transposed) {
  ModelMaker maker(13);
  maker.input("x", {1, 4, 8, 8});
  maker.input("t", {1, 4, 8, 8});
  maker.weights("k", {}, {640});
  maker.node("Sigmoid", {"x"}, {"s"});
  maker.node("Mul", {"t", "k"}, {"b"});
  ModelMaker::set(maker.node("Concat", {"b", "s"}, {transposed ? "j" : "y"}), "axis", int64_t{1});
  if (transposed)
    ModelMaker::set(maker.node("Transpose", {"j"}, {"y"}), "perm",
                    std::vector<int64_t>{0, 2, 3, 1});
  maker.output("y");
  return maker;
}

TEST(Concats, MixedOutputsAreFloats) {
  const Batches samples = normal_samples({"x", "t"}, 4);
  for (const bool transposed : {false, true}) {
    const ModelMaker maker = detector(transposed);
    auto network = import(maker.model);
    ASSERT_TRUE(network.ok()) << network.status().message();
    auto net = calibrated(maker.model, samples);
    ASSERT_TRUE(net.ok()) << net.status().message();
    EXPECT_TRUE(net->calibration.warnings.empty()) << net->calibration.warnings[0].message();
    EXPECT_EQ(net->net.network.shape_of("y")->data_type_size(), 4);
    auto expected = run_float(*network, samples[0]);
    auto result = run_int8(net->net, samples[0]);
    ASSERT_TRUE(expected.ok() && result.ok()) << result.status().message();
    const auto &e = expected->at("y").data, &y = result->at("y").data;
    ASSERT_EQ(e.size(), y.size());
    for (size_t i = 0; i < e.size(); ++i) {
      const bool is_box = transposed ? i % 8 < 4 : i < 256;
      EXPECT_NEAR(y[i], e[i], is_box ? 30 : 0.02) << i;
    }
  }
}

// Parts with similar ranges stay int8.
TEST(Concats, LikePartsAreBytes) {
  ModelMaker maker(13);
  maker.input("x", {1, 4, 8, 8});
  maker.weights("k", {}, {3});
  maker.node("Sigmoid", {"x"}, {"s"});
  maker.node("Mul", {"x", "k"}, {"b"});
  ModelMaker::set(maker.node("Concat", {"b", "s"}, {"y"}), "axis", int64_t{1});
  maker.output("y");
  auto net = calibrated(maker.model, normal_samples({"x"}, 4));
  ASSERT_TRUE(net.ok()) << net.status().message();
  EXPECT_EQ(net->net.network.shape_of("y")->data_type_size(), 1);
  EXPECT_EQ(tensor_threshold(net->net, "s"), tensor_threshold(net->net, "y"));
}

// Inside a net one int8 tensor cannot represent both: calibration reports which input vanishes.
TEST(Concats, SmallInputsInsideAreWarnedOf) {
  ModelMaker maker(13);
  maker.input("x", {1, 4, 8, 8});
  maker.weights("k", {}, {640});
  maker.weights("w", {4, 8, 1, 1}, random_values(32, 2, -2, 2));
  maker.node("Sigmoid", {"x"}, {"s"});
  maker.node("Mul", {"x", "k"}, {"b"});
  ModelMaker::set(maker.node("Concat", {"b", "s"}, {"j"}), "axis", int64_t{1});
  maker.node("Conv", {"j", "w"}, {"y"});
  maker.output("y");
  auto net = calibrated(maker.model, normal_samples({"x"}, 4));
  ASSERT_TRUE(net.ok()) << net.status().message();
  std::string text;
  for (const Error& warning : net->calibration.warnings) text += warning.message() + "\n";
  EXPECT_NE(text.find("TW-NET-0312"), std::string::npos) << text;
  EXPECT_NE(text.find("largest value of s"), std::string::npos) << text;
}

}  // namespace
}  // namespace tputwin::test
