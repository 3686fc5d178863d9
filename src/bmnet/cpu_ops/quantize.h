// Bytes of tensors to floats and back, as CPU operators do it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tputwin::net {

// int8: x = q * threshold / 128; else the bytes are floats.
std::vector<float> dequantize(std::span<const uint8_t> bytes, bool int8, float threshold);

enum class HostRounding {
  nearest,        // floor(v + 0.5), as everywhere: docs/calibration.md
  half_then_cut,  // (int)(v + 0.5), cut towards zero, as the vendor's plugins ELU and LeakyRelu do
};
HostRounding rounding_of(std::string_view type);  // of an IR type or a plugin

// int8: v = y * 128 / threshold, rounded and clamped to [-128, 127], NaN becomes 0; else the floats
// as they are.
void quantize(std::span<const float> values, bool int8, float threshold, std::span<uint8_t> bytes,
              HostRounding rounding = HostRounding::nearest);

}  // namespace tputwin::net
