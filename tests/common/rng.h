// A small deterministic random source, and the environment variables that rerun a failing case.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>

namespace tputwin::testing {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}
  Rng(uint64_t seed, uint64_t index) : state_(seed * 0x9e3779b97f4a7c15u + index) { next(); }

  uint64_t next() {  // splitmix64
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t bound) { return next() % bound; }
  // Both ends included.
  uint32_t range(uint32_t low, uint32_t high) { return low + below(uint64_t{high} - low + 1); }
  bool coin() { return next() & 1; }
  bool chance(uint32_t times, uint32_t of) { return below(of) < times; }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

 private:
  uint64_t state_;
};

// Seed of the random tests (TPUTWIN_SEED), first case (TPUTWIN_CASE: only that one is run) and how
// many cases (TPUTWIN_CASES). A failure prints the variables that run its case again.
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
