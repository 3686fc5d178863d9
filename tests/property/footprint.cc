// Footprints are correct: an operation changes nothing outside its declared writes, and bytes
// outside its declared reads do not affect its results.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "common/rng.h"
#include "selftest/fill_operands.h"
#include "selftest/overlapping.h"
#include "selftest/random_operation.h"

namespace tputwin::testing {
namespace {

std::span<uint8_t> bytes_of(TestMemory& memory, const ByteRange& r) {
  return {memory.start_of(r) + r.begin, r.end - r.begin};
}

// Copies every byte of `ranges` from `from` to `to`.
void copy_ranges(TestMemory& to, TestMemory& from, std::span<const ByteRange> ranges) {
  for (const ByteRange& r : ranges)
    std::memcpy(bytes_of(to, r).data(), bytes_of(from, r).data(), r.end - r.begin);
}

bool equal_ranges(TestMemory& a, TestMemory& b, std::span<const ByteRange> ranges) {
  for (const ByteRange& r : ranges)
    if (std::memcmp(bytes_of(a, r).data(), bytes_of(b, r).data(), r.end - r.begin) != 0)
      return false;
  return true;
}

bool equal(TestMemory& a, TestMemory& b) {
  const auto of_a = a.all_bytes(), of_b = b.all_bytes();
  return std::ranges::equal(of_a, of_b, [](const auto& x, const auto& y) {
    return std::memcmp(x.data(), y.data(), x.size()) == 0;
  });
}

bool covers(std::span<const ByteRange> ranges, const ByteRange& piece) {
  return std::ranges::any_of(ranges, [&](const ByteRange& r) {
    return r.space == piece.space && r.lane == piece.lane && r.begin <= piece.begin &&
           piece.end <= r.end;
  });
}

bool is_canonical(std::vector<ByteRange> ranges) {
  std::vector<ByteRange> sorted = ranges;
  sort_and_merge(sorted);
  return sorted == ranges;
}

// Declared writes must be inside written operands, and reads inside read ones.
void expect_agreement(const Operation& operation, const Footprint& f, const Chip& chip) {
  Footprint of_operands;
  for (const Operand& operand : operands(operation)) {
    const TensorView old = old_value(*operand.view);
    if (operand.access == Access::read) add_ranges(*operand.view, chip, of_operands.reads);
    if (operand.access == Access::read_write) add_ranges(old, chip, of_operands.reads);
    if (operand.access != Access::read) add_ranges(*operand.view, chip, of_operands.writes);
  }
  sort_and_merge(of_operands.reads);
  sort_and_merge(of_operands.writes);
  for (const ByteRange& r : f.reads) EXPECT_TRUE(covers(of_operands.reads, r));
  for (const ByteRange& r : f.writes) EXPECT_TRUE(covers(of_operands.writes, r));
}

class FootprintTest : public ::testing::TestWithParam<OperationKind> {
 protected:
  const Chip& chip = chip_of(GetParam());
  // Memories shared by the cases of a kind: both start with the same random bytes and are made
  // equal again after every case.
  TestMemory first{chip, kSmall}, second{chip, kSmall}, noise{chip, kSmall};
  static constexpr uint64_t kSmall = 1 << 18;
};

TEST_P(FootprintTest, IsTrue) {
  // the one operation that is always large is rare
  RandomCases cases(60);
  if (GetParam() == OperationKind::matrix_mac2) cases.count = (cases.count + 19) / 20;
  Rng background(cases.seed);
  for (TestMemory* memory : {&first, &noise})
    for (std::span<uint8_t> bytes : memory->all_bytes()) fill_random(background, bytes);
  second.copy_from(first);
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    Rng rng = cases.rng(index);
    Operation operation = random_operation(rng, GetParam(), chip);
    if (index % 3 == 2) overlap_operands(rng, operation, chip, kSmall);
    if (!check_bounds(operation, chip, kSmall).ok()) continue;  // large operands in global memory
    SCOPED_TRACE(cases.rerun(index) + "\n" + describe(operation));
    const Footprint f = footprint(operation, chip);
    EXPECT_TRUE(is_canonical(f.reads) && is_canonical(f.writes));
    expect_agreement(operation, f, chip);

    fill_operands(rng, operation, chip, first.memory());
    second.copy_from(first);
    execute(operation, first.memory(), KernelChoice::reference);
    TestMemory& before = second;
    // All bytes outside the writes are unchanged.
    TestMemory after(chip, kSmall);
    after.copy_from(first);
    copy_ranges(after, before, f.writes);
    EXPECT_TRUE(equal(after, before)) << "bytes outside the write footprint changed";
    // A memory that agrees only in the reads must give the same written bytes.
    after.copy_from(noise);
    copy_ranges(after, before, f.reads);
    execute(operation, after.memory(), KernelChoice::reference);
    EXPECT_TRUE(equal_ranges(after, first, f.writes))
        << "bytes outside the read footprint changed the result";
    if (HasFailure()) break;
  }
}

INSTANTIATE_TEST_SUITE_P(All, FootprintTest, ::testing::ValuesIn(all_operation_kinds()),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace tputwin::testing
