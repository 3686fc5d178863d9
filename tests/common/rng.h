// A random generator for tests, and the environment variables that rerun a failing case.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include "selftest/rng.h"

namespace tputwin::testing {

// Seed of the random tests (TPUTWIN_SEED), first case (TPUTWIN_CASE: only that one runs) and number
// of cases (TPUTWIN_CASES). A failure prints the variables that rerun its case.
struct RandomCases {
  uint64_t seed = 1, first = 0, count;

  explicit RandomCases(uint64_t default_count) : count(default_count) {
    if (const char* text = std::getenv("TPUTWIN_CASES")) count = std::strtoull(text, nullptr, 0);
    if (const char* text = std::getenv("TPUTWIN_SEED")) seed = std::strtoull(text, nullptr, 0);
    if (const char* text = std::getenv("TPUTWIN_CASE")) {
      first = std::strtoull(text, nullptr, 0);
      count = 1;
    }
  }
  uint64_t end() const { return first + count; }
  Rng rng(uint64_t index) const { return Rng(seed, index); }
  // For SCOPED_TRACE: "rerun: TPUTWIN_SEED=1 TPUTWIN_CASE=17 test_property --gtest_filter=..."
  static std::string rerun(uint64_t seed, uint64_t index);
  std::string rerun(uint64_t index) const { return rerun(seed, index); }
};

}  // namespace tputwin::testing
