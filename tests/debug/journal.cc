// Moves back and forth through random programs.
#include "insight/debug/journal.h"

#include <gtest/gtest.h>

#include "common/rng.h"
#include "debug/visitor.h"
#include "selftest/fill_operands.h"
#include "selftest/random_operation.h"

namespace tputwin::debug::testing {
namespace {

using tputwin::testing::all_operation_kinds;
using tputwin::testing::chip_of;
using tputwin::testing::family_of;
using tputwin::testing::OperationKind;
using tputwin::testing::Rng;

constexpr ChipFamily kFamilies[] = {ChipFamily::bm1880, ChipFamily::bm1684, ChipFamily::bm1684x};

const Chip& chip_of_family(ChipFamily family) {
  for (const OperationKind kind : all_operation_kinds())
    if (family_of(kind) == family) return chip_of(kind);
  return bm1880();
}

std::unique_ptr<Device> device_of(const Chip& chip) {
  return std::move(
      Device::create({.chip = &chip, .global_bytes = tputwin::testing::kTestGlobalBytes}).value());
}

// Runs random operations of a chip, with writes of the host between them.
void run_random(Device& device, const Chip& chip, uint64_t seed, uint32_t count) {
  Rng rng(seed);
  std::vector<OperationKind> kinds;
  for (const OperationKind kind : all_operation_kinds())
    if (family_of(kind) == chip.family) kinds.push_back(kind);
  for (uint32_t i = 0; i < count; ++i) {
    const OperationKind kind = kinds[rng.below(kinds.size())];
    const Operation op = random_operation(rng, kind, chip);
    if (i % 3 == 0) {
      const uint64_t begin = rng.below(1 << 20), bytes = 1 + rng.below(1 << 16);
      tputwin::testing::fill_random(rng, {device.memories().prepare_write(begin, bytes), bytes});
    }
    const Instruction instruction{.op = op, .engine = engine(op)};
    EXPECT_TRUE(device.run({&instruction, 1}).ok());
    device.errors().clear();
  }
}

void visit(const Chip& chip, uint64_t seed, uint64_t most_bytes, uint64_t few) {
  const auto device = device_of(chip);
  Forward forward(*device);
  Visitor visitor(moment_count(few), most_bytes);
  visitor.follow(forward);
  device->observers().add(&forward);
  {
    Debugger debugger(*device, visitor, most_bytes, {.unit = Motion::Unit::all});
    device->observers().add(&debugger);
    run_random(*device, chip, seed, 120);
    device->observers().remove(&debugger);
  }
  EXPECT_EQ(visitor.visited(), moment_count(few));
  EXPECT_GT(visitor.moments(), 20u);
}

TEST(Journal, ArrivesAtTheBytesOfEveryMoment) {
  for (const ChipFamily family : kFamilies) {
    const Chip& chip = chip_of_family(family);
    SCOPED_TRACE(chip.name);
    visit(chip, 1, Debugger::kMostBytes, 40);
  }
}

// Old entries are merged into checkpoints and finally dropped.
TEST(Journal, KeepsToItsBound) {
  for (const ChipFamily family : kFamilies) {
    const Chip& chip = chip_of_family(family);
    SCOPED_TRACE(chip.name);
    visit(chip, 2, uint64_t{8} << 20, 20);
    visit(chip, 3, uint64_t{2} << 20, 20);
  }
}

}  // namespace
}  // namespace tputwin::debug::testing
