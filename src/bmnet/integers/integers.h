// The integers that an int8 layer computes with, resolved from the calibration table.
//
// In formulas (above the interpreters, arithmetic/): rhu(x, s) = s ? (x + 2^(s-1)) >> s : x; sat8
// clamps to [-128, 127], sat16 to 16 bits. T_x, T_y: thresholds; a real value is q * T / 128. For
// every tg_ layer, do_activation means y = max(y, 0) afterwards. CPU operators read x*T_x/128,
// compute in float, and return sat8(floor(y*128/T_y + 0.5)).
#pragma once

#include <bmnet/calibration.pb.h>

#include <array>
#include <optional>
#include <vector>

#include "bmnet/integers/rules.h"
#include "bmnet/ir/network.h"

namespace tputwin::net {

struct LrnIntegers {
  std::array<int8_t, 256> square{};  // square of x, indexed by its byte
  std::array<int8_t, 256> power{};   // power of the sum, indexed by its byte
  // Acc = sat16 chain of square * sum_multiplier over the window.
  int sum_multiplier = 1;
  int sum_shift = 0;  // sum = sat8(rhu(acc, sum_shift))
  // y = sat8(rhu(x * power[sum], right_shift)).
  int right_shift = 0;
};

struct LayerIntegers {
  std::vector<float> threshold_x, threshold_y;  // one per bottom, one per top
  int right_shift = 0;
  std::vector<int> multiplier;
  std::vector<int> shift;  // tg_concat: one per input
  // Multipliers of tg_pooling AVE whose last windows reach beyond the input: in the last column, in
  // the last row, and where both meet. Otherwise empty.
  std::vector<Multiplier> overhanging;
  int gt_scale = 0, gt_shift = 0, le_scale = 0, le_shift = 0;
  std::optional<std::array<int8_t, 256>> table;
  std::optional<LrnIntegers> lrn;
};

// Returns the table's entry of an op, by calib_id or else by blob name; nullptr if there is none.
const LayerCalibrationParameter* find_entry(const NetCalibrationParameter& table,
                                            const TensorOp& op);

// Returns the integers of each op, in the network's order. If no entry gives a threshold, ops that
// move bytes and plain ReLU use their input's. Any other missing entry is an error that names the
// layer. Shifts above 31, multipliers outside their type, and thresholds that are not positive and
// finite are errors, too.
Result<std::vector<LayerIntegers>> resolve(const Network& network,
                                           const NetCalibrationParameter& table);

}  // namespace tputwin::net
