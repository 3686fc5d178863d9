// Random cases: other seeds and numbers give other cases.
#include "selftest/rng.h"

#include <gtest/gtest.h>

#include <set>

namespace tputwin::testing {
namespace {

// Two shifted copies of one sequence would share values.
TEST(Rng, CasesShareNoSequence) {
  constexpr uint64_t kSeeds = 40, kCases = 40;
  constexpr int kValues = 20;
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < kSeeds; ++seed)
    for (uint64_t index = 0; index < kCases; ++index) {
      Rng rng(seed, index);
      for (int i = 0; i < kValues; ++i) seen.insert(rng.next());
    }
  EXPECT_EQ(seen.size(), kSeeds * kCases * kValues);
}

TEST(Rng, CasesComeAgain) {
  Rng one(3, 17), again(3, 17);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(one.next(), again.next());
}

}  // namespace
}  // namespace tputwin::testing
