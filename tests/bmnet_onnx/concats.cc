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
ModelBuilder skip_connection(float k) {
  ModelBuilder builder(13);
  builder.input("x", {1, 4, 8, 8});
  builder.weights("w", {4, 4, 1, 1}, random_values(16, 1, -2, 2));
  builder.weights("v", {4, 4, 1, 1}, random_values(16, 2, -2, 2));
  builder.weights("k", {}, {k});
  builder.node("Conv", {"x", "w"}, {"a"});
  builder.node("Mul", {"a", "k"}, {"b"});
  ModelBuilder::set(builder.node("Concat", {"a", "b"}, {"y"}), "axis", int64_t{1});
  builder.node("Conv", {"a", "v"}, {"z"});
  builder.output("y");
  builder.output("z");
  return builder;
}

// A concatenation does not reduce the precision of its inputs for other readers.
TEST(Concats, WhatOthersReadKeepsItsSteps) {
  const Batches samples = normal_samples({"x"}, 8);
  for (const float k : {1.0f, 4.0f, 16.0f, 64.0f, 256.0f}) {
    const ModelBuilder builder = skip_connection(k);
    auto network = import(builder.model);
    ASSERT_TRUE(network.ok()) << network.status().message();
    auto net = calibrated(builder.model, samples);
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
ModelBuilder detector(bool transposed) {
  ModelBuilder builder(13);
  builder.input("x", {1, 4, 8, 8});
  builder.input("t", {1, 4, 8, 8});
  builder.weights("k", {}, {640});
  builder.node("Sigmoid", {"x"}, {"s"});
  builder.node("Mul", {"t", "k"}, {"b"});
  ModelBuilder::set(builder.node("Concat", {"b", "s"}, {transposed ? "j" : "y"}), "axis",
                    int64_t{1});
  if (transposed)
    ModelBuilder::set(builder.node("Transpose", {"j"}, {"y"}), "perm",
                      std::vector<int64_t>{0, 2, 3, 1});
  builder.output("y");
  return builder;
}

TEST(Concats, MixedOutputsAreFloats) {
  const Batches samples = normal_samples({"x", "t"}, 4);
  for (const bool transposed : {false, true}) {
    const ModelBuilder builder = detector(transposed);
    auto network = import(builder.model);
    ASSERT_TRUE(network.ok()) << network.status().message();
    auto net = calibrated(builder.model, samples);
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

// Several samples that are joined, and then stored between the channels of another tensor.
TEST(Concats, OfSamplesInsideThoseOfChannels) {
  for (const bool read_by_others : {false, true}) {
    ModelBuilder builder(13);
    std::vector<std::string> joined;
    for (const char* side : {"a", "b"}) {
      std::vector<std::string> parts;
      for (int64_t i = 0; i < 3; ++i) {
        const std::string name = side + std::to_string(i);
        builder.input(name, {i + 1, 1, 2, 4});
        builder.node("Relu", {name}, {name + "r"});
        if (read_by_others) {
          builder.node("Sigmoid", {name + "r"}, {name + "s"});
          builder.output(name + "s");
        }
        parts.push_back(name + "r");
      }
      ModelBuilder::set(builder.node("Concat", parts, {side}), "axis", int64_t{0});
      joined.emplace_back(side);
    }
    ModelBuilder::set(builder.node("Concat", joined, {"y"}), "axis", int64_t{1});
    ModelBuilder::set(builder.node("Split", {"b"}, {"first", "others"}), "axis", int64_t{0});
    builder.output("y");
    builder.output("first");
    builder.output("others");
    auto network = import(builder.model);
    ASSERT_TRUE(network.ok()) << network.status().message();
    Blobs inputs;
    for (const std::string& input : network->inputs()) {
      const net::TensorShape& shape = *network->shape_of(input);
      std::vector<float> values =
          random_values(static_cast<size_t>(net::count(shape)), inputs.size());
      values[0] = 1;  // one threshold for all
      inputs[input] = {net::dims(shape), std::move(values)};
    }
    auto int8 = quantized(*network, inputs);
    ASSERT_TRUE(int8.ok()) << int8.status().message();
    auto result = run_int8(*int8, inputs);
    EXPECT_TRUE(result.ok()) << result.status().message();
  }
}

// Parts with similar ranges stay int8.
TEST(Concats, LikePartsAreBytes) {
  ModelBuilder builder(13);
  builder.input("x", {1, 4, 8, 8});
  builder.weights("k", {}, {3});
  builder.node("Sigmoid", {"x"}, {"s"});
  builder.node("Mul", {"x", "k"}, {"b"});
  ModelBuilder::set(builder.node("Concat", {"b", "s"}, {"y"}), "axis", int64_t{1});
  builder.output("y");
  auto net = calibrated(builder.model, normal_samples({"x"}, 4));
  ASSERT_TRUE(net.ok()) << net.status().message();
  EXPECT_EQ(net->net.network.shape_of("y")->data_type_size(), 1);
  EXPECT_EQ(tensor_threshold(net->net, "s"), tensor_threshold(net->net, "y"));
}

// Inside a net one int8 tensor cannot represent both: calibration reports which input vanishes.
TEST(Concats, SmallInputsInsideAreWarnedOf) {
  ModelBuilder builder(13);
  builder.input("x", {1, 4, 8, 8});
  builder.weights("k", {}, {640});
  builder.weights("w", {4, 8, 1, 1}, random_values(32, 2, -2, 2));
  builder.node("Sigmoid", {"x"}, {"s"});
  builder.node("Mul", {"x", "k"}, {"b"});
  ModelBuilder::set(builder.node("Concat", {"b", "s"}, {"j"}), "axis", int64_t{1});
  builder.node("Conv", {"j", "w"}, {"y"});
  builder.output("y");
  auto net = calibrated(builder.model, normal_samples({"x"}, 4));
  ASSERT_TRUE(net.ok()) << net.status().message();
  std::string text;
  for (const Error& warning : net->calibration.warnings) text += warning.message() + "\n";
  EXPECT_NE(text.find("TW-NET-0312"), std::string::npos) << text;
  EXPECT_NE(text.find("largest value of s"), std::string::npos) << text;
}

}  // namespace
}  // namespace tputwin::test
