// Conversion of bytes of tensors to floats and back, as in CPU operators.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tputwin::net {

// int8: returns x = q * threshold / 128. Otherwise the bytes are floats.
std::vector<float> dequantize(std::span<const uint8_t> bytes, bool int8, float threshold);

enum class HostRounding {
  // floor(v + 0.5), as everywhere: docs/calibration.md
  nearest,
  // (int)(v + 0.5), truncated towards zero, as in the vendor's plugins ELU and LeakyRelu
  half_then_cut,
};
HostRounding rounding_of(std::string_view type);  // `type` is an IR type or a plugin name.

// int8: writes v = y * 128 / threshold, rounded and clamped to [-128, 127]; NaN becomes 0.
// Otherwise writes the floats unchanged.
void quantize(std::span<const float> values, bool int8, float threshold, std::span<uint8_t> bytes,
              HostRounding rounding = HostRounding::nearest);

}  // namespace tputwin::net
