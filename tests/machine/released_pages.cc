// Pages of constants that are released while plans run. Before anything reads or writes them, they
// must have their bytes again.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <optional>

#include "base/bits.h"
#include "common/packing_isa.h"
#include "machine/planned_program.h"
#include "machine/programs.h"
#include "ops/fast/fast.h"
#include "selftest/fill_operands.h"
#include "selftest/rng.h"

namespace tputwin::test {
namespace {

// Two convolutions with biases; their constants in lanes are overwritten at the end. The constants
// begin inside a page, which is not released.
struct BiasedLayers {
  BiasedLayers() {
    const Axis three{.kernel = 3, .pad_before = 1, .pad_after = 1};
    Conv2dBm1880 op;
    op.in = local_tensor(bm1880(), 0x4000, {1, 64, 8, 8}, true, DType::i8);
    op.out = local_tensor(bm1880(), 0x6000, {1, 64, 8, 8}, true, DType::i8);
    op.weight = conv_weight(0, {64, 64, 3, 3}, DType::i8);
    op.bias = local_tensor(bm1880(), 0x3000, {1, 64, 1, 1}, false, DType::i16);
    op.bias->plane_stride = 2;
    op.window = {three, three};
    op.rshift = 9;
    ProgramBuilder b;
    b.load(op.in, kIn);
    end = load_constants(b, op, kWeights);
    b.add(op, Engine::compute, 0);
    bias = end - 1;
    op.in = op.out;
    op.out = local_tensor(bm1880(), 0x5000, {1, 64, 8, 8}, true, DType::i8);
    end = load_constants(b, op, end);
    b.add(op, Engine::compute, 0);
    b.store(op.out, kOut);
    b.load(local_tensor(bm1880(), 0, {1, 32, 256, 256}, true, DType::i8), kFilling);
    program = b.program();
  }
  static constexpr uint64_t kIn = 0, kOut = 0x8000, kWeights = 0x20123, kFilling = 0x80000,
                            kGlobal = kFilling + (2 << 20);
  static constexpr uint64_t kInBytes = 64 * 8 * 8, kOutBytes = kInBytes;
  uint64_t end = 0;  // end of the constants
  // A byte of a bias between weights, in one of their pages.
  uint64_t bias = 0;
  std::vector<Instruction> program;
};

class ReleasedPages : public ::testing::Test {
 protected:
  static constexpr uint64_t kIn = BiasedLayers::kIn, kInBytes = BiasedLayers::kInBytes,
                            kOut = BiasedLayers::kOut, kOutBytes = BiasedLayers::kOutBytes,
                            kWeights = BiasedLayers::kWeights, kGlobal = BiasedLayers::kGlobal;

  ReleasedPages() {
    testing::Rng rng(3);
    testing::fill_random(rng, {device_->memories().prepare_write(0, kGlobal), kGlobal});
    image_.assign(device_->memories().read_global().data(),
                  device_->memories().read_global().data() + kGlobal);
  }
  void SetUp() override {
    if (isa_.name().empty()) GTEST_SKIP() << "no kernels that pack";
    run_until_released();
  }

  // Runs on another input; expects the output of a device without plans.
  void run(PlannedProgram& plan) {
    testing::Rng rng(++inputs_);
    uint8_t* in = device_->memories().prepare_write(kIn, kInBytes);
    testing::fill_random(rng, {in, kInBytes});
    std::memcpy(image_.data() + kIn, in, kInBytes);
    auto plain = make_device({.chip = &bm1880(), .global_bytes = kGlobal, .plans = false});
    std::memcpy(plain->memories().prepare_write(0, kGlobal), image_.data(), kGlobal);
    ASSERT_TRUE(plain->run(layers_.program).ok());
    std::memcpy(image_.data(), plain->memories().read_global().data(), kGlobal);
    ASSERT_TRUE(device_->run(plan).ok());
    EXPECT_EQ(std::memcmp(device_->memories().prepare_read(kOut, kOutBytes), image_.data() + kOut,
                          kOutBytes),
              0);
  }
  void run_until_released() {
    for (int i = 0; i < 3; ++i) run(*plan_);
    ASSERT_GT(released(), layers_.end - kWeights - 2 * 4096);
  }
  uint64_t released() const { return plan_->statistics().released_bytes; }
  bool is_whole() const {
    return std::memcmp(device_->memories().read_global().data(), image_.data(), kGlobal) == 0;
  }

  const testing::PackingIsa isa_;
  BiasedLayers layers_;
  std::vector<uint8_t> image_;  // the expected global memory
  uint64_t inputs_ = 0;
  std::unique_ptr<Device> device_ = make_device({.chip = &bm1880(), .global_bytes = kGlobal});
  std::optional<PlannedProgram> plan_{std::in_place, layers_.program};
};

TEST_F(ReleasedPages, HoldNothingWhileRunsGoOn) {
  ASSERT_TRUE(is_whole());
  const uint8_t* after_weights =
      device_->memories().read_global().data() + align_up(kWeights, 4096);
  // The read above filled the pages. They are released again only after constants are packed again.
  for (int i = 0; i < 3; ++i) run(*plan_);
  EXPECT_EQ(released(), 0u);
  device_->memories().prepare_write(kWeights, 1);
  run(*plan_);
  run_until_released();
  EXPECT_TRUE(
      std::all_of(after_weights, after_weights + 4096, [](uint8_t byte) { return byte == 0; }));
  for (int i = 0; i < 3; ++i) run(*plan_);
  EXPECT_GT(released(), 0u);
}

// All kinds of readers and writers.
TEST_F(ReleasedPages, AreFilledForAllThatNeedThem) {
  struct Watcher final : Observer {
    void on_instruction(const Instruction&, const Footprint&, const Cost&) override {}
  } watcher;
  ProgramBuilder other;
  other.load(other.tensor(0), kWeights + 0x1000).store(other.tensor(0), kOut);
  const std::pair<const char*, std::function<void()>> needs[] = {
      {"contents", [&] { static_cast<void>(device_->memories().read_global()); }},
      {"a byte", [&] { device_->memories().prepare_read(kWeights + 0x1234, 1); }},
      {"a write", [&] { device_->memories().prepare_write(kWeights + 0x1234, 1); }},
      {"pages", [&] { device_->memories().prepare_mapping(kWeights, 4096); }},
      {"a pointer", [&] { device_->memories().expose_global(kWeights + 0x2000, 16); }},
      {"end of the pointer", [&] { device_->memories().cover_global(kWeights + 0x2000, 16); }},
      {"an observer", [&] { device_->observers().add(&watcher); }},
      {"none", [&] { device_->observers().remove(&watcher); }},
      {"reference kernels",
       [&] {
         device_->set_kernel_choice(KernelChoice::reference);
         run(*plan_);
         device_->set_kernel_choice(KernelChoice::automatic);
       }},
      {"another plan",
       [&] {
         PlannedProgram plan(layers_.program);
         run(plan);
       }},
      {"other kernels",
       [&] {
         fast::select_isa(std::string(fast::available_isas().front()));
         run(*plan_);
         fast::select_isa(isa_.name());
       }},
  };
  for (const auto& [name, need] : needs) {
    SCOPED_TRACE(name);
    need();
    EXPECT_TRUE(is_whole());
    EXPECT_EQ(released(), 0u);
    device_->memories().prepare_write(kWeights, 1);
    run(*plan_);
    for (int i = 0; i < 3; ++i) run(*plan_);
  }
  ASSERT_GT(released(), 0u);
  ASSERT_TRUE(device_->run(other.program()).ok());
  EXPECT_EQ(released(), 0u);
  EXPECT_EQ(std::memcmp(device_->memories().prepare_read(kOut, 512),
                        image_.data() + kWeights + 0x1000, 512),
            0);
}

TEST_F(ReleasedPages, AreFilledWhenThePlanEnds) {
  plan_.reset();
  EXPECT_TRUE(is_whole());
}

TEST_F(ReleasedPages, MayOutliveTheDevice) {
  device_.reset();
  plan_.reset();
}

// Writes to weights, in a released page and in one that is not, and to the bias, which no kernel
// releases. The bytes around a write must not change.
TEST_F(ReleasedPages, TakeWrites) {
  for (const uint64_t at :
       {kWeights + 5, kWeights + 0x1005, layers_.bias, layers_.end - 1, kWeights + 0x3fff}) {
    *device_->memories().prepare_write(at, 1) ^= 0x55;
    image_[at] ^= 0x55;
    run(*plan_);
    run_until_released();
  }
  EXPECT_TRUE(is_whole());
}

TEST_F(ReleasedPages, OfTwoPlansWithTheSameConstants) {
  PlannedProgram other(layers_.program);
  for (int i = 0; i < 4; ++i) run(other);
  EXPECT_EQ(released(), 0u);
  EXPECT_GT(other.statistics().released_bytes, 0u);
  for (int i = 0; i < 3; ++i) run(*plan_), run(other);
  EXPECT_GT(other.statistics().released_bytes, 0u);
  *device_->memories().prepare_write(kWeights + 77, 1) ^= 1;
  image_[kWeights + 77] ^= 1;
  for (int i = 0; i < 3; ++i) run(*plan_), run(other);
  EXPECT_TRUE(is_whole());
}

}  // namespace
}  // namespace tputwin::test
