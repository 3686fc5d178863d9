// The fixture of the tests of passes.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/packing_isa.h"
#include "machine/optimizer/passes.h"
#include "machine/plan_text.h"
#include "machine/programs.h"

namespace tputwin::test {

// A program, and the plan of it before and after a pass.
class PassTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (isa_.name().empty()) GTEST_SKIP() << "no instruction set whose kernels pack";
  }

  // Runs the passes in their order up to `pass`, and compares the plan before and after it.
  void expect(std::string_view pass, const std::string& before, const std::string& after) {
    const auto device = make_device({.chip = chip_, .global_bytes = 1 << 20});
    const ProgramGraph graph(program_, *chip_);
    PlanBuilder plan(graph, device->memories().take_all());
    for (const Pass& next : kPasses) {
      if (next.name != pass) {
        next.run(plan);
        continue;
      }
      EXPECT_EQ(text_of(plan), before) << "before " << pass;
      next.run(plan);
      EXPECT_EQ(text_of(plan), after) << "after " << pass;
      return;
    }
    FAIL() << pass;
  }

  // Expects that `pass` does nothing, because it would not be legal.
  void expect_unchanged(std::string_view pass) {
    const auto device = make_device({.chip = chip_, .global_bytes = 1 << 20});
    const ProgramGraph graph(program_, *chip_);
    PlanBuilder plan(graph, device->memories().take_all());
    for (const Pass& next : kPasses) {
      const std::string before = text_of(plan);
      next.run(plan);
      if (next.name != pass) continue;
      EXPECT_EQ(text_of(plan), before) << pass;
      return;
    }
    FAIL() << pass;
  }

  const testing::PackingIsa isa_;
  const Chip* chip_ = &bm1880();
  std::vector<Instruction> program_;
};

}  // namespace tputwin::test
