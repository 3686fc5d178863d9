// Bytes of tensors to floats and back, as CPU operators do it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tputwin::net {

// int8: x = q * threshold / 128; else the bytes are floats.
std::vector<float> dequantize(std::span<const uint8_t> bytes, bool int8, float threshold);

// int8: q = (int)(y * 128 / threshold + 0.5), clamped to [-128, 127]; else the floats as they are.
// The conversion to an integer cuts towards zero.
void quantize(std::span<const float> values, bool int8, float threshold, std::span<uint8_t> bytes);

}  // namespace tputwin::net
