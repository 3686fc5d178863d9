// Replays the seeds of every fuzz target, and mutations of them, as ordinary tests.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>
#include <random>

#include "fuzz/targets.h"

namespace tputwin::fuzz {

// Prints a parameter in test names and failures.
void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

namespace {

// Number of mutations of a target. TPUTWIN_FUZZ_COUNT replaces it, for long runs without libFuzzer.
unsigned mutations() {
  const char* count = std::getenv("TPUTWIN_FUZZ_COUNT");
  return count != nullptr ? static_cast<unsigned>(std::atoi(count)) : 3000;
}

// Makes one to four small changes: flips bits, sets bytes to border values; removes or repeats
// parts, or copies them from another seed.
Bytes mutate(Bytes bytes, const Bytes& other, std::mt19937& random) {
  auto below = [&random](size_t limit) { return limit == 0 ? 0 : random() % limit; };
  for (size_t rounds = 1 + below(4); rounds > 0; --rounds) {
    size_t at = below(bytes.size());
    size_t length = std::min(bytes.size() - at, 1 + below(32));
    auto from = bytes.begin() + static_cast<ptrdiff_t>(at);
    auto to = from + static_cast<ptrdiff_t>(length);
    static constexpr uint8_t kEdgeBytes[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    switch (below(6)) {
      case 0:
        if (!bytes.empty()) bytes[at] ^= static_cast<uint8_t>(1u << below(8));
        break;
      case 1:
        std::fill(from, to, kEdgeBytes[below(std::size(kEdgeBytes))]);
        break;
      case 2:
        bytes.erase(from, to);
        break;
      case 3:
        bytes.resize(at);
        break;
      case 4: {
        Bytes part(from, to);
        bytes.insert(from, part.begin(), part.end());
        break;
      }
      default:
        for (size_t i = 0; i < length && at + i < other.size(); ++i) bytes[at + i] = other[at + i];
    }
  }
  return bytes;
}

class Replay : public testing::TestWithParam<Target> {};

TEST_P(Replay, SeedsAreAccepted) {
  for (const Bytes& seed : GetParam().seeds()) {
    EXPECT_TRUE(GetParam().accepts(seed));
    EXPECT_EQ(GetParam().run(seed), "");
  }
}

TEST_P(Replay, MutationsDoNoHarm) {
  const auto seeds = GetParam().seeds();
  const char* chosen = std::getenv("TPUTWIN_FUZZ_SEED");
  unsigned first = chosen ? static_cast<unsigned>(std::atoi(chosen)) : 0;
  unsigned last = chosen ? first + 1 : mutations() / GetParam().cost;
  for (unsigned number = first; number < last; ++number) {
    std::mt19937 random(number);
    const Bytes& seed = seeds[random() % seeds.size()];
    const Bytes& other = seeds[random() % seeds.size()];
    SCOPED_TRACE("rerun: TPUTWIN_FUZZ_SEED=" + std::to_string(number) +
                 " test_fuzz --gtest_filter='*MutationsDoNoHarm/" + std::string(GetParam().name) +
                 "'");
    // half of the changes are the target's own, if it has any
    const bool own = GetParam().mutate != nullptr && number % 2 == 0;
    EXPECT_EQ(GetParam().run(own ? GetParam().mutate(seed, number) : mutate(seed, other, random)),
              "");
  }
}

// Many of the inputs that a format-aware mutator makes are read to their end.
TEST_P(Replay, ManyOwnChangesAreAccepted) {
  if (GetParam().mutate == nullptr) GTEST_SKIP() << "any bytes are an input";
  constexpr unsigned kTries = 300, kLeast = 20;
  const auto seeds = GetParam().seeds();
  unsigned accepted = 0, others = 0;
  for (unsigned number = 0; number < kTries; ++number) {
    const Bytes& seed = seeds[number % seeds.size()];
    const Bytes changed = GetParam().mutate(seed, number);
    others += changed != seed;
    accepted += changed != seed && GetParam().accepts(changed);
  }
  EXPECT_GE(accepted, kLeast) << "of " << others << " that differ from their seed";
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Replay, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tputwin::fuzz
