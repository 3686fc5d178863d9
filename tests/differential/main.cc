// In GoogleTest: a few hundred cases of every kind. By hand: --cases N [--seed S] [--only KIND]
// [--isa NAME] [--threads N] runs N cases of every kind, or of one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "common/rng.h"
#include "ops/fast/fast.h"
#include "selftest/differential.h"

namespace tputwin::testing {
namespace {

std::string summary(OperationKind kind, const DifferentialReport& report) {
  return fmt::format("{:20} {:7} cases, {:7} with a fast kernel, {:8} fast runs, {} failures",
                     to_string(kind), report.cases, report.covered, report.fast_runs,
                     report.failures.size());
}

// Returns how many of a hundred random cases a fast kernel must run. Conversions from integers have
// a fast kernel only for rounding to nearest even.
uint64_t least_covered(OperationKind kind) { return kind == OperationKind::convert ? 40 : 50; }

class FastKernels : public ::testing::TestWithParam<OperationKind> {};

TEST_P(FastKernels, LeaveTheBytesOfTheReference) {
  static Differential differential;
  const RandomCases cases(240);
  DifferentialReport report = differential.run(
      GetParam(), {.seed = cases.seed, .cases = is_costly(GetParam()) ? 10 : cases.count});
  for (const Difference& failure : report.failures) ADD_FAILURE() << failure.text();
  std::puts(summary(GetParam(), report).c_str());
  if (fast::available_isas().size() > 1) {
    const uint64_t least = least_covered(GetParam());
    EXPECT_GE(report.covered * 100, report.cases * least) << "too few cases reach a fast kernel";
  }
}

TEST(InstructionSet, ReferenceHasNoFastKernel) {
  Rng rng(1);
  TestMemory memory(bm1880());
  Operation operation = random_operation(rng, OperationKind::lut);
  fast::select_isa("reference");
  EXPECT_FALSE(fast::execute(std::get<Lut>(operation), memory.memory()));
  fast::select_isa("");
}

INSTANTIATE_TEST_SUITE_P(Every, FastKernels,
                         ::testing::ValuesIn(all_operation_kinds().begin(),
                                             all_operation_kinds().end()),
                         [](const auto& info) { return std::string(to_string(info.param)); });

int run_by_hand(const DifferentialOptions& options, std::string_view only) {
  Differential differential;
  uint64_t failed = 0, passed = 0;
  bool is_known = only.empty();
  for (OperationKind kind : all_operation_kinds()) {
    is_known = is_known || only == to_string(kind);
    if (!only.empty() && only != to_string(kind)) continue;
    DifferentialReport report = differential.run(kind, options);
    for (const Difference& failure : report.failures) std::puts(failure.text().c_str());
    std::puts(summary(kind, report).c_str());
    std::fflush(stdout);
    failed += report.failures.size();
    passed += report.cases;
  }
  if (!is_known) {
    fmt::print(stderr, "--only {}: no operation; there are", only);
    for (OperationKind kind : all_operation_kinds()) fmt::print(stderr, " {}", to_string(kind));
    fmt::print(stderr, "\n");
    return EXIT_FAILURE;
  }
  std::puts(fmt::format("{} cases, {} failures", passed, failed).c_str());
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace tputwin::testing

int main(int argc, char** argv) {
  using namespace tputwin::testing;
  ::testing::InitGoogleTest(&argc, argv);
  if (argc == 1) return RUN_ALL_TESTS();

  DifferentialOptions options;
  std::string_view only;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string_view option = argv[i], value = argv[i + 1];
    if (option == "--cases") options.cases = std::strtoull(argv[i + 1], nullptr, 0);
    if (option == "--seed") options.seed = std::strtoull(argv[i + 1], nullptr, 0);
    if (option == "--threads") options.threads = {std::atoi(argv[i + 1])};
    if (option == "--only") only = value;
    if (option == "--isa") options.isa = value;
  }
  return run_by_hand(options, only);
}
