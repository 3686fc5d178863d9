// Devices that run the same program keep its packed weights once, until one of them changes its
// weights.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "common/rng.h"
#include "machine/planned_program.h"
#include "machine/programs.h"
#include "ops/fast/prepared/interned_bytes.h"
#include "selftest/fill_operands.h"
#include "selftest/rng.h"

namespace tputwin::test {
namespace {

using fast::InternedBytes;

constexpr uint64_t kMapOfNet = 0, kResultsOfNet = 0x8000, kWeightsOfNet = 0x10000,
                   kGlobalBytes = 0x40000;
constexpr int kRunsUntilPacked = 4;

std::vector<Instruction> convolution() {
  ProgramBuilder b;
  Conv2dBm1880 op;
  op.in = b.tensor(0x4000, {1, 40, 9, 7});
  op.out = b.tensor(0x8000, {1, 32, 9, 7});
  op.weight = conv_weight(0, {40, 32, 3, 3}, DType::i8);
  for (Axis* axis : {&op.window.h, &op.window.w})
    axis->kernel = 3, axis->pad_before = axis->pad_after = 1;
  op.rshift = 9;
  b.load(op.in, kMapOfNet);
  load_constants(b, op, kWeightsOfNet);
  b.add(op, Engine::compute, 0).store(op.out, kResultsOfNet);
  return b.program();
}

class OneDevice {
 public:
  explicit OneDevice(uint64_t seed) : program_(convolution()) {
    device_ = make_device({.chip = &bm1880(), .global_bytes = kGlobalBytes, .plans = true});
    testing::Rng rng(seed);
    testing::fill_random(rng, {memory(0), kGlobalBytes}, 0xff);
  }
  uint8_t* memory(uint64_t address) { return device_->memories().take_global().data() + address; }
  // Runs the program often enough for its weights to be packed, and returns its results.
  std::vector<uint8_t> run() {
    for (int i = 0; i < kRunsUntilPacked; ++i) {
      const Status status = device_->run(program_);
      EXPECT_TRUE(status.ok()) << status.error().message();
    }
    const uint8_t* const results = memory(kResultsOfNet);
    return {results, results + 32 * 9 * 7};
  }

 private:
  std::unique_ptr<Device> device_;
  PlannedProgram program_;
};

TEST(SharedConstants, AreKeptOnceForAllDevices) {
  const size_t before = InternedBytes::all_bytes();
  {
    OneDevice first(1);
    const std::vector<uint8_t> results = first.run();
    const size_t one = InternedBytes::all_bytes();
    ASSERT_GT(one, before);
    OneDevice second(1), third(1);
    EXPECT_EQ(second.run(), results);
    EXPECT_EQ(third.run(), results);
    EXPECT_EQ(InternedBytes::all_bytes(), one);
    OneDevice other(2);
    EXPECT_NE(other.run(), results);
    EXPECT_EQ(InternedBytes::all_bytes(), before + 2 * (one - before));
    EXPECT_EQ(first.run(), results);
  }
  EXPECT_EQ(InternedBytes::all_bytes(), before);
}

TEST(SharedConstants, OfOneDeviceMayChange) {
  OneDevice first(3), second(3);
  const std::vector<uint8_t> results = first.run();
  EXPECT_EQ(second.run(), results);
  for (uint64_t i = 0; i < 40 * 32 * 9; ++i) second.memory(kWeightsOfNet)[i] ^= 0x55;
  const std::vector<uint8_t> changed = second.run();
  EXPECT_NE(changed, results);
  EXPECT_EQ(first.run(), results);
  for (uint64_t i = 0; i < 40 * 32 * 9; ++i) first.memory(kWeightsOfNet)[i] ^= 0x55;
  EXPECT_EQ(first.run(), changed);
}

TEST(SharedConstants, MayBePackedAtTheSameTime) {
  std::vector<std::jthread> threads;
  for (uint64_t i = 0; i < 4; ++i)
    threads.emplace_back([i] {
      for (uint64_t round = 0; round < 10; ++round) {
        OneDevice one(round), two(round + i % 2);
        const std::vector<uint8_t> results = one.run();
        EXPECT_EQ(two.run() == results, i % 2 == 0);
      }
    });
}

TEST(InternedBytes, ShareEqualContentsOnly) {
  InternedBytes a, b, c;
  EXPECT_EQ(a.data(), nullptr);
  for (InternedBytes* bytes : {&a, &b}) std::memset(bytes->renew(100), 7, 100);
  std::memset(c.renew(100), 8, 100);
  for (InternedBytes* bytes : {&a, &b, &c}) bytes->intern();
  EXPECT_EQ(a.data(), b.data());
  EXPECT_NE(a.data(), c.data());
  std::memset(a.renew(100), 8, 100);
  a.intern();
  EXPECT_EQ(a.data(), c.data());
  EXPECT_EQ(b.data()[99], 7);
  EXPECT_EQ(c.data()[99], 8);
}

}  // namespace
}  // namespace tputwin::test
