// Operands that share bytes: an operation that reads its sources first must give the results of
// sources with separate bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "common/rng.h"
#include "ops/fast/fast.h"
#include "ops/read_order.h"
#include "ops/source_copies.h"
#include "selftest/fill_operands.h"
#include "selftest/overlapping.h"
#include "selftest/random_operation.h"

namespace tputwin::testing {
namespace {

constexpr uint64_t kSmall = 1 << 18;

// Returns the end of the last operand in its lane.
uint64_t end_of_operands(const Operation& op, const Chip& chip) {
  uint64_t end = 0;
  for (const Operand& operand : operands(op)) {
    std::vector<ByteRange> ranges;
    add_ranges(old_value(*operand.view), chip, ranges);
    for (const ByteRange& range : ranges)
      if (range.space == Space::local) end = std::max(end, range.end);
  }
  return end;
}

// Moves every source up its lanes by the same distance, with its bytes. Returns false if lanes are
// too short.
bool move_sources(Operation& op, TestMemory& memory, const Chip& chip) {
  const uint64_t distance = align_up(end_of_operands(op, chip), uint64_t{4096});
  for (const Operand& operand : operands(op)) {
    if (operand.access != Access::read || operand.view->space != Space::local) continue;
    auto& view = const_cast<TensorView&>(*operand.view);  // a view of a local copy
    std::vector<ByteRange> ranges;
    add_ranges(view, chip, ranges);
    for (const ByteRange& range : ranges) {
      if (range.end + distance > chip.lane_bytes) return false;
      uint8_t* const lane = memory.start_of(range);
      std::memcpy(lane + range.begin + distance, lane + range.begin, range.end - range.begin);
    }
    view.address += distance;
  }
  return true;
}

class OverlapTest : public ::testing::TestWithParam<OperationKind> {
 protected:
  const Chip& chip = chip_of(GetParam());
  TestMemory shared{chip, kSmall}, disjoint{chip, kSmall};
  void TearDown() override { fast::select_isa(""); }
};

TEST_P(OverlapTest, SourcesAreReadBeforeResultsAreWritten) {
  RandomCases cases(60);
  if (GetParam() == OperationKind::matrix_mac2) cases.count = (cases.count + 19) / 20;
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    Rng rng = cases.rng(index);
    Operation operation = random_operation(rng, GetParam(), chip);
    if (!overlap_operands(rng, operation, chip, kSmall) || !reads_first(read_order(operation)))
      continue;
    if (!check_bounds(operation, chip, kSmall).ok()) continue;
    SCOPED_TRACE(cases.rerun(index) + "\n" + describe(operation));
    fill_operands(rng, operation, chip, shared.memory());
    disjoint.copy_from(shared);
    Operation moved = operation;
    if (!move_sources(moved, disjoint, chip)) continue;
    execute(moved, disjoint.memory(), KernelChoice::reference);
    const std::vector<ByteRange> writes = footprint(operation, chip).writes;
    TestMemory before(chip, kSmall);
    before.copy_from(shared);
    for (const std::string& isa : fast::available_isas()) {
      fast::select_isa(isa);
      shared.copy_from(before);
      execute(operation, shared.memory());
      for (const ByteRange& r : writes)
        ASSERT_EQ(std::memcmp(shared.start_of(r) + r.begin, disjoint.start_of(r) + r.begin,
                              r.end - r.begin),
                  0)
            << "on " << isa << " in lane " << r.lane << " from " << r.begin << " on";
    }
    if (HasFailure()) break;
  }
}

INSTANTIATE_TEST_SUITE_P(All, OverlapTest, ::testing::ValuesIn(all_operation_kinds()),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace tputwin::testing
