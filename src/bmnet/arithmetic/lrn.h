// Local response normalization in integers:
//
//   square[x] = min(127, floor(x*x/128 + 0.5))              in units of T_x^2/128
//   acc       = 0; per channel of the window, in channel order:
//               acc = sat16(square[x_c]*sum_multiplier + acc); channels outside add nothing
//   sum       = sat8(rhu(acc, sum_shift))                   in units of T_s/128
//   y         = sat8(rhu(x*power[sum], right_shift))
//
// power[s] is (k + alpha/n * real sum)^-beta * T_x/T_y * 2^right_shift. The window of channel c is
// [c - (n-1)/2, c + n/2] as in Caffe. In the table, the entry's threshold_x_quantized is
// [sum_multiplier, 1], its blob_param "sum_sq" has T_s and sum_shift, its right_shift_width is
// right_shift.
#pragma once

#include "bmnet/integers/integers.h"

namespace tputwin::net {

constexpr const char* kSumOfSquares = "sum_sq";

// Chooses the table's numbers from the thresholds. A sum_threshold of 0 stands for the largest
// possible sum.
LrnIntegers choose_lrn(const ::bmnet::TGLRNParameter& parameter, float threshold_x,
                       float threshold_y, float sum_threshold);
// Fills the two look-up tables from the numbers.
void fill_lrn_tables(const ::bmnet::TGLRNParameter& parameter, float threshold_x, float threshold_y,
                     LrnIntegers& integers);

}  // namespace tputwin::net
