// Names of layers in files: a reader knows the layer of every command that the compiler emitted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/support.h"
#include "bmodel/bm168x/layers.h"
#include "bmodel/bm168x/parts.h"
#include "insight/layer_scope.h"
#include "isa/streams/stream.h"

namespace tputwin::net::testing {
namespace {

namespace file = bmodel::bm168x;
using bm1684x::CompiledStream;

// Layers that become groups, slices, and, with `has_host`, an operator of the host between them.
Result<Network> made_net(int64_t rows, bool has_host) {
  auto network = random_net(
      fmt::format("layer {{ name: 'x' type: 'Input' top: 'x' input_param {{ shape {{ dim: 1 dim: 3 "
                  "dim: {} dim: 64 }} }} }} layer {{ name: 'c1' type: 'Convolution' bottom: 'x' "
                  "top: 'c1' convolution_param {{ num_output: 64 kernel_size: 3 pad: 1 }} }} layer "
                  "{{ name: 's' type: 'Sigmoid' bottom: 'c1' top: 's' }} layer {{ name: 'c2' type: "
                  "'Convolution' bottom: 's' top: 'c2' convolution_param {{ num_output: 64 "
                  "kernel_size: 3 pad: 1 }} }} layer {{ name: 'p' type: 'Pooling' bottom: 'c2' "
                  "top: 'p' pooling_param {{ kernel_size: 2 stride: 2 }} }}",
                  rows),
      {{"c1", {{64, 3, 3, 3}, {64}}}, {"c2", {{64, 64, 3, 3}, {64}}}}, 1);
  if (!network.ok() || !has_host) return network;
  const auto at =
      std::ranges::find(network->ops, "c2", [](const TensorOp& op) { return op.name(); });
  TensorOp host;
  host.set_name("negated");
  set_type(host, Op::host);
  host.mutable_tg_host_param()->set_text("unary op=neg");
  host.add_bottom("s");
  host.add_top("negated");
  const TensorShape shape = *network->shape_of("s");
  *host.add_input_shape() = *host.add_output_shape() = shape;
  *host.mutable_tg_host_param()->add_result() = shape;
  at->set_bottom(0, "negated");
  network->ops.insert(at, host);
  return network;
}

// The names of a stage's commands as the compiler has them, by subnet, engine and number.
using Named = std::map<std::tuple<size_t, Engine, uint32_t>, std::string>;

void add(Named& all, size_t subnet, const std::vector<Instruction>& program,
         const bmodel::LayerRuns& layers) {
  const auto names = layers.by_command();
  ASSERT_EQ(names.size(), program.size());
  for (size_t i = 0; i < program.size(); ++i)
    all[{subnet, program[i].engine, program[i].id}] = names[i];
}

Named named(const CompiledStream& net) {
  Named all;
  if (net.subnets.empty()) add(all, 0, net.program, net.layers);
  for (size_t i = 0; i < net.subnets.size(); ++i)
    add(all, i, net.subnets[i].program, net.subnets[i].layers);
  return all;
}

// Returns the same from a file, whose commands are decoded.
Named named(const file::File& from, const file::NetParameterT& stage) {
  Named all;
  for (size_t i = 0; i < stage.sub_net.size(); ++i)
    for (const auto& group : stage.sub_net[i]->cmd_group) {
      isa::CommandStreams streams{from.bytes(group->binary_bdc), from.bytes(group->binary_gdma)};
      auto program = isa::decode_streams(streams, *file::chip_of(from.model));
      EXPECT_TRUE(program.ok()) << program.status().message();
      const file::CommandLayers layers(*group);
      const insight::LayerScope scope("subnet", layers);
      for (const Instruction& instruction : *program) {
        all[{i, instruction.engine, instruction.id}] = layers.of(instruction);
        EXPECT_EQ(insight::LayerScope::name_of(instruction), layers.of(instruction));
      }
    }
  return all;
}

void expect_named(const bm1684x::Target& target, bm1684x::StreamOptions options, bool has_host) {
  options.target = &target;
  std::vector<Network> networks;
  for (const int64_t rows : {64, 32}) {
    auto network = made_net(rows, has_host);
    ASSERT_TRUE(network.ok()) << network.status().message();
    networks.push_back(std::move(*network));
  }
  NetCalibrationParameter table;
  if (options.type == DType::i8) {
    table = largest_values(networks[0], random_inputs(networks[0], 1));
    options.table = &table;
  }
  std::vector<uint8_t> bytes, bare;
  std::vector<Named> expected;
  {
    auto stages = bm1684x::compile_stages(networks, options);
    ASSERT_TRUE(stages.ok()) << stages.status().message();
    for (const CompiledStream& stage : *stages) expected.push_back(named(stage));
    bytes = *bm1684x::to_file(*stages, "net");
    bare = *bm1684x::to_file(*stages, "net", /*layer_names=*/false);
  }
  auto read = file::read(bytes);
  ASSERT_TRUE(read.ok()) << read.status().message();
  const auto& parameter = read->model.net[0]->parameter;
  ASSERT_EQ(parameter.size(), expected.size());
  std::set<std::string> names;
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(named(*read, *parameter[i]), expected[i]);
    for (const auto& [command, name] : expected[i]) names.insert(name);
    const file::OwnFile alone = file::stage_alone(*read, 0, i);
    EXPECT_EQ(named({file::ModelT(alone.model), alone.binary}, *alone.model.net[0]->parameter[0]),
              expected[i]);
  }
  EXPECT_FALSE(names.contains(""));
  EXPECT_TRUE(names.contains("c1") && names.contains("p"));
  auto without = file::read(bare);
  ASSERT_TRUE(without.ok());
  EXPECT_TRUE(std::ranges::equal(without->binary, read->binary));
  for (const auto& stage : without->model.net[0]->parameter)
    EXPECT_FALSE(file::names_layers(*stage));
}

TEST(LayerNames, OfEveryCommandAreInTheFile) {
  for (const bool has_host : {false, true})
    for (const Level level : {Level::none, Level::layer_group, Level::weight_optimization}) {
      for (const DType type : {DType::f32, DType::f16, DType::i8})
        expect_named(bm1684x::bm1684x_target(), {.type = type, .level = level}, has_host);
      for (const DType type : {DType::f32, DType::i8})
        expect_named(bm1684::bm1684_target(), {.type = type, .level = level}, has_host);
    }
}

// Caffe's files may have names in any encoding. Files of nets have UTF-8, with U+FFFD for the rest.
TEST(LayerNames, InOtherEncodingsLeaveTheFileReadable) {
  auto network = made_net(8, false);
  ASSERT_TRUE(network.ok()) << network.status().message();
  for (TensorOp& op : network->ops)
    if (op.name() == "s") op.set_name("s\xb2\xe3");
  auto compiled = bm1684x::compile(*network, {});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  auto bytes = bm1684x::to_file(*compiled, "net");
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  auto read = file::read(*bytes);
  ASSERT_TRUE(read.ok()) << read.status().message();
  const auto& stage = *read->model.net[0]->parameter[0];
  ASSERT_FALSE(stage.sub_net.empty() || stage.sub_net[0]->cmd_group.empty());
  const auto& group = *stage.sub_net[0]->cmd_group[0];
  ASSERT_NE(group.layers, nullptr);
  EXPECT_EQ(std::ranges::count(group.layers->name, "s\xef\xbf\xbd\xef\xbf\xbd"), 1);
}

}  // namespace
}  // namespace tputwin::net::testing
