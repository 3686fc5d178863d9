// The arithmetic of quantization: shifts, multipliers and tables from thresholds. It computes in
// fp32 in the order of the vendor's tools, to reproduce their integers.
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

// Returns floor(x + 0.5), clamped to [least, most].
int round_to(float value, int least, int most);
inline int round_to_int8(float value) { return round_to(value, -128, 127); }
inline int round_to_int16(float value) { return round_to(value, -32768, 32767); }

// Returns the smallest m >= 0 with 64 <= magnitude * 2^m < 128, at most kLargestShift; 0 for
// magnitude 0; nullopt if magnitude >= 128 or is NaN.
std::optional<int> shift_to_byte(float magnitude);

// Returns the shift of a multiplier of that magnitude. It is shift_to_byte(magnitude), minus 1 if
// the multiplier would round to 128, which a byte cannot hold.
std::optional<int> multiplier_shift(float magnitude);

float largest_magnitude(std::span<const float> values);

// For convolution, inner product and scale: w becomes floor(w * T_x/T_y * 2^shift + 0.5).
std::optional<int> weight_shift(std::span<const float> weights, float threshold_x,
                                float threshold_y);
void quantize_weights(std::span<float> weights, float threshold_x, float threshold_y, int shift);
// Replaces b with floor(b * 128/T_y * 2^shift + 0.5), clamped to 16 bits. Returns the number of
// values that saturate.
size_t quantize_bias(std::span<float> biases, float threshold_y, int shift);

struct Multiplier {
  int multiplier = 0, shift = 0;
  bool operator==(const Multiplier&) const = default;
};

// Returns the unsigned multiplier of a rescaling by `ratio`, normally 128 to 255 (pooling, concat).
Multiplier unsigned_multiplier(float ratio);
// Returns the factor by which the sum over rows x columns taps becomes their average.
float average_ratio(float threshold_x, float threshold_y, int rows, int columns);
// Returns the signed multiplier, 64 to 127, of a rescaling by `ratio`; nullopt if ratio >= 128.
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

// Returns sat8(floor(f(x*T_x/128) * 128/T_y + 0.5)) for every byte x.
std::array<int8_t, 256> lookup_table(const std::function<float(float)>& function, float threshold_x,
                                     float threshold_y);

}  // namespace tputwin::net
