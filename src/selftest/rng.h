// A small deterministic random number generator.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

namespace tputwin::testing {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}
  // Generator of case `index`. The seed is mixed, because states with a distance of a few steps
  // give the same sequence, shifted.
  Rng(uint64_t seed, uint64_t index) : state_(mix(mix(seed + kStep) + index)) {}

  // Makes the first numbers of bytes, one of each, so that a changed byte changes one choice.
  explicit Rng(std::span<const uint8_t> bytes) : state_(0), bytes_(bytes) {}

  uint64_t next() {  // splitmix64
    if (bytes_.empty()) return mix(state_ += kStep);
    const uint64_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return mix(kStep * (byte + 1));
  }
  uint64_t below(uint64_t bound) { return next() % bound; }
  // Both bounds are included.
  uint32_t range(uint32_t low, uint32_t high) { return low + below(uint64_t{high} - low + 1); }
  bool coin() { return next() & 1; }
  bool chance(uint32_t times, uint32_t of) { return below(of) < times; }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15u;
  static constexpr uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  uint64_t state_;
  std::span<const uint8_t> bytes_;
};

}  // namespace tputwin::testing
