// Layers whose extents exceed those of a command, and errors of those that cannot be divided.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/support.h"

namespace tputwin::net::testing {
namespace {

const bm1684x::Target* const kTargets[] = {&bm1684x::bm1684x_target(), &bm1684::bm1684_target()};

Result<Network> permuted(const std::vector<int64_t>& shape, const std::vector<uint32_t>& order) {
  TensorOp op;
  set_type(op, Op::permute);
  for (const uint32_t axis : order) op.mutable_tg_permute_param()->add_order(axis);
  return layer_net(op, {shape}, {});
}

// Extents above 65,535, prime ones among them, become several transfers.
TEST(LongExtents, OfTransposesAreDivided) {
  const std::pair<std::vector<int64_t>, std::vector<uint32_t>> cases[] = {
      {{1, 65537, 3, 1}, {0, 2, 1, 3}}, {{1, 3, 65537, 1}, {0, 2, 1, 3}},
      {{1, 1, 65537, 3}, {0, 1, 3, 2}}, {{2, 1, 65537, 2}, {0, 3, 2, 1}},
      {{1, 65537, 2, 2}, {0, 2, 3, 1}}, {{65537, 1, 2, 1}, {2, 1, 0, 3}},
  };
  for (const bm1684x::Target* target : kTargets) {
    const bm1684x::ScopedTarget scope(*target);
    for (const auto& [shape, order] : cases) {
      const auto network = permuted(shape, order);
      ASSERT_TRUE(network.ok()) << network.status().message();
      EXPECT_EQ(compare(*network, DType::f32, 0, 1), "") << fmt::format(
          "{} ({}) by ({})", target->chip.name, fmt::join(shape, ","), fmt::join(order, ","));
    }
  }
}

Result<Network> graph(const std::string& shape, const std::string& layer, const BlobShapes& blobs) {
  return random_net("layer { name: 'x' type: 'Input' top: 'x' input_param { shape { " + shape +
                        " } } } layer { name: 'y' bottom: 'x' top: 'y' " + layer + " }",
                    blobs, 1);
}

// The last columns of these results are made of pads alone.
TEST(LongExtents, OfWideMapsWithPadsAreDivided) {
  const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
  for (const int columns : {2017, 2030, 2040}) {
    auto network = graph(fmt::format("dim: 1 dim: 2 dim: 2 dim: {}", columns),
                         "type: 'Convolution' convolution_param { num_output: 3 kernel_size: 1 "
                         "pad_h: 0 pad_w: 15 }",
                         {{"y", {{3, 2, 1, 1}, {3}}}});
    ASSERT_TRUE(network.ok()) << network.status().message();
    EXPECT_EQ(compare(*network, DType::f32, 1e-5f, 1), "") << columns;
  }
}

// Rows that are doubled, between neighbours and at the edges.
TEST(LongExtents, OfResizedRowsAreDivided) {
  constexpr int64_t kRows = 70001;
  TensorOp op;
  set_type(op, Op::resample);
  auto& p = *op.mutable_tg_resample_param();
  p.set_row_taps(2);
  p.set_column_taps(1);
  p.add_column_source(0);
  p.add_column_weight(1);
  for (int64_t i = 0; i < 2 * kRows; ++i) {
    const int64_t first = (i + 1) / 2 - 1;
    p.add_row_source(static_cast<uint32_t>(std::max<int64_t>(first, 0)));
    p.add_row_source(static_cast<uint32_t>(std::min(first + 1, kRows - 1)));
    p.add_row_weight(i % 2 == 0 ? 0.25f : 0.75f);
    p.add_row_weight(i % 2 == 0 ? 0.75f : 0.25f);
  }
  for (const bm1684x::Target* target : kTargets) {
    const bm1684x::ScopedTarget scope(*target);
    const auto network = layer_net(op, {{1, 2, kRows, 1}}, {});
    ASSERT_TRUE(network.ok()) << network.status().message();
    EXPECT_EQ(compare(*network, DType::f32, 1e-6f, 1), "") << target->chip.name;
  }
}

// Files have the axes that the model has.
TEST(MoreAxes, OfOutputsAreKept) {
  const std::vector<int64_t> own{1, 2, 2, 4, 4};
  for (const bm1684x::Target* target : kTargets)
    for (const DType type : {DType::f32, DType::i8}) {
      auto network = graph("dim: 1 dim: 2 dim: 4 dim: 4",
                           "type: 'Convolution' convolution_param { num_output: 4 kernel_size: 1 }",
                           {{"y", {{4, 2, 1, 1}, {4}}}});
      ASSERT_TRUE(network.ok()) << network.status().message();
      network->output_dims[network->blob_name(network->outputs()[0])] = own;
      const auto table = largest_values(*network, random_inputs(*network, 1));
      const auto compiled =
          bm1684x::compile(*network, {.target = target, .type = type, .table = &table});
      ASSERT_TRUE(compiled.ok()) << compiled.status().message();
      EXPECT_EQ(compiled->outputs[0].shape, own) << target->chip.name << " " << to_string(type);
    }
}

// ---- Errors ----

std::string message_of(const bm1684x::Target& target, const Result<Network>& network,
                       DType type = DType::f32) {
  if (!network.ok()) return network.status().message();
  const auto compiled = bm1684x::compile(*network, {.target = &target, .type = type});
  return compiled.ok() ? "compiled" : compiled.error().message();
}

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
}

TEST(Refusals, NameTheLayerTheValueAndTheWayOut) {
  for (const bm1684x::Target* target : kTargets) {
    const std::string lane = std::to_string(target->chip.lane_bytes);
    const std::string large =
        "type: 'Convolution' convolution_param { num_output: 1 kernel_size: "
        "700 }";
    expect_words(message_of(*target, graph("dim: 1 dim: 1 dim: 700 dim: 700", large,
                                           {{"y", {{1, 1, 700, 700}, {1}}}})),
                 {"TW-NET-0404 layer y: input = (1,1,700,700)", "a lane of " + lane + " bytes",
                  "1960004 of weights", "divide the layer"});
    const std::string relu = "type: 'ReLU'";
    expect_words(message_of(*target, graph("dim: 2 dim: 1024 dim: 1024 dim: 512", relu, {})),
                 {"TW-NET-0409", "4 GiB are addressed", "the largest tensor, ", "a smaller batch"});
  }
  expect_words(message_of(bm1684::bm1684_target(), graph("dim: 1", "type: 'ReLU'", {}), DType::f16),
               {"TW-NET-0412", "type = fp16", "fp32 or int8", "docs/compiler-bm1684.md"});
}

}  // namespace
}  // namespace tputwin::net::testing
