// A chip is data: a derived chip of the BM1684X that the sources do not name runs the operations of
// its family, and fast kernels equal reference kernels on it.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/rng.h"
#include "common/sister_chip.h"
#include "selftest/fill_operands.h"
#include "selftest/random_operation.h"

namespace tputwin::testing {
namespace {

const Chip& sister() {
  static const Chip chip = sister_of(bm1684x());
  return chip;
}

TEST(SisterChip, RunsTheOperationsOfItsFamily) {
  TestMemory expected(sister()), actual(sister());
  RandomCases cases(5);
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    SCOPED_TRACE(cases.rerun(index));
    for (const OperationKind kind : all_operation_kinds()) {
      if (family_of(kind) != ChipFamily::bm1684x) continue;
      Rng rng = cases.rng(index);
      const Operation operation = random_operation(rng, kind, sister());
      fill_operands(rng, operation, sister(), expected.memory());
      actual.copy_from(expected);
      execute(operation, expected.memory(), KernelChoice::reference);
      execute(operation, actual.memory());
      const auto a = expected.all_bytes(), b = actual.all_bytes();
      for (size_t i = 0; i < a.size(); ++i)
        ASSERT_TRUE(std::ranges::equal(a[i], b[i]))
            << to_string(kind) << " " << describe(operation);
    }
  }
}

TEST(SisterChip, DoesNotRunThoseOfOthers) {
  Rng rng(1);
  for (const OperationKind kind : {OperationKind::lut, OperationKind::channel_affine}) {
    const Status status = check(random_operation(rng, kind), sister());
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code(), "TW-OPS-0016");
  }
}

}  // namespace
}  // namespace tputwin::testing
