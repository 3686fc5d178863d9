// Sums of products of the BM1684X outside its matrix unit. bm1684x-machine 7.2.
#pragma once

#include "numerics/float16.h"

namespace tputwin {

// Products alternate between two accumulators; every product and every sum is rounded to the type.
class RoundedSum {
 public:
  RoundedSum(DType dtype, float first, float second) : dtype_(dtype), sums_{first, second} {}
  void add(float a, float b) {
    float& sum = sums_[next_];
    sum = round_to(f32::add(sum, round_to(f32::mul(a, b), dtype_)), dtype_);
    next_ ^= 1;
  }
  // Returns the sum, not yet rounded. If both accumulators are NaN, returns that of the second,
  // which has the bias.
  float total() const { return f32::add(sums_[1], sums_[0]); }
  // Returns the same number. If both accumulators are NaN, returns that of the first.
  float total_first_first() const { return f32::add(sums_[0], sums_[1]); }

 private:
  DType dtype_;
  float sums_[2];
  unsigned next_ = 0;
};

}  // namespace tputwin
