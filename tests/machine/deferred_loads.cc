// Constants that are in lanes when a program ends. Runs that use packed constants defer these
// loads. Every reader of the lanes, and every writer of the source, must get the bytes of a run
// that loaded them.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <optional>

#include "common/packing_isa.h"
#include "machine/planned_program.h"
#include "machine/programs.h"
#include "selftest/fill_operands.h"
#include "selftest/rng.h"

namespace tputwin::test {
namespace {

// One convolution. A later map overwrites some of its weights; the other weights are live-out.
struct LastLayer {
  LastLayer() {
    Conv2dBm1880 op;
    op.in = local_tensor(bm1880(), 0x4000, {1, 64, 8, 8}, true, DType::i8);
    op.out = local_tensor(bm1880(), 0x6000, {1, 64, 8, 8}, true, DType::i8);
    op.weight = conv_weight(0, {64, 64, 1, 1}, DType::i8);
    op.rshift = 9;
    ProgramBuilder b;
    b.load(local_tensor(bm1880(), 0, {1, 32, 256, 256}, true, DType::i8), kFilling);
    b.load(op.in, kIn);
    end = load_constants(b, op, kWeights);
    b.add(op, Engine::compute, 0);
    b.store(op.out, kOut);
    b.load(local_tensor(bm1880(), 0x18, {1, 32, 2, 8}, true, DType::i8), kIn + 7);
    program = b.program();
  }
  static constexpr uint64_t kIn = 0, kOut = 0x8000, kWeights = 0x20000, kFilling = 0x80000,
                            kGlobal = kFilling + (2 << 20);
  uint64_t end = 0;  // end of the constants
  std::vector<Instruction> program;
};

class DeferredLoads : public ::testing::Test {
 protected:
  static constexpr uint64_t kIn = LastLayer::kIn, kOut = LastLayer::kOut,
                            kWeights = LastLayer::kWeights, kGlobal = LastLayer::kGlobal;

  void SetUp() override {
    if (isa_.name().empty()) GTEST_SKIP() << "no kernels that pack";
    begin();
  }
  // Makes two devices with the same bytes; runs them until one of them defers a load.
  void begin() {
    plan_.reset(), other_plan_.reset();
    device_ = make_device({.chip = &bm1880(), .global_bytes = kGlobal});
    plain_ = make_device({.chip = &bm1880(), .global_bytes = kGlobal, .plans = false});
    for (Device* device : {device_.get(), plain_.get()}) {
      testing::Rng rng(3);
      testing::fill_random(rng, {device->memories().prepare_write(0, kGlobal), kGlobal});
    }
    plan_.emplace(layer_.program);
    for (int i = 0; i < 3; ++i) run();
    ASSERT_EQ(plan_->statistics().deferred_loads, 1u);
    ASSERT_TRUE(has_deferred());
  }
  void run() {
    ASSERT_TRUE(device_->run(*plan_).ok());
    ASSERT_TRUE(plain_->run(layer_.program).ok());
  }
  // Returns true if a load is deferred. Does not read the lanes, which would execute the load.
  bool has_deferred() const { return device_->memories().has_deferred_loads(); }
  ::testing::AssertionResult is_same() const {
    const auto mine = device_->memories().read_local().host_bytes();
    const auto theirs = plain_->memories().read_local().host_bytes();
    if (std::memcmp(mine.data(), theirs.data(), mine.size()) != 0)
      return ::testing::AssertionFailure() << "local memory differs";
    const auto *x = device_->memories().read_global().data(),
               *y = plain_->memories().read_global().data();
    if (std::memcmp(x, y, kGlobal) != 0)
      return ::testing::AssertionFailure() << "global memory differs";
    return ::testing::AssertionSuccess();
  }
  void on_both(const std::function<void(Device&)>& change) {
    change(*device_);
    change(*plain_);
  }

  const testing::PackingIsa isa_;
  const LastLayer layer_;
  std::unique_ptr<Device> device_, plain_;
  std::optional<PlannedProgram> plan_, other_plan_;
};

TEST_F(DeferredLoads, AreMadeForThoseWhoLook) {
  EXPECT_TRUE(is_same());
  EXPECT_FALSE(has_deferred());
  for (int i = 0; i < 3; ++i) {
    run();
    EXPECT_TRUE(has_deferred()) << "contents are seen until the next run only";
  }
  EXPECT_TRUE(is_same());
}

TEST_F(DeferredLoads, AreElidedAgainAndAgain) {
  for (int i = 0; i < 5; ++i) run();
  EXPECT_TRUE(has_deferred());
  EXPECT_TRUE(is_same());
}

// A reader that holds the lanes may read at any time, so no load is deferred from then on.
TEST_F(DeferredLoads, AreNoneForThoseWhoHoldLanes) {
  for (const bool all : {false, true}) {
    begin();
    const LocalMemory& lanes =
        all ? device_->memories().take_all().local : device_->memories().take_local();
    EXPECT_FALSE(has_deferred());
    for (int i = 0; i < 2; ++i) {
      run();
      EXPECT_FALSE(has_deferred());
      EXPECT_EQ(std::memcmp(lanes.host_bytes().data(),
                            plain_->memories().read_local().host_bytes().data(),
                            lanes.host_bytes().size()),
                0);
    }
  }
}

TEST_F(DeferredLoads, AreOfTheBytesOfTheirRun) {
  const std::pair<const char*, std::function<void(Device&)>> writers[] = {
      {"a write", [&](Device& d) { *d.memories().prepare_write(kWeights + 100, 1) ^= 0x55; }},
      {"pages",
       [&](Device& d) { *(d.memories().prepare_mapping(0, kGlobal).data() + kWeights) ^= 0x55; }},
      {"a pointer", [&](Device& d) { *d.memories().expose_global(layer_.end - 1, 1) ^= 0x55; }},
      {"all of it",
       [&](Device& d) { *(d.memories().take_global().data() + kWeights + 7) ^= 0x55; }},
  };
  for (const auto& [name, write] : writers) {
    SCOPED_TRACE(name);
    begin();
    on_both(write);
    EXPECT_FALSE(has_deferred());
    EXPECT_TRUE(is_same());
    run();
    EXPECT_TRUE(is_same());
    run();
    run();
    EXPECT_TRUE(is_same());
  }
  begin();
  on_both([](Device& d) { *d.memories().prepare_write(kOut, 1) ^= 0x55; });
  EXPECT_TRUE(has_deferred()) << "no byte of theirs";
}

// If the host runs in the middle of a program, it reads the lanes before the loads after it.
TEST_F(DeferredLoads, AreNoneWhereTheHostIsCalledBefore) {
  ProgramBuilder b;
  b.load(b.tensor(0), kIn).call("host");
  std::vector<Instruction> program = b.program();
  program.insert(program.end(), layer_.program.begin(), layer_.program.end());
  PlannedProgram plan(program);
  on_both([](Device& d) {
    d.set_cpu_host([](const CpuCall&, Device& device) {
      device.memories().take_local().host_bytes()[5] ^= 0x55;
      return Status();
    });
  });
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(device_->run(plan).ok());
    ASSERT_TRUE(plain_->run(program).ok());
    EXPECT_TRUE(is_same()) << "in run " << i;
  }
  EXPECT_EQ(plan.statistics().deferred_loads, 0u);
  EXPECT_GT(plan.statistics().prepared, 0u);
}

TEST_F(DeferredLoads, AreMadeForOtherPrograms) {
  struct Watcher final : Observer {
    void on_instruction(const Instruction&, const Footprint&, const Cost&) override {}
  } watcher;
  ProgramBuilder store;  // reads the deferred bytes
  store.store(store.tensor(0x40), kOut);
  const Instruction single = store.program().front();
  const std::pair<const char*, std::function<void(Device&)>> others[] = {
      {"a program", [&](Device& d) { ASSERT_TRUE(d.run(store.program()).ok()); }},
      {"an instruction", [&](Device& d) { ASSERT_TRUE(d.issue(single, {.call = "test"}).ok()); }},
      {"one of a queue",
       [&](Device& d) {
         d.submit(single);
         ASSERT_TRUE(d.drain().ok());
       }},
      {"a plan",
       [&](Device& d) {
         other_plan_.emplace(store.program());
         for (int i = 0; i < 3; ++i) ASSERT_TRUE(d.run(*other_plan_).ok());
       }},
      {"an observer",
       [&](Device& d) {
         d.observers().add(&watcher);
         d.observers().remove(&watcher);
       }},
  };
  for (const auto& [name, other] : others) {
    SCOPED_TRACE(name);
    begin();
    on_both(other);
    EXPECT_FALSE(has_deferred());
    EXPECT_TRUE(is_same());
    run();
    EXPECT_TRUE(is_same());
  }
}

TEST_F(DeferredLoads, OutliveTheirPlan) {
  plan_.reset();
  EXPECT_TRUE(has_deferred());
  EXPECT_TRUE(is_same());
}

TEST_F(DeferredLoads, OfTwoPlansOfTheSameProgram) {
  other_plan_.emplace(layer_.program);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(device_->run(*other_plan_).ok());
    run();
    EXPECT_EQ(i < 2 || has_deferred(), true);
  }
  EXPECT_TRUE(is_same());
}

// After an error the next run does not begin.
TEST_F(DeferredLoads, StayDeferredWhereNothingRuns) {
  ProgramBuilder wrong;
  wrong.store(wrong.tensor(0), kGlobal);
  const Instruction bad = wrong.program().front();
  on_both([&](Device& d) { EXPECT_FALSE(d.issue(bad, {.call = "test"}).ok()); });
  EXPECT_FALSE(device_->run(*plan_).ok());
  EXPECT_TRUE(is_same());
}

// A call of the host after all instructions does not prevent deferral; a call before others does.
TEST_F(DeferredLoads, AroundCallsOfTheHost) {
  for (const bool goes_on : {false, true}) {
    ProgramBuilder b;
    std::vector<Instruction> program = layer_.program;
    b.call("host", false);
    if (goes_on) b.store(b.tensor(0x40), kOut);
    for (const Instruction& instruction : b.program()) program.push_back(instruction);
    PlannedProgram plan(program);
    const auto run_both = [&] {
      ASSERT_TRUE(device_->run(plan).ok());
      ASSERT_TRUE(plain_->run(program).ok());
    };
    on_both([](Device& d) {
      d.set_cpu_host([](const CpuCall&, Device& host) {
        *host.memories().prepare_write(kIn + 3, 1) += 5;
        return Status();
      });
    });
    for (int i = 0; i < 4; ++i) run_both();
    EXPECT_EQ(plan.statistics().deferred_loads, goes_on ? 0u : 1u);
    EXPECT_EQ(has_deferred(), !goes_on);
    EXPECT_TRUE(is_same());
  }
}

}  // namespace
}  // namespace tputwin::test
