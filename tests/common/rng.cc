// The command line that reruns one case of a random test.
#include "common/rng.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tputwin::testing {

std::string RandomCases::rerun(uint64_t seed, uint64_t index) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string filter =
      test == nullptr ? "*" : fmt::format("{}.{}", test->test_suite_name(), test->name());
  return fmt::format(
      "rerun: TPUTWIN_SEED={} TPUTWIN_CASE={} <this test program> --gtest_filter='{}'", seed, index,
      filter);
}

}  // namespace tputwin::testing
