// Casts to the same type in place, with other strides, by the fast kernel alone: it must decline,
// or keep all bits. Through fp32, subnormal bf16 would become 0.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "numerics/float_mode.h"
#include "ops/elementwise/convert.h"
#include "ops/fast/fast.h"
#include "selftest/fill_operands.h"
#include "selftest/rng.h"
#include "selftest/test_memory.h"

namespace tputwin::testing {
namespace {

constexpr uint32_t kAddress = 0x108;

// Returns a tensor of rows with `gap` unused elements after each.
TensorView rows(DType dtype, const Shape& shape, uint32_t gap) {
  const uint32_t bytes = element_bytes(dtype), row = (shape.w + gap) * bytes;
  return {.dtype = dtype,
          .plane_stride = is_16bit(dtype) ? 1u : 0u,
          .address = kAddress,
          .shape = shape,
          .stride = {row * shape.h, row * shape.h, row, bytes}};
}

TEST(InPlaceCasts, ToTheSameTypeKeepAllBits) {
  constexpr size_t kGlobalBytes = 4096;
  TestMemory random(bm1684x(), kGlobalBytes), expected(bm1684x(), kGlobalBytes),
      actual(bm1684x(), kGlobalBytes);
  Rng rng(1);
  for (const auto bytes : random.all_bytes()) fill_random(rng, bytes);
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const std::string& isa : fast::available_isas())
      for (const uint32_t gap : {0u, 2u, 5u}) {
        const Shape shape{1, 3, 4, 1001};
        const Convert op{.kind = Convert::Kind::cast,
                         .out = rows(dtype, shape, 0),
                         .in = rows(dtype, shape, gap)};
        fast::select_isa(isa);
        expected.copy_from(random);
        execute(Operation(op), expected.memory(), KernelChoice::reference);
        actual.copy_from(random);
        const ScopedFloatMode mode;
        if (!fast::execute(op, actual.memory())) continue;
        const auto x = expected.all_bytes(), y = actual.all_bytes();
        for (size_t i = 0; i < x.size(); ++i)
          EXPECT_EQ(std::memcmp(x[i].data(), y[i].data(), x[i].size()), 0)
              << to_string(dtype) << " on " << isa << ", gap " << gap;
      }
  fast::select_isa("");
}

}  // namespace
}  // namespace tputwin::testing
