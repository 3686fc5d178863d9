// The integers an int8 layer computes with, resolved from the calibration table.
//
// rhu(x, s) = s ? (x + 2^(s-1)) >> s : x;  sat8 clamps to [-128, 127], sat16 likewise. T_x, T_y:
// thresholds; a real value is q * T / 128. Formulas per IR type (docs/numerics.md, docs/layers.md):
//
//   tg_convolution, tg_inner_product, tg_scale
//                     y = sat8(rhu(sum w*x + bias16, right_shift)); w int8, bias int16, from the
//                     blobs
//   tg_pooling MAX    y = sat8(rhu(max * multiplier[0], right_shift)); multiplier in [0, 255];
//                     y = max without a multiplier
//   tg_pooling AVE    y = sat8(rhu(sum * multiplier[0], right_shift)); windows that hang over the
//                     padded input (average_overhang) have numbers of their own: overhanging
//   tg_activation RELU
//                     y = max(x, 0); with a slope y = sat8(rhu(max(x,0)*gt_scale, gt_shift))
//                                                   | sat8(rhu(min(x,0)*le_scale, le_shift))
//   tg_prelu          the same with the channel's slope (blob, int8) for le_scale
//   tg_eltwise SUM    a_0 = sat16(m_0*x_0), a_i = sat16(m_i*x_i + a_(i-1)) ..., the last step
//                     y = sat8(rhu(m_k*x_k + a_(k-1), right_shift)); m signed int8 (multiplier[i])
//   tg_eltwise MAX    y = max over i of sat8(rhu(m_i*x_i, right_shift))
//   tg_eltwise PROD   two inputs: y = sat8(rhu(x_0*x_1*multiplier[0], right_shift)), exact inside
//   tg_concat         input i: x if multiplier is empty, else sat8(rhu(x*multiplier[i], shift[i]))
//   tg_lrn            see lrn.h of this folder
//   tg_activation SIGMOID TANH ELU ABS, tg_power, tg_clip
//                     y = table[byte of x]
//   CPU operators     x*T_x/128 in, float formula, sat8((int)(y*128/T_y + 0.5)) out
//   everything else   moves bytes
//
// Every tg_ layer's do_activation means y = max(y, 0) afterwards.
#pragma once

#include <bmnet/calibration.pb.h>

#include <array>
#include <optional>
#include <vector>

#include "bmnet/integers/rules.h"
#include "bmnet/ir/network.h"

namespace tputwin::net {

struct LrnIntegers {
  std::array<int8_t, 256> square{};  // of x, indexed by its byte
  std::array<int8_t, 256> power{};   // of the sum, indexed by its byte
  int sum_multiplier = 1;            // acc = sat16 chain of square*sum_multiplier over the window
  int sum_shift = 0;                 // sum = sat8(rhu(acc, sum_shift))
  int right_shift = 0;               // y = sat8(rhu(x * power[sum], right_shift))
};

struct LayerIntegers {
  std::vector<float> threshold_x, threshold_y;  // one per bottom, one per top
  int right_shift = 0;
  std::vector<int> multiplier;
  std::vector<int> shift;  // tg_concat: one per input
  // tg_pooling AVE whose last windows hang over the input: in the last column, the last row, and
  // where both meet. Else empty.
  std::vector<Multiplier> overhanging;
  int gt_scale = 0, gt_shift = 0, le_scale = 0, le_shift = 0;
  std::optional<std::array<int8_t, 256>> table;
  std::optional<LrnIntegers> lrn;
};

// The table's entry of an op: by calib_id, else by blob name; nullptr if there is none.
const LayerCalibrationParameter* find_entry(const NetCalibrationParameter& table,
                                            const TensorOp& op);

// One per op of the network, in its order. Thresholds that no entry gives are those of the input
// for ops that move bytes and for plain ReLU; any other missing entry is an error naming the layer,
// as are shifts above 31, multipliers outside their type, and thresholds that are not positive and
// finite.
Result<std::vector<LayerIntegers>> resolve(const Network& network,
                                           const NetCalibrationParameter& table);

}  // namespace tputwin::net
