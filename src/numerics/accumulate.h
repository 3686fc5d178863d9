// How a chip forms a sum of products: one type per order of additions. A loop nest is written once
// and takes the type as its policy.
#pragma once

#include <cstdint>

#include "numerics/float32.h"

namespace tputwin {

// fp32 of the BM1684 (bm1684-machine 9): terms go to two accumulators in turn; a term in the
// padding counts.
class AlternatingSum {
 public:
  void add(float a, float b) {
    float& sum = sums_[turn_];
    sum = f32::add(sum, f32::mul(a, b));
    turn_ ^= 1;
  }
  // A turn without a term.
  void skip() { turn_ ^= 1; }
  float total() const { return f32::add(sums_[0], sums_[1]); }
  // The same number; of two NaN, that of the second accumulator.
  float total_second_first() const { return f32::add(sums_[1], sums_[0]); }

 private:
  float sums_[2] = {0.0f, 0.0f};
  unsigned turn_ = 0;
};

// Depthwise convolution and average pooling: where the window has a single tap, its product is the
// result, -0 too.
class WindowSum {
 public:
  void add(float a, float b) {
    first_ = count_++ == 0 ? f32::mul(a, b) : first_;
    sum_.add(a, b);
  }
  float total() const { return count_ == 1 ? first_ : sum_.total(); }

 private:
  AlternatingSum sum_;
  float first_ = 0;
  uint64_t count_ = 0;
};

// Convolution over many channels: even and odd ones are summed apart.
class ChannelPairSum {
 public:
  void add(uint32_t channel, float a, float b) { halves_[channel & 1].add(a, b); }
  // The last channel of an odd number has no partner, whose turn passes all the same.
  void end_tap(uint32_t channels) {
    if (channels % 2 != 0) halves_[1].skip();
  }
  float total() const {
    return f32::add(halves_[0].total_second_first(), halves_[1].total_second_first());
  }

 private:
  AlternatingSum halves_[2];
};

}  // namespace tputwin
