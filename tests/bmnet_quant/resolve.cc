// The integers that resolve() reads from a table, and the tables that it refuses.
#include <gtest/gtest.h>

#include "base/errors/bmnet.h"
#include "bmnet/integers/integers.h"
#include "bmnet/quantize/quantize.h"
#include "bmnet_quant/networks.h"

namespace tputwin::net {
namespace {

using testing::graph;
using testing::table;

const LayerIntegers& of(const Network& network, const std::vector<LayerIntegers>& all,
                        const std::string& name) {
  for (size_t i = 0; i < network.ops.size(); ++i)
    if (network.ops[i].name() == name) return all[i];
  ADD_FAILURE() << name;
  return all[0];
}

ErrorId refusal(const Network& network, const std::string& text) {
  auto result = resolve(network, table(text));
  EXPECT_FALSE(result.ok()) << text;
  return result.ok() ? errors::net_ir : result.error().id();
}

TEST(Resolve, MovesAndReluTakeOverThresholds) {
  const Network network = graph(R"(
    layer { name: "relu" type: "ReLU" bottom: "data" top: "data" }
    layer { name: "flat" type: "Flatten" bottom: "data" top: "flat" })");
  auto all = resolve(network, table("layer { name: \"data\" threshold_y: 3 }"));
  ASSERT_TRUE(all.ok()) << all.status().message();
  EXPECT_EQ(of(network, *all, "flat").threshold_y, std::vector<float>{3});
}

TEST(Resolve, BlobNamesComeBeforePositions) {
  const Network network = graph(R"(
    layer { name: "cut" type: "Slice" bottom: "data" top: "a" top: "b" slice_param { axis: 1 slice_point: 2 } })");
  auto all = resolve(network, table(R"(layer { name: "data" threshold_y: 3 }
    layer { name: "cut" threshold_y: 1 threshold_y: 2 blob_param { name: "b" threshold_y: 5 } })"));
  ASSERT_TRUE(all.ok()) << all.status().message();
  EXPECT_EQ(of(network, *all, "cut").threshold_y, (std::vector<float>{1, 5}));
}

TEST(Resolve, EltwiseAndConcat) {
  const Network network = graph(R"(
    layer { name: "sum" type: "Eltwise" bottom: "data" bottom: "data" top: "sum" }
    layer { name: "all" type: "Concat" bottom: "data" bottom: "sum" top: "all" })");
  const std::string text = R"(layer { name: "data" threshold_y: 3 }
    layer { name: "sum" threshold_y: 6 right_shift_width: 7 threshold_x_quantized: 64 threshold_x_quantized: -64 })";
  auto all = resolve(network, table(text + "layer { name: \"all\" threshold_y: 6 }"));
  ASSERT_TRUE(all.ok()) << all.status().message();
  EXPECT_EQ(of(network, *all, "sum").multiplier, (std::vector<int>{64, -64}));
  EXPECT_EQ(of(network, *all, "sum").right_shift, 7);
  EXPECT_TRUE(of(network, *all, "all").multiplier.empty());
  all = resolve(network, table(text + R"(layer { name: "all" threshold_y: 6 concat_param {
    need_quantize_num: 1 threshold_x_quantized: 128 threshold_x_quantized: 200 right_shift_width: 8 right_shift_width: 7 } })"));
  ASSERT_TRUE(all.ok()) << all.status().message();
  EXPECT_EQ(of(network, *all, "all").multiplier, (std::vector<int>{128, 200}));
  EXPECT_EQ(of(network, *all, "all").shift, (std::vector<int>{8, 7}));
}

TEST(Resolve, Refuses) {
  const Network sigmoid =
      graph("layer { name: \"y\" type: \"Sigmoid\" bottom: \"data\" top: \"y\" }");
  const std::string data = "layer { name: \"data\" threshold_y: 3 }";
  EXPECT_EQ(refusal(sigmoid, data), errors::net_table_entry);
  EXPECT_EQ(refusal(sigmoid, data + "layer { name: \"y\" threshold_y: 0 }"), errors::net_threshold);
  EXPECT_EQ(refusal(sigmoid, data + "layer { name: \"y\" threshold_y: inf }"),
            errors::net_threshold);
  EXPECT_EQ(refusal(sigmoid, data + "layer { name: \"y\" threshold_y: 1 right_shift_width: 32 }"),
            errors::net_shift);
  const Network pool = graph(R"(layer { name: "y" type: "Pooling" bottom: "data" top: "y"
    pooling_param { pool: AVE kernel_size: 2 stride: 2 } })");
  EXPECT_EQ(refusal(pool, data + "layer { name: \"y\" threshold_y: 1 }"), errors::net_multiplier);
  EXPECT_EQ(refusal(pool, data + "layer { name: \"y\" threshold_y: 1 threshold_x_quantized: 256 }"),
            errors::net_multiplier);
  const Network leaky = graph(R"(layer { name: "y" type: "ReLU" bottom: "data" top: "y"
    relu_param { negative_slope: 0.1 } })");
  EXPECT_EQ(refusal(leaky, data + "layer { name: \"y\" threshold_y: 1 }"), errors::net_table_entry);
}

// resolve() reads the tables that quantize() writes.
TEST(Quantize, RoundTrip) {
  Network network = graph(R"(
    layer { name: "leaky" type: "ReLU" bottom: "data" top: "leaky" relu_param { negative_slope: 0.1 } }
    layer { name: "lrn" type: "LRN" bottom: "leaky" top: "lrn" lrn_param { local_size: 3 } }
    layer { name: "pool" type: "Pooling" bottom: "lrn" top: "pool" pooling_param { pool: AVE kernel_size: 2 stride: 2 } }
    layer { name: "sum" type: "Eltwise" bottom: "pool" bottom: "pool" top: "sum" }
    layer { name: "all" type: "Concat" bottom: "pool" bottom: "sum" top: "all" }
    layer { name: "tanh" type: "TanH" bottom: "all" top: "tanh" })");
  auto made = quantize(network, table(R"(layer { name: "data" threshold_y: 3 }
    layer { name: "leaky" threshold_y: 2 } layer { name: "lrn" threshold_y: 1.5 }
    layer { name: "pool" threshold_y: 1.25 } layer { name: "sum" threshold_y: 2.5 }
    layer { name: "all" threshold_y: 2.5 } layer { name: "tanh" threshold_y: 1 })"));
  ASSERT_TRUE(made.ok()) << made.status().message();
  auto all = resolve(network, *made);
  ASSERT_TRUE(all.ok()) << all.status().message();
  EXPECT_EQ(of(network, *all, "leaky").gt_scale, 96);
  EXPECT_EQ(of(network, *all, "leaky").gt_shift, 6);
  ASSERT_TRUE(of(network, *all, "lrn").lrn);
  EXPECT_GE(of(network, *all, "lrn").lrn->power[0], 64);
  EXPECT_EQ(of(network, *all, "pool").multiplier.size(), 1u);
  EXPECT_EQ(of(network, *all, "sum").multiplier, (std::vector<int>{64, 64}));
  EXPECT_EQ(of(network, *all, "all").multiplier, (std::vector<int>{128, 128}));
  EXPECT_EQ(of(network, *all, "all").shift, (std::vector<int>{8, 7}));
  EXPECT_TRUE(of(network, *all, "tanh").table);
}

TEST(Quantize, RefusesWeightsOutOfRange) {
  Network network = graph(R"(layer { name: "y" type: "InnerProduct" bottom: "data" top: "y"
    inner_product_param { num_output: 1 } })");
  const auto run = [&](float weight, float bias, std::vector<Error>* warnings) {
    network.blobs["y"] = {{{1, 144}, std::vector<float>(144, weight)}, {{1}, {bias}}};
    return quantize(
        network,
        table("layer { name: \"data\" threshold_y: 4 } layer { name: \"y\" threshold_y: 1 }"),
        warnings);
  };
  auto refused = run(32, 0, nullptr);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().id(), errors::net_weight_range);
  auto zero = run(0, 0.5f, nullptr);
  ASSERT_TRUE(zero.ok());
  EXPECT_EQ(zero->layer(1).right_shift_width(), 0);
  EXPECT_EQ(network.blobs["y"][1].data[0], 64);
  std::vector<Error> warnings;
  ASSERT_TRUE(run(1, 1e6f, &warnings).ok());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].id(), errors::net_bias_saturated);
}

// A bias beyond 16 bits costs more than a bit of the weights.
TEST(Quantize, ShiftLeavesSpaceForBiases) {
  Network network = graph(R"(layer { name: "y" type: "InnerProduct" bottom: "data" top: "y"
    inner_product_param { num_output: 1 } })");
  network.blobs["y"] = {{{1, 144}, std::vector<float>(144, 0.01f)}, {{1}, {0.9f}}};
  auto made = quantize(
      network,
      table("layer { name: \"data\" threshold_y: 1 } layer { name: \"y\" threshold_y: 1 }"));
  ASSERT_TRUE(made.ok());
  const int shift = made->layer(1).right_shift_width();
  EXPECT_LT(shift, 13);
  EXPECT_NEAR(network.blobs["y"][1].data[0] / static_cast<float>(1 << shift), 0.9f * 128, 8);
}

}  // namespace
}  // namespace tputwin::net
