// Depthwise convolutions of the BM1684X whose filters pick one row.
#include <gtest/gtest.h>

#include <random>

#include "differential/same_lanes.h"
#include "ops/fast/dispatch/kernel_trace.h"
#include "ops/fast/fast.h"
#include "ops/operation.h"
#include "selftest/lanes.h"
#include "selftest/test_memory.h"

namespace tputwin::testing {
namespace {

constexpr uint32_t kChannels = 70, kKernel = 6;

Depthwise2dBm1684xInt8 picking(Lanes& lanes, DType dtype) {
  Depthwise2dBm1684xInt8 op;
  op.out = lanes.aligned({2, kChannels, 9, 21}, dtype);
  op.in = lanes.aligned({2, kChannels, 18, 21}, dtype);
  op.weight = Source::tensor(lanes.compact({1, kChannels, kKernel, 1}, dtype));
  op.padding = Source::value(is_signed(dtype) ? static_cast<uint32_t>(-3) : 253u, dtype);
  op.window.h = {.kernel = kKernel, .stride = 2, .pad_before = 2, .pad_after = 2};
  return op;
}

// Writes filters that pick a tap, or nothing.
void write_filters(TestMemory& memory, const Depthwise2dBm1684xInt8& op) {
  std::mt19937 random(3);
  for (uint8_t& byte : memory.local_bytes()) byte = static_cast<uint8_t>(random());
  for (uint32_t c = 0; c < kChannels; ++c)
    for (uint32_t tap = 0; tap < kKernel; ++tap)
      memory.memory().write(op.weight.view, 0, c, tap, 0, tap == c % (kKernel + 1));
}

// Returns the name of the kernel that ran, after a comparison of all bytes with the reference.
std::string kernel_of(const Depthwise2dBm1684xInt8& op, int32_t odd_weight = 0) {
  TestMemory expected(bm1684x()), actual(bm1684x());
  write_filters(expected, op);
  if (odd_weight != 0) expected.memory().write(op.weight.view, 0, 5, 0, 0, odd_weight);
  actual.copy_from(expected);
  execute(op, expected.memory(), KernelChoice::reference);
  const fast::KernelTrace trace;
  if (!fast::execute(op, actual.memory())) return "";
  expect_same_lanes(actual, expected, bm1684x());
  return trace.events().back().kernel;
}

TEST(PickedRows, AreRowsOfTheInput) {
  if (fast::available_isas().size() == 1) return;
  for (const DType dtype : {DType::u8, DType::i8}) {
    Lanes lanes(bm1684x());
    Depthwise2dBm1684xInt8 op = picking(lanes, dtype);
    EXPECT_EQ(kernel_of(op), "picked rows");
    op.relu = dtype == DType::u8;
    EXPECT_EQ(kernel_of(op), "picked rows");
  }
}

TEST(PickedRows, DeclineOtherFilters) {
  if (fast::available_isas().size() == 1) return;
  Lanes lanes(bm1684x());
  const Depthwise2dBm1684xInt8 op = picking(lanes, DType::u8);
  EXPECT_NE(kernel_of(op, 1), "picked rows");
  EXPECT_NE(kernel_of(op, 2), "picked rows");
  Depthwise2dBm1684xInt8 shifted = op;
  shifted.rshift = 1;
  EXPECT_NE(kernel_of(shifted), "picked rows");
}

}  // namespace
}  // namespace tputwin::testing
