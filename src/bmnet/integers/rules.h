// The arithmetic of quantization: shifts, multipliers and tables from thresholds. Floats of 32 bits
// in the order of the vendor's tools, whose integers they reproduce.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bmnet/ir/network.h"

namespace tputwin::net {

constexpr int kLargestShift = 31;

// floor(x + 0.5), clamped.
int round_to(float value, int least, int most);
inline int round_to_int8(float value) { return round_to(value, -128, 127); }
inline int round_to_int16(float value) { return round_to(value, -32768, 32767); }

// The smallest m >= 0 with 64 <= magnitude * 2^m < 128, at most kLargestShift; 0 for magnitude 0;
// nothing if magnitude >= 128 or is no number.
std::optional<int> shift_to_byte(float magnitude);

// The shift of a multiplier of that magnitude: as above, but one less where it would be rounded to
// 128, which its byte cannot hold.
std::optional<int> multiplier_shift(float magnitude);

float largest_magnitude(std::span<const float> values);

// Convolution, inner product, scale: floor(w * T_x/T_y * 2^shift + 0.5).
std::optional<int> weight_shift(std::span<const float> weights, float threshold_x,
                                float threshold_y);
void quantize_weights(std::span<float> weights, float threshold_x, float threshold_y, int shift);
// floor(b * 128/T_y * 2^shift + 0.5) to 16 bits; the number of values that saturate.
size_t quantize_bias(std::span<float> biases, float threshold_y, int shift);

struct Multiplier {
  int multiplier = 0, shift = 0;
  bool operator==(const Multiplier&) const = default;
};

// Unsigned multiplier of a rescaling by `ratio`, normally 128..255 (pooling, concat).
Multiplier unsigned_multiplier(float ratio);
// What the sum over rows x columns taps is multiplied with to be their average.
float average_ratio(float threshold_x, float threshold_y, int rows, int columns);
// Signed multiplier 64..127 of a rescaling by `ratio`; nothing if ratio >= 128.
std::optional<Multiplier> signed_multiplier(float ratio);

struct EltwiseMultipliers {
  std::vector<int> multiplier;
  int shift = 0;
};
std::optional<EltwiseMultipliers> eltwise_sum(std::span<const float> coefficients,
                                              std::span<const float> threshold_x,
                                              float threshold_y);
std::optional<EltwiseMultipliers> eltwise_product(float threshold_x0, float threshold_x1,
                                                  float threshold_y);

// sat8(floor(f(x*T_x/128) * 128/T_y + 0.5)) for every byte x.
std::array<int8_t, 256> lookup_table(const std::function<float(float)>& function, float threshold_x,
                                     float threshold_y);

}  // namespace tputwin::net
