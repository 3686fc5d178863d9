// Accumulating operations that are issued one by one: their sums are added in one pass. Operations
// issued between them must see the bytes of the reference kernels.
#include "ops/fast/gemm/run/deferred_sums.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "base/parallel.h"
#include "common/rng.h"
#include "machine/programs.h"
#include "ops/fast/dispatch/kernel_trace.h"
#include "ops/fast/fast.h"
#include "selftest/random_operation.h"

namespace tputwin::test::of_deferred_sums {
namespace {

using testing::OperationKind;
using testing::RandomCases;
using testing::Rng;

constexpr uint64_t kGlobal = testing::kTestGlobalBytes;
// Half of the banks hold results and half operands, so that some overlap.
constexpr uint32_t kPositions = 8;

// Returns the chip with smaller memories, which are compared faster.
const Chip& chip() { return testing::chip_of(OperationKind::conv2d_bm1684); }

uint32_t place(Rng& rng) {
  const uint32_t padding = rng.chance(1, 4) ? rng.range(1, 3) * 128 : 0;
  return static_cast<uint32_t>(rng.below(kPositions)) * chip().bank_bytes() / 2 + padding;
}

TensorView lanes(uint32_t address, const Shape& shape, uint8_t pack = 1, bool aligned = true) {
  const Shape cells{(shape.n + pack - 1) / pack, shape.c, shape.h, shape.w};
  return {.dtype = DType::f32,
          .pack = pack,
          .address = address,
          .shape = shape,
          .stride = lane_stride(chip(), cells, 0, pack * 4u, aligned)};
}

// Returns a number that affects later sums: zeros of both signs, small and subnormal ones, rarely
// NaN.
float value(Rng& rng, bool has_nan) {
  if (has_nan && rng.chance(1, 300)) return f32::from_bits(0x7f80'0000u + rng.range(0, 0x7f'ffff));
  const float sign = rng.coin() ? 1.0f : -1.0f;
  switch (rng.below(8)) {
    case 0:
      return sign * 0.0f;
    case 1:
      return sign * f32::from_bits(rng.range(1, 0x00ff'ffff));
    case 2:
      return sign * 1e-20f;
    default:
      return sign * static_cast<float>(rng.range(1, 1000)) / 64.0f;
  }
}

// A chain of operations onto one result.
struct Conv {
  Shape out;
  uint32_t channels, kernel;
  TensorView result;

  explicit Conv(Rng& rng)
      : out{rng.range(1, 3), rng.range(1, 70), rng.range(1, 6), rng.range(1, 40)},
        channels(rng.range(1, 4)),
        kernel(rng.chance(1, 3) ? rng.range(1, 3) : 1),
        result(lanes(place(rng), out)) {}
  Operation next(Rng& rng) const {
    const Axis axis{.kernel = kernel};
    const Shape in{out.n, channels, out.h + kernel - 1, out.w + kernel - 1};
    return Conv2dBm1684{.out = result,
                        .in = lanes(place(rng), in),
                        .weight = lanes(place(rng), {channels, out.c, kernel, kernel}, 2, false),
                        .window = {axis, axis},
                        .is_rotated = rng.coin(),
                        .accumulate = !rng.chance(1, 12)};
  }
};
struct Product {
  uint32_t rows, depth, cols, width;
  TensorView result;

  explicit Product(Rng& rng)
      : rows(rng.range(1, 70)),
        depth(rng.range(1, 5)),
        cols(rng.range(1, 12)),
        width(rng.range(1, 80)),
        result(lanes(place(rng), {rows, cols, 1, width})) {}
  Operation next(Rng& rng) const {
    const uint32_t all = cols * width;
    return MatmulBm1684{.out = {result, rows, all},
                        .left = {lanes(place(rng), {rows, 1, 1, depth}), rows, depth},
                        .right = {lanes(place(rng), {depth, cols, 1, width}), depth, all},
                        .accumulate = !rng.chance(1, 12)};
  }
};

// Returns an operation between the others: copies and fills anywhere, and operations on the same
// bytes.
Operation other(Rng& rng, const TensorView& result) {
  TensorView local = rng.coin() ? result : lanes(place(rng), {1, 64, 4, 8});
  TensorView system = local;
  system.space = Space::global;
  system.address = rng.below(64) * 4096;
  system.stride = system_stride(local.shape, 4);
  switch (rng.below(5)) {
    case 0:
      return Copy{.dst = system, .src = Source::tensor(local)};
    case 1:
      return Copy{.dst = local, .src = Source::value(1.5f)};
    case 2:
      return Copy{.dst = local, .src = Source::tensor(system)};
    case 3:
      local.address = place(rng);
      return Copy{.engine = Engine::compute, .dst = local, .src = Source::tensor(result)};
    default:
      return testing::random_operation(
          rng,
          rng.pick({OperationKind::float_arithmetic, OperationKind::copy,
                    OperationKind::pool2d_bm1684, OperationKind::matmul_bm1684}),
          chip());
  }
}

// Runs the same operations on two devices, one with reference kernels.
class Pair {
 public:
  explicit Pair(Rng& rng) {
    const bool has_nan = rng.chance(1, 3);
    for (auto& device : devices_) {
      device = make_device({.chip = &chip(), .global_bytes = kGlobal});
      Rng same = rng;
      for (uint64_t at = 0; at < device->memories().take_local().size(); at += sizeof(float))
        Memory::store(device->memories().take_local().at(at), value(same, has_nan));
      for (uint64_t at = 0; at < (1u << 20); at += sizeof(float))
        Memory::store(device->memories().take_global().data() + at, value(same, has_nan));
    }
    devices_[1]->set_kernel_choice(KernelChoice::reference);
    rng.next();
  }
  void issue(const Operation& op) {
    if (!testing::is_legal(op, chip(), kGlobal)) return;
    text_ += describe(op) + "\n";
    for (auto& device : devices_)
      static_cast<void>(device->issue({.op = op, .engine = engine(op)}, {.call = "test"}));
  }
  std::string difference() {
    std::array<const uint8_t*, 2> local{devices_[0]->memories().take_local().lane(0),
                                        devices_[1]->memories().take_local().lane(0)};
    for (uint64_t i = 0; i < devices_[0]->memories().take_local().host_bytes().size(); ++i)
      if (local[0][i] != local[1][i])
        return fmt::format("lane {} byte {:#x} differs",
                           i / devices_[0]->memories().take_local().lane_stride(),
                           i % devices_[0]->memories().take_local().lane_stride());
    const bool same = std::memcmp(devices_[0]->memories().read_global().data(),
                                  devices_[1]->memories().read_global().data(), kGlobal) == 0;
    return same ? "" : "global memory differs";
  }
  const std::string& text() const { return text_; }

 private:
  std::array<std::unique_ptr<Device>, 2> devices_;
  std::string text_;
};

template <class Chain>
void issue_chain(Rng& rng, Pair& pair) {
  const Chain chain(rng);
  for (uint32_t left = rng.range(2, 40); left > 0; --left) {
    pair.issue(chain.next(rng));
    if (rng.chance(1, 6)) pair.issue(other(rng, chain.result));
  }
}

class DeferredSums : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(fast::select_isa(GetParam())); }
  void TearDown() override {
    fast::select_isa("");
    set_thread_count(0);
  }
};

TEST_P(DeferredSums, LeaveTheBytesOfReferenceKernels) {
  const bool gathers = GetParam() != "reference";
  const RandomCases cases(gathers ? 16 : 2);
  size_t deferred = 0;
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    Rng rng = cases.rng(i);
    set_thread_count(1 + static_cast<int>(i % 2));
    const fast::KernelTrace trace;
    Pair pair(rng);
    for (int chain = 0; chain < 3; ++chain) {
      if (rng.coin())
        issue_chain<Conv>(rng, pair);
      else
        issue_chain<Product>(rng, pair);
      ASSERT_EQ(pair.difference(), "") << pair.text();
    }
    for (const auto& event : trace.events()) deferred += event.kernel == "deferred";
  }
  if (gathers && cases.count >= 16) {
    EXPECT_GT(deferred, 100u);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, DeferredSums,
                         ::testing::ValuesIn(fast::available_isas().begin(),
                                             fast::available_isas().end()),
                         [](const auto& info) { return info.param; });

// Results of chains while their sums are deferred, read in different ways.
class Looks : public ::testing::Test {
 protected:
  static constexpr uint32_t kIn = 0, kWeight = 4096, kOut = 8192;
  Looks() : device_(make_device({.chip = &chip(), .global_bytes = kGlobal})) {
    for (uint32_t lane = 0; lane < chip().lanes; ++lane)
      for (uint32_t i = 0; i < 4096; i += 4) {
        Memory::store(device_->memories().take_local().lane(lane) + kIn + i, 2.0f);
        Memory::store(device_->memories().take_local().lane(lane) + kWeight + i, 3.0f);
        Memory::store(device_->memories().take_local().lane(lane) + kOut + i, 0.0f);
      }
  }
  void issue(int times) {
    const Shape out{1, 2, 4, 8};
    for (int i = 0; i < times; ++i)
      ASSERT_TRUE(device_
                      ->issue({.op = Conv2dBm1684{.out = lanes(kOut, out),
                                                  .in = lanes(kIn, {1, 1, 4, 8}),
                                                  .weight = lanes(kWeight, {1, 2, 1, 1}, 2, false),
                                                  .accumulate = true},
                               .engine = Engine::compute},
                              {.call = "test"})
                      .ok());
  }
  static float first(const LocalMemory& local) { return Memory::load<float>(local.lane(0) + kOut); }
  const std::unique_ptr<Device> device_;
};

TEST_F(Looks, AtLocalMemoryFindTheSums) {
  issue(5);
  EXPECT_EQ(first(device_->memories().take_local()), 30.0f);
  issue(70);
  EXPECT_EQ(first(device_->memories().take_all().local), 450.0f);
}

TEST_F(Looks, AfterDrainingFindTheSums) {
  const LocalMemory& local = device_->memories().take_local();
  issue(4);
  ASSERT_TRUE(device_->drain().ok());
  EXPECT_EQ(first(local), 24.0f);
}

TEST_F(Looks, ThroughAPointerAreTrueAtAnyTime) {
  const LocalMemory& local = device_->memories().expose_local();
  for (int i = 1; i < 5; ++i) {
    issue(1);
    EXPECT_EQ(first(local), 6.0f * static_cast<float>(i));
  }
}

TEST_F(Looks, OfObserversAreTrueAtAnyTime) {
  struct Seen : Observer {
    const LocalMemory& local;
    std::vector<float> values;
    explicit Seen(const LocalMemory& lanes) : local(lanes) {}
    void on_instruction(const Instruction&, const Footprint&, const Cost&) override {
      values.push_back(first(local));
    }
  } seen(device_->memories().take_local());
  issue(3);
  device_->observers().add(&seen);
  EXPECT_EQ(first(seen.local), 18.0f);
  issue(2);
  device_->observers().remove(&seen);
  EXPECT_EQ(seen.values, (std::vector<float>{24.0f, 30.0f}));
}

}  // namespace
}  // namespace tputwin::test::of_deferred_sums
