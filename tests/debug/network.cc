// Moves back through a compiled network.
#include <gtest/gtest.h>

#include <cstring>

#include "base/file.h"
#include "bmnet/support.h"
#include "debug/visitor.h"
#include "isa/bm1880_codec.h"

namespace tputwin::debug::testing {
namespace {

constexpr uint64_t kNeurons = 0x1000000;

void visit_network(uint64_t most_bytes, uint64_t few, uint64_t fewest_moments) {
  auto text = read_bytes(TPUTWIN_SOURCE_DIR "/models/resnet_fashion.prototxt");
  ASSERT_TRUE(text.ok());
  auto model = tputwin::testing::random_model({text->begin(), text->end()}, 5);
  ASSERT_TRUE(model.ok()) << model.error().message();
  auto compiled = net::compile(model->network, model->integers, {});
  ASSERT_TRUE(compiled.ok()) << compiled.error().message();
  const uint64_t weights = (kNeurons + compiled->neuron_size + 4095) / 4096 * 4096;
  auto device = std::move(
      Device::create({.chip = &bm1880(), .global_bytes = weights + compiled->weight.size() + 4096})
          .value());
  device->set_cpu_host([&](const CpuCall&, Device& on) {
    std::memset(on.memories().prepare_write(kNeurons, 1000), 3, 1000);
    return Status();
  });
  Forward forward(*device);
  device->observers().add(&forward);
  Visitor visitor(moment_count(few), most_bytes);
  visitor.follow(forward);
  {
    Debugger debugger(*device, visitor, most_bytes, {.unit = Motion::Unit::all});
    device->observers().add(&debugger);
    std::memcpy(device->memories().prepare_write(weights, compiled->weight.size()),
                compiled->weight.data(), compiled->weight.size());
    std::vector<uint8_t> commands = compiled->cmdbuf;
    ASSERT_TRUE(isa::relocate(commands, kNeurons, weights).ok());
    const auto program = isa::decode_program(commands, bm1880()).value();
    for (uint64_t run = 0; run < 2; ++run) {
      uint8_t* input = device->memories().prepare_write(kNeurons, compiled->neuron_size);
      tputwin::testing::Rng rng(run);
      for (uint64_t i = 0; i < compiled->neuron_size; i += 16)
        input[i] = static_cast<uint8_t>(rng.next());
      ASSERT_TRUE(device->run(program).ok());
    }
    device->observers().remove(&debugger);
  }
  EXPECT_EQ(visitor.visited(), moment_count(few));
  EXPECT_GE(visitor.moments(), fewest_moments);
}

TEST(Network, ArrivesAtTheBytesOfEveryMoment) { visit_network(Debugger::kMostBytes, 50, 100); }

TEST(Network, KeepsToItsBound) { visit_network(uint64_t{1} << 20, 25, 20); }

}  // namespace
}  // namespace tputwin::debug::testing
