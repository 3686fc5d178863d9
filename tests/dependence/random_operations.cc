// Marks that operations pass on are compared with results that change: random operations of every
// kind run twice, the second time with other values in marked bytes.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "common/rng.h"
#include "ops/dependence/dependence.h"
#include "selftest/fill_operands.h"
#include "selftest/random_operation.h"

namespace tputwin::dependence::testing {
namespace {

using tputwin::testing::all_operation_kinds;
using tputwin::testing::chip_of;
using tputwin::testing::OperationKind;
using tputwin::testing::RandomCases;
using tputwin::testing::Rng;
using tputwin::testing::TestMemory;

using Bytes = std::vector<uint8_t>;

Bytes bytes_of(TestMemory& memory, const std::vector<ByteRange>& ranges) {
  Bytes bytes;
  for (const ByteRange& range : ranges) {
    const uint8_t* const start = memory.start_of(range);
    bytes.insert(bytes.end(), start + range.begin, start + range.end);
  }
  return bytes;
}

void write(TestMemory& memory, const std::vector<ByteRange>& ranges, const Bytes& bytes) {
  const uint8_t* from = bytes.data();
  for (const ByteRange& range : ranges) {
    std::memcpy(memory.start_of(range) + range.begin, from, range.end - range.begin);
    from += range.end - range.begin;
  }
}

// Returns some of the bytes that an operation reads, in runs of up to four elements.
std::vector<MarkedBytes> some_of(Rng& rng, const std::vector<ByteRange>& reads) {
  std::vector<MarkedBytes> marked;
  for (const ByteRange& range : reads) {
    uint64_t at = range.begin;
    if (reads.size() > 4 && !rng.chance(4, static_cast<uint32_t>(reads.size()))) continue;
    at += rng.below(range.end - range.begin) / 4 * 4;
    const uint64_t end = std::min(range.end, at + 1 + rng.below(16));
    if (at < end) marked.push_back({{range.space, range.lane, at, end}, Mark{1}});
  }
  return marked;
}

// One operation, its memory, and what it reads and writes.
struct Case {
  Operation op;
  const Chip& chip;
  Footprint touched;
  std::vector<MarkedBytes> marked = {};

  Case(Rng& rng, OperationKind kind)
      : op(random_operation(rng, kind, chip_of(kind))),
        chip(chip_of(kind)),
        touched(footprint(op, chip)) {
    marked = some_of(rng, touched.reads);
  }
  std::vector<ByteRange> all() const {
    std::vector<ByteRange> ranges = touched.reads;
    ranges.insert(ranges.end(), touched.writes.begin(), touched.writes.end());
    sort_and_merge(ranges);
    return ranges;
  }
};

// Returns one mark for each byte that the operation writes.
Bytes marks_of(const Case& c, TestMemory& memory, MarkScratch& scratch, bool& chooses) {
  const Memory values = memory.memory();
  MarkFlow flow(c.chip, values, scratch, c.marked);
  pass_marks(c.op, flow);
  chooses = !flow.choices().empty();
  std::map<std::tuple<Space, uint32_t>, std::map<uint64_t, Mark>> marks;
  for (const auto& [bytes, mark] : flow.take_results())
    for (uint64_t at = bytes.begin; at < bytes.end; ++at)
      marks[{bytes.space, bytes.lane}][at] = mark;
  Bytes all;
  for (const ByteRange& range : c.touched.writes) {
    const auto& of_lane = marks[{range.space, range.lane}];
    for (uint64_t at = range.begin; at < range.end; ++at) {
      const auto found = of_lane.find(at);
      all.push_back(found != of_lane.end() ? found->second : Mark{0});
    }
  }
  return all;
}

// Returns the results with other values in the marked bytes, and 1 for each byte that differs from
// `results`. A byte that the operation leaves as it is does not differ because of it.
Bytes changed_by(Rng& rng, const Case& c, TestMemory& memory, const Bytes& before,
                 const Bytes& results) {
  write(memory, c.all(), before);
  for (const auto& [bytes, mark] : c.marked)
    for (uint64_t at = bytes.begin; at < bytes.end; ++at)
      memory.start_of(bytes)[at] = static_cast<uint8_t>(rng.next());
  const Bytes sources = bytes_of(memory, c.touched.writes);
  execute(c.op, memory.memory(), KernelChoice::reference);
  const Bytes others = bytes_of(memory, c.touched.writes);
  Bytes changed(results.size());
  for (size_t i = 0; i < results.size(); ++i)
    changed[i] = others[i] != results[i] && others[i] != sources[i];
  return changed;
}

// Returns true if two results share bytes, so that one depends on the order of the two.
bool results_overlap(const Operation& op, const Chip& chip) {
  const OperandList list = operands(op);
  for (const Operand& a : list)
    for (const Operand& b : list)
      if (&a != &b && a.access != Access::read && b.access != Access::read &&
          overlap_in_part(*a.view, *b.view, chip))
        return true;
  return false;
}

// Counts bytes with a mark, and those of them that other sources changed.
struct Counts {
  uint64_t marked = 0, changed = 0;
};

// Compares marks and changes of one case.
void compare(Rng& rng, const Case& c, TestMemory& memory, MarkScratch& scratch, Counts& counts) {
  fill_operands(rng, c.op, c.chip, memory.memory());
  const Bytes before = bytes_of(memory, c.all());
  bool chooses = false;
  const Bytes marks = marks_of(c, memory, scratch, chooses);
  if (chooses) return;
  execute(c.op, memory.memory(), KernelChoice::reference);
  const Bytes results = bytes_of(memory, c.touched.writes);
  Bytes changed(results.size());
  for (int run = 0; run < 4; ++run) {
    const Bytes now = changed_by(rng, c, memory, before, results);
    for (size_t k = 0; k < now.size(); ++k) changed[k] |= now[k];
  }
  for (size_t k = 0; k < marks.size(); ++k) {
    ASSERT_TRUE(marks[k] != 0 || changed[k] == 0) << describe(c.op) << "\nbyte " << k;
    counts.marked += marks[k] != 0;
    counts.changed += changed[k];
  }
}

constexpr uint64_t kLeastChanged = 24;  // of so many marked bytes, one changes

class Marks : public ::testing::TestWithParam<OperationKind> {};

TEST_P(Marks, AreOnEveryResultThatChanges) {
  const OperationKind kind = GetParam();
  TestMemory memory(chip_of(kind));
  MarkScratch scratch(chip_of(kind), memory.memory());
  const RandomCases cases(kind == OperationKind::matrix_mac2 ? 3 : 40);
  Counts counts;
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    Rng rng = cases.rng(i);
    const Case c(rng, kind);
    if (results_overlap(c.op, c.chip)) continue;
    compare(rng, c, memory, scratch, counts);
    if (HasFatalFailure()) return;
  }
  // A byte may keep its value by chance: saturation, a maximum, a comparison, a position outside.
  // With marks on more than depends on the sources, the share would be far smaller. Of the tables
  // of exponentials, each element uses one entry, and all count.
  if (kind != OperationKind::float_function && counts.marked > 1000) {
    EXPECT_GE(counts.changed * kLeastChanged, counts.marked);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Marks,
                         ::testing::ValuesIn(all_operation_kinds().begin(),
                                             all_operation_kinds().end()),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace tputwin::dependence::testing
