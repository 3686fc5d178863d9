// int8_to_f32 with a copy whose rows are elsewhere than where the conversion reads.
#include <gtest/gtest.h>

#include <random>

#include "differential/same_lanes.h"
#include "ops/fast/fast.h"
#include "ops/operation.h"
#include "selftest/lanes.h"
#include "selftest/test_memory.h"

namespace tputwin::testing {
namespace {

// Rows of the copy are `gap` cells further apart than those of the source.
Int8ToF32 with_gaps(uint32_t gap) {
  Int8ToF32 op;
  Lanes lanes(bm1684());
  const Shape shape{4, 5, 7, 6};
  op.in = lanes.aligned(shape, DType::i8, 4);
  op.words = op.in;
  op.words.dtype = DType::b32;
  op.words.pack = 1;
  op.words.shape.n = 1;
  op.work = op.words;
  op.work.address += 0x20000;
  op.work.stride.h += 4 * gap;
  op.out = lanes.aligned(shape, DType::f32);
  op.out.address += 0x10000;
  return op;
}

TEST(Int8ToF32, RowsOfTheCopyMayBeFurtherApart) {
  for (const uint32_t gap : {0u, 1u, 3u}) {
    const Int8ToF32 op = with_gaps(gap);
    TestMemory expected(bm1684()), actual(bm1684());
    std::mt19937 random(3);
    for (uint8_t& byte : expected.local_bytes()) byte = static_cast<uint8_t>(random());
    actual.copy_from(expected);
    execute(op, expected.memory(), KernelChoice::reference);
    if (!fast::execute(op, actual.memory())) continue;
    expect_same_lanes(actual, expected, bm1684());
  }
}

}  // namespace
}  // namespace tputwin::testing
