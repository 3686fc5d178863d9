// Unit tests of parts of the optimizer.
#include <gtest/gtest.h>

#include "bmnet/pipeline/neuron_memory.h"
#include "bmnet/support.h"
#include "common/rng.h"

namespace tputwin::testing {
namespace {

using net::Lifetime;

bool overlap(const Lifetime& a, uint64_t at_a, const Lifetime& b, uint64_t at_b) {
  return at_a < at_b + b.bytes && at_b < at_a + a.bytes;
}

TEST(NeuronMemory, WhatLivesTogetherIsDisjoint) {
  const RandomCases cases(200);
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    Rng rng = cases.rng(i);
    std::vector<Lifetime> lives;
    for (uint32_t n = rng.range(1, 30); n > 0; --n) {
      const int first = static_cast<int>(rng.range(0, 20));
      lives.push_back({rng.range(1, 5000), first, first + static_cast<int>(rng.range(0, 5))});
    }
    for (bool recycle : {false, true}) {
      const net::NeuronMemory memory = net::place_tensors(lives, recycle);
      EXPECT_EQ(memory.offsets[0], 0u);
      for (size_t a = 0; a < lives.size(); ++a) {
        EXPECT_LE(memory.offsets[a] + lives[a].bytes, memory.bytes);
        for (size_t b = 0; b < a; ++b) {
          const bool together = lives[a].first <= lives[b].last && lives[b].first <= lives[a].last;
          if (!together && recycle) continue;
          EXPECT_FALSE(overlap(lives[a], memory.offsets[a], lives[b], memory.offsets[b]));
        }
      }
    }
  }
}

constexpr const char* kChain = R"(
layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 1 dim: 16 dim: 64 dim: 64 } } }
layer { name: 'a' type: 'Convolution' bottom: 'data' top: 'a' convolution_param { num_output: 32 kernel_size: 3 pad: 1 } }
layer { name: 'r' type: 'ReLU' bottom: 'a' top: 'a' }
layer { name: 'b' type: 'Convolution' bottom: 'a' top: 'b' convolution_param { num_output: 32 kernel_size: 3 pad: 1 } }
layer { name: 'p' type: 'Pooling' bottom: 'b' top: 'p' pooling_param { kernel_size: 2 stride: 2 } }
)";

TEST(Compile, GroupsMoveFewerBytesAndReportWhy) {
  auto model = random_model(kChain, 1);
  ASSERT_TRUE(model.ok()) << model.error().message();
  auto alone = net::compile(model->network, model->integers, {.level = net::Level::none});
  auto grouped = net::compile(model->network, model->integers, {});
  ASSERT_TRUE(alone.ok() && grouped.ok());
  // In a group only the input, the result and the weights cross the bus.
  EXPECT_LT(grouped->global_bytes, alone->global_bytes / 3);
  EXPECT_LT(grouped->price_cycles, alone->price_cycles);
  EXPECT_LT(grouped->predicted_cycles, alone->predicted_cycles);
  for (const char* part : {"group:", "slices", "of a lane", "tg_convolution a", "weight", "total:"})
    EXPECT_NE(grouped->explanation.find(part), std::string::npos) << part;
  // The optimized net has the form start, group, end.
  std::vector<std::string> types;
  for (const auto& layer : grouped->optimized.layer())
    if (types.empty() || types.back() != layer.type()) types.push_back(layer.type());
  EXPECT_EQ(types.front(), "start");
  EXPECT_EQ(types[1], "tl_group");
  EXPECT_EQ(types.back(), "end");
}

// Every command belongs to a layer of the net. Without the layer names the commands are the same.
TEST(Compile, RecordsTheLayersOfCommands) {
  auto model = random_model(kChain, 1);
  ASSERT_TRUE(model.ok());
  for (const auto level : {net::Level::none, net::Level::weight_optimization}) {
    auto named = net::compile(model->network, model->integers, {.level = level});
    auto bare =
        net::compile(model->network, model->integers, {.level = level, .layer_names = false});
    ASSERT_TRUE(named.ok() && bare.ok());
    EXPECT_EQ(named->cmdbuf, bare->cmdbuf);
    EXPECT_TRUE(bare->layers.empty());
    EXPECT_EQ(named->layers.by_command().size(), named->instructions);
    for (const std::string& name : named->layers.names)
      EXPECT_TRUE(std::ranges::any_of(model->network.ops, [&](const net::TensorOp& op) {
        return op.name() == name;
      })) << name;
    bmodel::Model with = net::to_model(*named, "net"), without = net::to_model(*bare, "net");
    EXPECT_NE(with, without);
    with.varieties[0].layers = {};
    EXPECT_EQ(*bmodel::write(with, bmodel::Container::v2_1),
              *bmodel::write(without, bmodel::Container::v2_1));
  }
}

TEST(Compile, NeuronMemoryIsRecycled) {
  auto model = random_model(kChain, 1);
  ASSERT_TRUE(model.ok());
  net::CompileOptions options{.level = net::Level::none};
  const uint64_t separate_size =
      net::compile(model->network, model->integers, options)->neuron_size;
  options.level = net::Level::recycle_memory;
  EXPECT_LT(net::compile(model->network, model->integers, options)->neuron_size, separate_size);
}

TEST(Compile, KeepsAllTensorsOnRequest) {
  auto model = random_model(kChain, 1);
  ASSERT_TRUE(model.ok());
  auto compiled = net::compile(model->network, model->integers, {.keep_all = true});
  ASSERT_TRUE(compiled.ok());
  for (const net::TensorOp& op : model->network.ops) {
    if (op.type() != "tg_pooling" && op.name() != "b") continue;
    EXPECT_TRUE(compiled->tensor_offsets.contains(op.top(0))) << op.name();
  }
}

TEST(Compile, DequantizesOutputs) {
  auto model = random_model(kChain, 1);
  ASSERT_TRUE(model.ok());
  auto plain = net::compile(model->network, model->integers, {});
  auto floats = net::compile(model->network, model->integers, {.dequantize_outputs = true});
  ASSERT_TRUE(plain.ok() && floats.ok());
  const auto inputs = random_inputs(model->network, 5);
  auto bytes = run_compiled(*plain, model->network, inputs);
  auto values = run_compiled(*floats, model->network, inputs);
  ASSERT_TRUE(bytes.ok() && values.ok()) << values.status().message();
  const auto* real = reinterpret_cast<const float*>((*values)[0].data());
  for (size_t i = 0; i < (*bytes)[0].size(); ++i)
    ASSERT_EQ(real[i], static_cast<float>(static_cast<int8_t>((*bytes)[0][i])) / 128.0f);
}

TEST(Compile, DequantizesEveryOutput) {
  auto model = random_model(
      "input: 'data' input_shape { dim: 1 dim: 4 dim: 5 dim: 5 }\n"
      "layer { name: 'cut' type: 'Slice' bottom: 'data' top: 'a' top: 'b' top: 'c'\n"
      "  slice_param { slice_point: 1 slice_point: 2 } }\n",
      1);
  ASSERT_TRUE(model.ok()) << model.status().message();
  auto floats = net::compile(model->network, model->integers, {.dequantize_outputs = true});
  ASSERT_TRUE(floats.ok()) << floats.status().message();
  ASSERT_EQ(floats->outputs.size(), 3u);
  for (const bmodel::Output& o : floats->outputs) EXPECT_EQ(o.fmt, FMT_F32) << o.name;
}

// The output does not depend on earlier contents of the process's memory.
TEST(Compile, CommandsAreTheSameEveryTime) {
  auto model = random_model(kChain, 1);
  ASSERT_TRUE(model.ok());
  auto first = net::compile(model->network, model->integers, {});
  { const std::vector<uint8_t> garbage(100u << 20, 0xa5); }
  auto second = net::compile(model->network, model->integers, {});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->cmdbuf, second->cmdbuf);
}

}  // namespace
}  // namespace tputwin::testing
