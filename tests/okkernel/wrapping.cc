// GDMA functions without strides on tensors of several batches whose channels wrap from the last
// NPU to the first: random cases of every description in gdma_rows.cc.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/rng.h"
#include "okkernel/suite.h"

namespace tputwin::okktest {
namespace {

using testing::RandomCases;

Case wrapping_case(Rng& rng, const Row& row) {
  auto in = [&](int low, int high) {
    return static_cast<int>(rng.range(static_cast<uint32_t>(low), static_cast<uint32_t>(high)));
  };
  const dim4 shape{in(2, 4), in(2, 140), in(1, 3), in(1, 9)};
  Case c{.shape = shape, .t = {}, .k = row.constants.front()};
  c.k.c.u32 = static_cast<uint32_t>(rng.next());
  Allocator allocator;
  for (const Operand& operand : row.operands) {
    Tensor t{.system = operand.system, .bytes = operand.bytes, .shape = shape};
    // the last channel is in an NPU before the first one's
    if (!t.system) t.npu = in(std::max(1, kNpus + 1 - shape.c), kNpus - 1);
    t.stride = t.system ? dense_stride(t) : aligned_stride(t);
    allocator.put(t);
    c.t.push_back(t);
  }
  return c;
}

TEST(WrappingStarts, GdmaFunctionsWithoutStrides) {
  const RandomCases cases(8);
  size_t functions = 0;
  for (const Row& row : rows()) {
    if (!row.function.starts_with("okk_gdma_")) continue;
    ++functions;
    for (uint64_t index = cases.first; index < cases.end(); ++index) {
      SCOPED_TRACE(cases.rerun(index));
      Rng rng = cases.rng(index);
      const Case c = wrapping_case(rng, row);
      check(
          row.function, c, std::vector<Draw>(row.operands.size(), any_bits), [&] { row.call(c); },
          [&](Image& image) { row.model(c, image); });
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_EQ(functions, 18u);
}

}  // namespace
}  // namespace tputwin::okktest
