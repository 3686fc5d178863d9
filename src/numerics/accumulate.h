// Orders in which the chips add the terms of a sum: one type per order. A loop nest is written once
// and takes the type as its policy.
#pragma once

#include <cstdint>

#include "numerics/float32.h"

namespace tputwin {

// fp32 of the BM1684 (bm1684-machine 9). Terms alternate between two accumulators; a tap in the
// padding counts as a term.
class AlternatingSum {
 public:
  void add(float a, float b) {
    float& sum = sums_[next_];
    sum = f32::add(sum, f32::mul(a, b));
    next_ ^= 1;
  }
  // Moves on to the other accumulator without a term.
  void skip() { next_ ^= 1; }
  float total() const { return f32::add(sums_[0], sums_[1]); }
  // Returns the same number as total(). If both accumulators are NaN, returns that of the second.
  float total_second_first() const { return f32::add(sums_[1], sums_[0]); }

 private:
  float sums_[2] = {0.0f, 0.0f};
  unsigned next_ = 0;
};

// Sum of depthwise convolution and average pooling. If the window has a single tap, its product is
// the result, even if it is -0.
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

// Sum of a convolution over many channels. Even and odd channels are summed separately.
class ChannelPairSum {
 public:
  void add(uint32_t channel, float a, float b) { halves_[channel & 1].add(a, b); }
  // The last of an odd number of channels has no partner, so the odd sum skips a term.
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
