// Explained results equal the results of the operation.
#include "insight/explain/explain.h"

#include <gtest/gtest.h>

#include <map>

#include "common/rng.h"
#include "selftest/fill_operands.h"
#include "selftest/random_operation.h"

namespace tputwin::explain::testing {
namespace {

using tputwin::testing::all_operation_kinds;
using tputwin::testing::chip_of;
using tputwin::testing::OperationKind;
using tputwin::testing::RandomCases;
using tputwin::testing::Rng;
using tputwin::testing::TestMemory;

// The numbers at an element before and after the operation, as explained and as executed.
struct Compared {
  bool has_formula = false, overlaps = false;
  std::string text = {};
  int32_t printed = 0, there = 0;
};

Compared compare(Rng& rng, const Operation& op, const Chip& chip, TestMemory& memory) {
  const TensorView& out = *result_of(op);
  const auto below = [&](uint32_t end) { return static_cast<uint32_t>(rng.below(end)); };
  const Shape at{below(out.shape.n), below(out.shape.c), below(out.shape.h), below(out.shape.w)};
  const Explanation explanation = explain(op, memory.memory(), chip, at);
  if (!explanation.result) return {.text = explanation.text};
  execute(op, memory.memory(), KernelChoice::reference);
  return {true, explanation.overlaps, explanation.text, *explanation.result,
          memory.memory().read(out, at.n, at.c, at.h, at.w)};
}

class Explained : public ::testing::TestWithParam<OperationKind> {};

TEST_P(Explained, ResultsAreThoseThatAreThere) {
  const OperationKind kind = GetParam();
  const Chip& chip = chip_of(kind);
  TestMemory memory(chip);
  const RandomCases cases(20);
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    Rng rng = cases.rng(i);
    const Operation op = random_operation(rng, kind, chip);
    fill_operands(rng, op, chip, memory.memory());
    if (result_of(op) == nullptr || result_of(op)->shape.count() == 0) continue;
    const Compared compared = compare(rng, op, chip, memory);
    EXPECT_FALSE(compared.text.empty());
    if (!compared.has_formula) {
      EXPECT_TRUE(compared.text.find("is not spelled out") != std::string::npos ||
                  compared.text.find("no element of the result") != std::string::npos);
      continue;
    }
    if (compared.overlaps) continue;
    ASSERT_EQ(compared.printed, compared.there) << describe(op) << "\n" << compared.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Explained,
                         ::testing::ValuesIn(all_operation_kinds().begin(),
                                             all_operation_kinds().end()),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace tputwin::explain::testing
