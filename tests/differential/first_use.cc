// The self-test at the first use of a fast kernel; a test hook makes the kernel wrong.
#include "selftest/first_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/errors/machine.h"
#include "machine/device.h"
#include "ops/fast/dispatch/kernel_switches.h"
#include "ops/fast/fast.h"
#include "selftest/differential.h"
#include "selftest/fill_operands.h"
#include "tools/selftest.h"

namespace tputwin::testing {
namespace {

// Makes a kernel wrong; restores it at the end.
struct Spoilt {
  explicit Spoilt(size_t alternative) { fast::spoil_kernel(alternative); }
  ~Spoilt() {
    fast::spoil_none();
    set_tests_kernels(false);
  }
};

const size_t kLut = alternative_of(OperationKind::lut);

// Runs a random operation that has a fast kernel on a device; expects the results of the reference
// kernel.
Status run_on_device(OperationKind kind, Device& device) {
  const Chip& chip = chip_of(kind);
  TestMemory expected(chip);
  for (uint64_t seed = 1;; ++seed) {
    Rng rng(seed, 1), again(seed, 1);
    const Operation operation = random_operation(rng, kind);
    again = rng;
    fill_operands(rng, operation, chip, expected.memory());
    fill_operands(again, operation, chip, device.memories().take_all());
    TestMemory other(chip);
    other.copy_from(expected);
    if (!execute_fast(operation, other.memory())) continue;
    execute(operation, expected.memory(), KernelChoice::reference);
    Status status = device.issue({.op = operation}, {.call = "lut"});
    if (!status.ok()) return status;
    for (const ByteRange& range : footprint(operation, chip).writes)
      EXPECT_EQ(
          0, std::memcmp(device.memories().take_local().lane(range.lane) + range.begin,
                         expected.local().lane(range.lane) + range.begin, range.end - range.begin));
    return status;
  }
}

std::unique_ptr<Device> device() {
  auto created =
      Device::create({.chip = &bm1880(), .global_bytes = kTestGlobalBytes, .strict = false});
  EXPECT_TRUE(created.ok());
  return std::move(*created);
}

std::vector<WarningCount> kernel_warnings(Device& device) {
  auto warnings = device.errors().diagnostics().warnings();
  std::erase_if(warnings,
                [](const WarningCount& w) { return w.sample.id() != errors::mch_kernel_off; });
  return warnings;
}

bool has_fast_kernels() { return fast::available_isas().size() > 1; }

TEST(FirstUse, SwitchesAWrongKernelOffAndReportsIt) {
  if (!has_fast_kernels()) return;
  const Spoilt spoilt(kLut);
  set_tests_kernels(true);
  const auto simulated = device();
  EXPECT_TRUE(run_on_device(OperationKind::lut, *simulated).ok()) << "the reference kernel goes on";
  EXPECT_TRUE(run_on_device(OperationKind::lut, *simulated).ok());
  EXPECT_TRUE(fast::is_switched_off(kLut));
  const auto warnings = kernel_warnings(*simulated);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].count, 1u) << "said once";
  EXPECT_THAT(warnings[0].sample.message(), ::testing::HasSubstr(" on "));
  EXPECT_THAT(warnings[0].sample.message(), ::testing::HasSubstr("rerun: tputwin selftest"));
}

TEST(FirstUse, KeepsRightKernelsOn) {
  const Spoilt spoilt(alternative_of(OperationKind::mdsum));
  set_tests_kernels(true);
  const auto simulated = device();
  EXPECT_TRUE(run_on_device(OperationKind::lut, *simulated).ok());
  EXPECT_FALSE(fast::is_switched_off(kLut));
  EXPECT_TRUE(kernel_warnings(*simulated).empty());
}

TEST(Selftest, PrintsTheFirstDifferenceOfEveryInstructionSet) {
  if (!has_fast_kernels()) return;
  const Spoilt spoilt(kLut);
  auto reports = tools::run_selftest({.cases = 4, .only = "lut"});
  ASSERT_TRUE(reports.ok());
  ASSERT_EQ(reports->size(), fast::available_isas().size());
  for (const tools::TargetReport& target : *reports) {
    EXPECT_EQ(target.ok(), target.isa == "reference") << target.isa;
    if (target.ok()) continue;
    EXPECT_THAT(target.difference, ::testing::StartsWith("lut of "));
    EXPECT_THAT(target.rerun, ::testing::HasSubstr("--isa " + target.isa + " "));
  }
  EXPECT_THAT(tools::selftest_text(*reports), ::testing::HasSubstr("differs: lut of "));
}

TEST(Selftest, PassesOnRightKernels) {
  auto reports = tools::run_selftest({.cases = 2, .only = "bitwise"});
  ASSERT_TRUE(reports.ok());
  for (const tools::TargetReport& target : *reports) EXPECT_TRUE(target.ok()) << target.difference;
}

TEST(Selftest, KnowsWhatItCanTest) {
  EXPECT_FALSE(tools::run_selftest({.isa = "abacus"}).ok());
  EXPECT_FALSE(tools::run_selftest({.only = "abacus"}).ok());
  EXPECT_FALSE(tools::run_selftest({.cases = 1, .isa = "reference", .prefix = "/nowhere"}).ok());
}

}  // namespace
}  // namespace tputwin::testing
