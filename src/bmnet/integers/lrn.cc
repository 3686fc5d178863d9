// Local response normalization in integers: its two tables.
#include "bmnet/integers/lrn.h"

#include <algorithm>
#include <cmath>

#include "bmnet/integers/rules.h"

namespace tputwin::net {
namespace {

constexpr int kLargestSumShift = 7;  // 128 << 7 and the rounding still fit the 16 bits of the chain

// (k + alpha/n * real sum)^-beta * T_x/T_y of the sum's integer.
float factor(const ::bmnet::TGLRNParameter& p, float threshold_x, float threshold_y,
             const LrnIntegers& integers, int sum) {
  const float unit = std::ldexp(threshold_x * threshold_x / 128.0f, integers.sum_shift) /
                     static_cast<float>(integers.sum_multiplier);
  const float base =
      p.k() + p.alpha() / static_cast<float>(p.local_size()) * static_cast<float>(sum) * unit;
  const float result = std::pow(base, -p.beta()) * threshold_x / threshold_y;
  return std::isfinite(result) ? result : 0.0f;
}

}  // namespace

LrnIntegers choose_lrn(const ::bmnet::TGLRNParameter& parameter, float threshold_x,
                       float threshold_y, float sum_threshold) {
  LrnIntegers integers;
  const float square = threshold_x * threshold_x;
  if (!(sum_threshold > 0)) sum_threshold = square * static_cast<float>(parameter.local_size());
  const float ratio = square / sum_threshold;
  integers.sum_shift = std::min(kLargestSumShift, multiplier_shift(ratio).value_or(0));
  integers.sum_multiplier = round_to(std::ldexp(ratio, integers.sum_shift), 1, 127);
  float largest = 0;
  for (int sum = 0; sum < 128; ++sum)
    largest = std::max(largest, factor(parameter, threshold_x, threshold_y, integers, sum));
  integers.right_shift = multiplier_shift(largest).value_or(0);
  fill_lrn_tables(parameter, threshold_x, threshold_y, integers);
  return integers;
}

void fill_lrn_tables(const ::bmnet::TGLRNParameter& parameter, float threshold_x, float threshold_y,
                     LrnIntegers& integers) {
  for (int byte = 0; byte < 256; ++byte) {
    const int x = static_cast<int8_t>(byte);
    integers.square[byte] = static_cast<int8_t>(std::min(127, (x * x + 64) >> 7));
    // The sum is never negative; its table is whole all the same.
    const float power = factor(parameter, threshold_x, threshold_y, integers, std::max(x, 0));
    integers.power[byte] =
        static_cast<int8_t>(round_to(std::ldexp(power, integers.right_shift), 0, 127));
  }
}

}  // namespace tputwin::net
