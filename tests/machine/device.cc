#include "machine/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "base/errors/machine.h"
#include "base/errors/memory.h"
#include "machine/programs.h"

namespace tputwin::test {
namespace {

using Kind = Elementwise::Kind;
constexpr uint64_t kTile = 32 * 4 * 4, kOut = 0x8000;

void fill(Device& device, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i)
    device.memories().take_global().data()[i] = static_cast<uint8_t>(i * 7 + 3);
}

std::vector<uint8_t> bytes_at(Device& device, uint64_t address, uint64_t bytes) {
  return {device.memories().take_global().data() + address,
          device.memories().take_global().data() + address + bytes};
}

// Returns out[i] = min(in[i], 5) over `tiles` tiles, with two buffers in local memory so that the
// engines may overlap. It has every wait that the buffers need.
std::vector<Instruction> pipelined(uint32_t tiles) {
  ProgramBuilder b;
  for (uint32_t i = 0; i < tiles; ++i) {
    TensorView t = b.tensor(i % 2 * 0x100), r = b.tensor(0x200 + i % 2 * 0x100);
    // DMA numbers: load 2i+1, store 2i+2. Compute number: i+1.
    b.load(t, i * kTile, i >= 2 ? i - 1 : 0);
    b.pointwise(Kind::min, r, t, 5, 2 * i + 1);
    b.store(r, kOut + i * kTile, i + 1);
  }
  return b.program();
}

std::vector<uint8_t> expected_minimum(Device& device, uint32_t tiles) {
  auto bytes = bytes_at(device, 0, tiles * kTile);
  for (auto& byte : bytes)
    byte = static_cast<uint8_t>(std::min<int8_t>(static_cast<int8_t>(byte), 5));
  return bytes;
}

const Schedule kSchedules[] = {Schedule::program, Schedule::compute_first, Schedule::dma_first,
                               Schedule::shuffled};

TEST(Device, EveryScheduleGivesTheSameBytes) {
  auto program = pipelined(8);
  for (Schedule schedule : kSchedules)
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      auto device = make_device({.chip = &bm1880(), .schedule = schedule, .seed = seed});
      fill(*device, 8 * kTile);
      ASSERT_TRUE(device->run(program).ok());
      EXPECT_EQ(bytes_at(*device, kOut, 8 * kTile), expected_minimum(*device, 8))
          << "schedule " << static_cast<int>(schedule) << " seed " << seed;
    }
}

TEST(Device, SubmitAndDrainEqualRun) {
  for (Schedule schedule : kSchedules) {
    auto device = make_device({.chip = &bm1880(), .schedule = schedule});
    fill(*device, 4 * kTile);
    for (const Instruction& instruction : pipelined(4)) {
      device->submit(instruction);
      bool now = instruction.id % 3 == 0;
      EXPECT_TRUE(!now || device->drain().ok());
    }
    ASSERT_TRUE(device->drain().ok());
    EXPECT_EQ(bytes_at(*device, kOut, 4 * kTile), expected_minimum(*device, 4));
  }
}

TEST(Device, AnAdversarialScheduleExposesAMissingWait) {
  auto program = pipelined(4);
  program[1].wait = 0;  // does not wait for its load
  auto bytes = [&](Schedule schedule) {
    auto device = make_device({.chip = &bm1880(), .schedule = schedule});
    fill(*device, 4 * kTile);
    EXPECT_TRUE(device->run(program).ok());
    return bytes_at(*device, kOut, 4 * kTile);
  };
  auto device = make_device({.chip = &bm1880()});
  fill(*device, 4 * kTile);
  EXPECT_EQ(bytes(Schedule::program), expected_minimum(*device, 4));
  EXPECT_NE(bytes(Schedule::compute_first), expected_minimum(*device, 4));
}

TEST(Device, AWaitForALaterCommandIsHonoured) {
  for (Schedule schedule : kSchedules) {
    ProgramBuilder b;
    TensorView t = b.tensor(0);
    b.pointwise(Kind::max, t, t, 9, 1).load(t, 0).store(t, kOut, 1);
    auto device = make_device({.chip = &bm1880(), .schedule = schedule});
    fill(*device, kTile);
    ASSERT_TRUE(device->run(b.program()).ok());
    EXPECT_EQ(device->memories().take_global().data()[kOut], 9);
    EXPECT_EQ(device->memories().take_global().data()[kOut + 1], 10);
  }
}

TEST(Device, NumbersMayStartAgain) {
  for (Schedule schedule : kSchedules)
    for (bool call : {false, true}) {
      ProgramBuilder b;
      TensorView t = b.tensor(0);
      for (uint64_t i = 0; i < 3; ++i) {
        b.load(t, i * kTile).load(b.tensor(0x1000), 0).pointwise(Kind::min, t, t, 5, 1);
        b.store(t, kOut + i * kTile, 1);
        if (call)
          b.call("sync", true);
        else
          b.restart();
      }
      auto device = make_device({.chip = &bm1880(), .schedule = schedule});
      fill(*device, 3 * kTile);
      ASSERT_TRUE(device->run(b.program()).ok());
      EXPECT_EQ(bytes_at(*device, kOut, 3 * kTile), expected_minimum(*device, 3));
    }
}

TEST(Device, EnginesThatWaitForEachOtherAreAnError) {
  for (Schedule schedule : kSchedules) {
    ProgramBuilder b;
    TensorView t = b.tensor(0);
    b.load(t, 0, 1).pointwise(Kind::min, t, t, 5, 1);
    auto device = make_device({.chip = &bm1880(), .schedule = schedule});
    Status status = device->run(b.program());
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().id(), errors::mch_wait_never);
  }
}

TEST(Device, AnErrorNamesTheInstructionAndSticks) {
  ProgramBuilder b;
  TensorView t = b.tensor(0);
  b.load(t, 0).pointwise(Kind::min, t, t, 5, 1).store(t, uint64_t{1} << 40, 1).load(t, 0);
  auto device = make_device({.chip = &bm1880()});
  fill(*device, kTile);
  Status status = device->run(b.program());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().id(), errors::mem_global_range);
  EXPECT_THAT(status.message(), ::testing::HasSubstr(" 2 "));
  EXPECT_EQ(device->memories().take_local().lane(0)[0], 3) << "what ran before the error stays";
  EXPECT_EQ(device->error().message(), status.message());
  EXPECT_FALSE(device->run({}).ok());
  device->submit(b.program()[0]);
  EXPECT_FALSE(device->drain().ok());
  device->errors().clear();
  EXPECT_TRUE(device->error().ok());
  EXPECT_TRUE(device->run(std::span(b.program()).first(2)).ok());
}

struct Recorder : Observer {
  std::vector<std::pair<std::string, uint32_t>> seen;
  uint64_t cycles = 0, writes = 0;
  void on_instruction(const Instruction& instruction, const Footprint& footprint,
                      const Cost& cost) override {
    seen.emplace_back(name(instruction.op), instruction.id);
    cycles += cost.cycles();
    writes += footprint.writes.size();
  }
};

TEST(Device, AnObserverSeesEveryInstructionOnce) {
  for (Schedule schedule : kSchedules) {
    auto program = pipelined(6);
    auto device = make_device({.chip = &bm1880(), .schedule = schedule});
    Recorder recorder;
    device->observers().add(&recorder);
    ASSERT_TRUE(device->run(program).ok());
    std::vector<std::pair<std::string, uint32_t>> expected;
    for (const Instruction& i : program) expected.emplace_back(name(i.op), i.id);
    EXPECT_THAT(recorder.seen, ::testing::UnorderedElementsAreArray(expected));
    EXPECT_GT(recorder.cycles, 0u);
    EXPECT_GE(recorder.writes, program.size());
    device->observers().remove(&recorder);
    ASSERT_TRUE(device->run(program).ok());
    EXPECT_EQ(recorder.seen.size(), program.size());
  }
}

TEST(Device, CpuCallsDrainTheEnginesAndGoToTheHost) {
  for (Schedule schedule : kSchedules) {
    ProgramBuilder b;
    TensorView t = b.tensor(0);
    b.load(t, 0).pointwise(Kind::min, t, t, 5, 1).store(t, kOut, 1).call("softmax");
    b.load(t, kOut).store(t, 2 * kOut);
    auto device = make_device({.chip = &bm1880(), .schedule = schedule});
    fill(*device, kTile);
    std::vector<std::string> calls;
    device->set_cpu_host([&](const CpuCall& call, Device& where) -> Status {
      calls.push_back(call.name);
      EXPECT_EQ(where.memories().take_global().data()[kOut], 3)
          << "the store before the call has run";
      where.memories().take_global().data()[kOut] = 99;
      return {};
    });
    ASSERT_TRUE(device->run(b.program()).ok());
    EXPECT_THAT(calls, ::testing::ElementsAre("softmax"));
    EXPECT_EQ(device->memories().take_global().data()[2 * kOut], 99)
        << "the load after it has seen it";
  }
}

TEST(Device, WithoutAHostACpuCallIsAnErrorThatNamesTheOperator) {
  ProgramBuilder b;
  auto device = make_device({.chip = &bm1880()});
  Status status = device->run(b.call("softmax").program());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().id(), errors::mch_no_cpu_host);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("softmax"));
  device->errors().clear();
  EXPECT_TRUE(device->run(ProgramBuilder().call("marker", true).program()).ok());
}

TEST(Device, ManyDevicesAreIndependent) {
  std::vector<std::unique_ptr<Device>> devices;
  for (int i = 0; i < 8; ++i) devices.push_back(make_device({.chip = &bm1880()}));
  for (uint8_t i = 0; i < 8; ++i) devices[i]->memories().take_global().data()[0] = i;
  ProgramBuilder b;
  TensorView t = b.tensor(0);
  b.load(t, 0).store(t, kOut);
  for (uint8_t i = 0; i < 8; ++i) {
    ASSERT_TRUE(devices[i]->run(b.program()).ok());
    EXPECT_EQ(devices[i]->memories().take_global().data()[kOut], i);
  }
}

TEST(Device, ThreadsWithTheirOwnDevices) {
  auto program = pipelined(8);
  auto work = [&](uint64_t seed) {
    auto device = make_device({.chip = &bm1880(), .schedule = Schedule::shuffled, .seed = seed});
    fill(*device, 8 * kTile);
    for (int round = 0; round < 20; ++round) EXPECT_TRUE(device->run(program).ok());
    EXPECT_EQ(bytes_at(*device, kOut, 8 * kTile), expected_minimum(*device, 8));
  };
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace tputwin::test
