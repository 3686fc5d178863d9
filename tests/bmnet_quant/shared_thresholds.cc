// Thresholds that layers share.
#include "bmnet/calibrate/shared_thresholds.h"

#include <gtest/gtest.h>

#include "bmnet/quantize/quantize.h"
#include "bmnet_quant/networks.h"

namespace tputwin::net {
namespace {

using testing::graph;

TEST(Fold, ReluTakesItsInputs) {
  const Network network = graph(R"(
    layer { name: "pool" type: "Pooling" bottom: "data" top: "pool" pooling_param { kernel_size: 2 } }
    layer { name: "relu" type: "ReLU" bottom: "pool" top: "relu" }
    layer { name: "flat" type: "Flatten" bottom: "relu" top: "flat" })");
  TensorThresholds thresholds{{"data", 1}, {"pool", 2}, {"relu", 3}, {"flat", 4}};
  share_thresholds(network, thresholds);
  EXPECT_EQ(thresholds, (TensorThresholds{{"data", 1}, {"pool", 2}, {"relu", 2}, {"flat", 2}}));
  EXPECT_TRUE(feeds_relu_only(network, "pool"));
  EXPECT_FALSE(feeds_relu_only(network, "relu"));
  EXPECT_FALSE(feeds_relu_only(network, "flat"));
}

TEST(Fold, ConcatGivesItsOwn) {
  const Network network = graph(R"(
    layer { name: "a" type: "Pooling" bottom: "data" top: "a" pooling_param { kernel_size: 1 } }
    layer { name: "relu" type: "ReLU" bottom: "a" top: "relu" }
    layer { name: "b" type: "Pooling" bottom: "data" top: "b" pooling_param { kernel_size: 1 } }
    layer { name: "all" type: "Concat" bottom: "relu" bottom: "b" top: "all" })");
  TensorThresholds thresholds{{"data", 1}, {"a", 2}, {"relu", 3}, {"b", 4}, {"all", 5}};
  share_thresholds(network, thresholds);
  EXPECT_EQ(thresholds,
            (TensorThresholds{{"data", 1}, {"a", 5}, {"relu", 5}, {"b", 5}, {"all", 5}}));
}

// Two concatenations read one tensor: it keeps its threshold, and both rescale it.
TEST(Fold, TwoConcats) {
  Network network = graph(R"(
    layer { name: "a" type: "Pooling" bottom: "data" top: "a" pooling_param { kernel_size: 1 } }
    layer { name: "x" type: "Concat" bottom: "a" bottom: "data" top: "x" }
    layer { name: "y" type: "Concat" bottom: "a" bottom: "x" top: "y" })");
  TensorThresholds thresholds{{"data", 1}, {"a", 2}, {"x", 4}, {"y", 8}};
  share_thresholds(network, thresholds);
  EXPECT_EQ(thresholds.at("a"), 2);
  EXPECT_EQ(thresholds.at("x"), 8);
  EXPECT_EQ(thresholds.at("data"), 1);
}

// Another layer also reads the concatenation's input, directly or through a ReLU or a move. A
// threshold 64 times as large would leave it 2 steps.
TEST(Fold, WhatOthersReadKeepsItsThreshold) {
  const Network network = graph(R"(
    layer { name: "a" type: "Pooling" bottom: "data" top: "a" pooling_param { kernel_size: 1 } }
    layer { name: "relu" type: "ReLU" bottom: "a" top: "relu" }
    layer { name: "b" type: "Pooling" bottom: "data" top: "b" pooling_param { kernel_size: 1 } }
    layer { name: "all" type: "Concat" bottom: "relu" bottom: "b" top: "all" }
    layer { name: "more" type: "Pooling" bottom: "a" top: "more" pooling_param { kernel_size: 1 } })");
  TensorThresholds thresholds{{"data", 1}, {"a", 2},     {"relu", 3},
                              {"b", 4},    {"all", 128}, {"more", 2}};
  share_thresholds(network, thresholds);
  EXPECT_EQ(thresholds,
            (TensorThresholds{
                {"data", 1}, {"a", 2}, {"relu", 2}, {"b", 128}, {"all", 128}, {"more", 2}}));
}

// Concatenations in float do not change the thresholds of their inputs.
TEST(Fold, KeptInputsKeepTheirThresholds) {
  const Network network = graph(R"(
    layer { name: "a" type: "Pooling" bottom: "data" top: "a" pooling_param { kernel_size: 1 } }
    layer { name: "b" type: "Pooling" bottom: "data" top: "b" pooling_param { kernel_size: 1 } }
    layer { name: "all" type: "Concat" bottom: "a" bottom: "b" top: "all" })");
  TensorThresholds thresholds{{"data", 1}, {"a", 2}, {"b", 128}, {"all", 128}};
  share_thresholds(network, thresholds, {"all"});
  EXPECT_EQ(thresholds.at("a"), 2);
}

TEST(Fold, RaisesWhereNoMultiplierExists) {
  Network network = graph(R"(layer { name: "y" type: "InnerProduct" bottom: "data" top: "y"
    inner_product_param { num_output: 1 bias_term: false } })");
  network.blobs["y"] = {{{1, 144}, std::vector<float>(144, 50.0f)}};
  TensorThresholds thresholds{{"data", 4}, {"y", 1}};
  share_thresholds(network, thresholds);
  NetCalibrationParameter table;
  for (const auto& [name, value] : thresholds) {
    table.add_layer()->set_name(name);
    table.mutable_layer()->rbegin()->add_threshold_y(value);
  }
  EXPECT_TRUE(quantize(network, table).ok());
}

}  // namespace
}  // namespace tputwin::net
