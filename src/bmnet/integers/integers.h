// The integers an int8 layer computes with, resolved from the calibration table.
//
// In formulas (above the interpreters, arithmetic/): rhu(x, s) = s ? (x + 2^(s-1)) >> s : x; sat8
// clamps to [-128, 127], sat16 likewise. T_x, T_y: thresholds; a real value is q * T / 128. Every
// tg_ layer's do_activation means y = max(y, 0) afterwards. CPU operators take x*T_x/128, compute
// in float, and give sat8(floor(y*128/T_y + 0.5)).
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
