// Convolutions of one program that read the same input pack it once, unless another instruction may
// write there between them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <ostream>

#include "common/packing_isa.h"
#include "common/rng.h"
#include "machine/plan_pair.h"
#include "machine/programs.h"
#include "ops/fast/fast.h"

namespace tputwin::test {
namespace {

// Addresses in global memory.
constexpr uint64_t kMap = 0, kOther = 0x4000, kResults = 0x8000, kWeights = 0x40000,
                   kWeightBytes = 0x20000, kAll = 0x200000;

// Two slices of a layer's channels, and instructions between them.
struct TwoSlices {
  TwoSlices() {
    for (uint32_t i = 0; i < 2; ++i) {
      slices[i].in = b.tensor(0x4000, {1, 40, 9, 7});
      slices[i].out = b.tensor(0x8000 + i * 0x1000, {1, 32, 9, 7});
      slices[i].weight = conv_weight(i * 0x1000, {40, 32, 3, 3}, DType::i8);
      for (Axis* axis : {&slices[i].window.h, &slices[i].window.w})
        axis->kernel = 3, axis->pad_before = axis->pad_after = 1;
      slices[i].rshift = 9;
    }
  }
  void load_input() { b.load(slices[0].in, kMap); }
  void add(uint32_t i) {
    load_constants(b, slices[i], kWeights + i * kWeightBytes / 2);
    b.add(slices[i], Engine::compute, 0);
  }
  void store(uint32_t i) { b.store(slices[i].out, kResults + i * 0x2000); }
  // Overwrites all lanes.
  void end() { b.load(local_tensor(bm1880(), 0, {1, 32, 256, 256}, true, DType::i8), 0); }

  ProgramBuilder b;
  Conv2dBm1880 slices[2];
};

struct Between {
  const char* name;
  size_t shared_inputs;
  std::function<void(TwoSlices&)> program;
  size_t prepared = 2;
};

void PrintTo(const Between& between, std::ostream* to) { *to << between.name; }

void both(TwoSlices& t, const std::function<void()>& between) {
  t.load_input();
  t.add(0);
  between();
  t.add(1);
  t.store(0);
  t.store(1);
  t.end();
}

// Uses several inputs round-robin, twice.
void alternate_inputs(TwoSlices& t, uint32_t inputs, uint32_t height) {
  for (uint32_t i = 0; i < 2 * inputs; ++i) {
    const uint32_t number = i % inputs;
    Conv2dBm1880 op = t.slices[0];
    op.in = t.b.tensor(0x4000 + number * 0x1000, {1, 40, height, 7});
    op.out = t.b.tensor(0xa000, {1, 32, height, 7});
    load_constants(t.b, op, kWeights);
    t.b.load(op.in, kMap + number * 0x4000).add(op, Engine::compute, 0).store(op.out, 0x30000);
  }
  t.end();
}

const Between kCases[] = {
    {"nothing", 1, [](TwoSlices& t) { both(t, [] {}); }},
    {"their_own_stores", 1,
     [](TwoSlices& t) {
       t.load_input();
       for (uint32_t i = 0; i < 2; ++i) t.add(i), t.store(i);
       t.end();
     }},
    {"a_load_of_the_same_bytes", 1,
     [](TwoSlices& t) {
       for (uint32_t i = 0; i < 2; ++i) {
         t.load_input();
         t.add(i);
         t.store(i);
       }
       t.end();
     }},
    {"work_elsewhere", 1,
     [](TwoSlices& t) {
       both(t, [&] {
         const TensorView v = t.b.tensor(0xc000);
         t.b.load(v, kOther).pointwise(Elementwise::Kind::max, v, v, 3);
       });
     }},
    {"another_load", 0, [](TwoSlices& t) { both(t, [&] { t.b.load(t.slices[0].in, kOther); }); }},
    {"a_load_of_one_byte", 0,
     [](TwoSlices& t) {
       both(t, [&] { t.b.load(t.b.tensor(0x4000 + 62, {1, 1, 1, 1}), kOther); });
     }},
    {"work_on_the_input", 0,
     [](TwoSlices& t) {
       both(t, [&] { t.b.pointwise(Elementwise::Kind::max, t.slices[0].in, t.slices[0].in, 3); });
     }},
    {"results_in_its_place", 0,
     [](TwoSlices& t) {
       t.slices[0].out.address = t.slices[0].in.address + 16;
       both(t, [] {});
     },
     1},
    {"results_in_its_place_in_global_memory", 0,
     [](TwoSlices& t) {
       for (uint32_t i = 0; i < 2; ++i) {
         t.load_input();
         t.add(i);
         t.b.store(t.slices[i].out, i == 0 ? kMap + 100 : kResults);
       }
       t.end();
     }},
    {"the_host", 0, [](TwoSlices& t) { both(t, [&] { t.b.call("host"); }); }},
    {"another_window", 0,
     [](TwoSlices& t) {
       t.slices[1].window.h.pad_before = 0;
       t.slices[1].window.h.pad_after = 2;
       both(t, [] {});
     }},
    {"another_stride", 0,
     [](TwoSlices& t) {
       t.slices[1].window.w.stride = 2;
       t.slices[1].out = t.b.tensor(0x9000, {1, 32, 9, 4});
       both(t, [] {});
     }},
    {"another_type", 0,
     [](TwoSlices& t) {
       t.slices[1].in.dtype = DType::u8;
       both(t, [] {});
     }},
    {"fewer_channels", 0,
     [](TwoSlices& t) {
       t.slices[1].in.shape.c = 33;
       t.slices[1].weight = conv_weight(0x1000, {33, 32, 3, 3}, DType::i8);
       both(t, [] {});
     }},
    {"fewer_results", 1,
     [](TwoSlices& t) {
       t.slices[1].out = t.b.tensor(0x9000, {1, 24, 9, 7});
       t.slices[1].weight = conv_weight(0x1000, {40, 24, 3, 3}, DType::i8);
       both(t, [] {});
     }},
    {"another_layer", 1,
     [](TwoSlices& t) {
       Conv2dBm1880 other = t.slices[0];
       other.in = t.b.tensor(0x6000, {1, 40, 9, 7});
       other.out = t.b.tensor(0xb000, {1, 32, 9, 7});
       both(t, [&] { t.b.load(other.in, kOther).add(other, Engine::compute, 0); });
     },
     3},
    {"alternating_inputs", 3, [](TwoSlices& t) { alternate_inputs(t, 3, 9); }, 6},
    {"more_inputs_than_slots", 0, [](TwoSlices& t) { alternate_inputs(t, 5, 9); }, 10},
    {"large_inputs", 0, [](TwoSlices& t) { alternate_inputs(t, 2, 240); }, 4},
};

class SharedInputs : public ::testing::TestWithParam<Between> {};

TEST_P(SharedInputs, LeaveTheBytesOfRunsWithoutThem) {
  const testing::PackingIsa isa;
  testing::Rng rng(3);
  PlanPair pair(rng, {.bytes = kAll, .constants = kWeights, .constant_bytes = kWeightBytes});
  TwoSlices slices;
  GetParam().program(slices);
  pair.add(slices.b.program());
  for (int run = 0; run < 12; ++run) {
    ASSERT_EQ(pair.run(0), "") << "in run " << run << " of\n" << pair.text();
    pair.change_something();
  }
  PlanStatistics statistics;
  pair.add_statistics(statistics);
  if (isa.name().empty()) GTEST_SKIP() << "no kernels that pack";
  EXPECT_EQ(statistics.prepared, GetParam().prepared);
  EXPECT_EQ(statistics.shared_inputs, GetParam().shared_inputs);
}

INSTANTIATE_TEST_SUITE_P(Between, SharedInputs, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tputwin::test
