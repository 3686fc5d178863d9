// Rules in the catalogue contain the numbers of the documented chip. If the chip of a program has
// other numbers, messages also give those.
#include "chip/rule_numbers.h"

#include <gtest/gtest.h>

#include "base/errors/bmkernel.h"
#include "base/errors/ops.h"
#include "base/errors/tpukernel.h"
#include "common/sister_chip.h"
#include "sdk/bmkernel/context.h"

namespace tputwin::testing {
namespace {

TEST(RuleNumbers, OfDocumentedChipsAreThoseOfTheCatalogue) {
  for (const ErrorInfo& row : error_catalogue())
    for (const Chip* chip : {&bm1880(), &bm1684(), &bm1684x()})
      EXPECT_EQ(rule_numbers(row.id, *chip), "") << row.code;
}

TEST(RuleNumbers, OfTheCatalogueNameTheirChip) {
  EXPECT_EQ(documented_numbers(errors::ops_lut_table), "BM1880: lanes 32");
  EXPECT_EQ(documented_numbers(errors::tpu_local_address),
            "BM1684X: NPUs 64, bytes of an NPU 262144");
  EXPECT_EQ(documented_numbers(errors::bmk_null_context), "") << "no number";
}

TEST(RuleNumbers, OfASisterAreItsOwn) {
  const Chip sister = sister_of(bm1684x());
  EXPECT_EQ(rule_numbers(errors::tpu_local_address, sister),
            "NPUs 16 instead of 64, bytes of an NPU 131072 instead of 262144");
  EXPECT_EQ(rule_numbers(errors::tpu_window_padding, sister), "") << "as the family's";
  EXPECT_EQ(rule_numbers(errors::ops_lut_table, sister_of(bm1880())), "lanes 16 instead of 32");
  EXPECT_EQ(rule_numbers(errors::bmk_null_context, sister), "") << "no number";
}

TEST(RuleNumbers, OfTheBm1880FollowItsSister) {
  Chip sister = sister_of(bm1880());
  sister.limits.height_width = 100;
  const auto message = [&](const Chip& chip) {
    bmk1880_context context(chip, bmkernel::CommandBuffer());
    tensor_lmem* t = bmk1880_tl_prealloc_align(&context, 0, shape_t4(1, 1, 1, 1025), FMT_I8);
    bmk1880_relu_param_t relu{};
    relu.ofmap = relu.ifmap = t;
    bmk1880_tpu_relu(&context, &relu);
    return context.diagnostics().last_error()->message();
  };
  EXPECT_EQ(message(bm1880()).find("instead of"), std::string::npos);
  EXPECT_NE(message(sister).find("the sister: h and w 100 instead of 1024"), std::string::npos);
}

}  // namespace
}  // namespace tputwin::testing
