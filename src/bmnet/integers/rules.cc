// The arithmetic of quantization: shifts, multipliers, look-up tables.
#include "bmnet/integers/rules.h"

#include <algorithm>
#include <cmath>

namespace tputwin::net {

int round_to(float value, int least, int most) {
  const float rounded = std::floor(value + 0.5f);
  if (!(rounded > static_cast<float>(least))) return least;
  if (rounded >= static_cast<float>(most)) return most;
  return static_cast<int>(rounded);
}

std::optional<int> shift_to_byte(float magnitude) {
  if (magnitude == 0) return 0;
  if (!(magnitude > 0 && magnitude < 128)) return std::nullopt;
  int shift = 0;
  while (shift < kLargestShift && std::ldexp(magnitude, shift) < 64) ++shift;
  return shift;
}

std::optional<int> multiplier_shift(float magnitude) {
  auto shift = shift_to_byte(magnitude);
  if (shift && *shift > 0 && std::ldexp(magnitude, *shift) >= 127.5f) --*shift;
  return shift;
}

float largest_magnitude(std::span<const float> values) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::fabs(value));
  return largest;
}

std::optional<int> weight_shift(std::span<const float> weights, float threshold_x,
                                float threshold_y) {
  return shift_to_byte(largest_magnitude(weights) * (threshold_x / threshold_y));
}

void quantize_weights(std::span<float> weights, float threshold_x, float threshold_y, int shift) {
  const float ratio = threshold_x / threshold_y;
  for (float& weight : weights)
    weight = static_cast<float>(round_to_int8(std::ldexp(weight * ratio, shift)));
}

size_t quantize_bias(std::span<float> biases, float threshold_y, int shift) {
  const float ratio = 128.0f / threshold_y;
  size_t saturated = 0;
  for (float& bias : biases) {
    const float exact = std::ldexp(bias * ratio, shift);
    saturated += exact >= 32767.5f || exact < -32768.5f;
    bias = static_cast<float>(round_to_int16(exact));
  }
  return saturated;
}

Multiplier unsigned_multiplier(float ratio) {
  const float bound = 256.0f / ratio;
  int shift = 0;
  while (shift < kLargestShift && std::ldexp(2.0f, shift) < bound) ++shift;
  // Just below a power of two, the multiplier would round to 256, which a byte cannot hold. The
  // next smaller shift gives 128.
  if (shift > 0 && std::ldexp(ratio, shift) >= 255.5f) --shift;
  return {round_to(std::ldexp(ratio, shift), 0, 255), shift};
}

float average_ratio(float threshold_x, float threshold_y, int rows, int columns) {
  return threshold_x / (threshold_y * static_cast<float>(rows * columns));
}

std::optional<Multiplier> signed_multiplier(float ratio) {
  const auto shift = multiplier_shift(std::fabs(ratio));
  if (!shift) return std::nullopt;
  return Multiplier{round_to_int8(std::ldexp(ratio, *shift)), *shift};
}

std::optional<EltwiseMultipliers> eltwise_sum(std::span<const float> coefficients,
                                              std::span<const float> threshold_x,
                                              float threshold_y) {
  std::vector<float> ratios;
  for (size_t i = 0; i < threshold_x.size(); ++i)
    ratios.push_back((i < coefficients.size() ? coefficients[i] : 1.0f) * threshold_x[i] /
                     threshold_y);
  // The largest ratio determines the shift.
  const auto shift = multiplier_shift(largest_magnitude(ratios));
  if (!shift) return std::nullopt;
  // The int16 accumulators must hold every sum that the result can represent.
  constexpr float kChain = 32767.0f / 128.0f;
  float sum = 0;
  for (const float ratio : ratios) sum += std::fabs(ratio);
  EltwiseMultipliers result{{}, *shift};
  while (result.shift > 7 && std::ldexp(sum, result.shift) > kChain) --result.shift;
  for (const float ratio : ratios)
    result.multiplier.push_back(round_to_int8(std::ldexp(ratio, result.shift)));
  return result;
}

std::optional<EltwiseMultipliers> eltwise_product(float threshold_x0, float threshold_x1,
                                                  float threshold_y) {
  const auto scale = signed_multiplier(threshold_x0 * threshold_x1 / (128.0f * threshold_y));
  if (!scale) return std::nullopt;
  return EltwiseMultipliers{{scale->multiplier}, scale->shift};
}

std::array<int8_t, 256> lookup_table(const std::function<float(float)>& function, float threshold_x,
                                     float threshold_y) {
  std::array<int8_t, 256> table;
  for (int byte = 0; byte < 256; ++byte) {
    const float x = static_cast<float>(static_cast<int8_t>(byte)) * threshold_x / 128.0f;
    const float y = function(x) * 128.0f / threshold_y;
    table[byte] = static_cast<int8_t>(std::isnan(y) ? 0 : round_to_int8(y));
  }
  return table;
}

}  // namespace tputwin::net
