// Layers of 8-bit integers: what they share.
//
// A value is its byte * scale. A layer computes exact 32-bit integers and scales them once:
//   y = saturate(acc * multiplier / 2^shift), rounded half up, with a multiplier of 31 bits.
#pragma once

#include "bmnet/targets/bm1684x/lower.h"

namespace tputwin::net::bm1684x {

// The nearest multiplier * 2^-shift to a ratio.
struct Scaling {
  int32_t multiplier = 0;
  int32_t shift = 0;  // right
};
Scaling scaling_of(double ratio);

// Scales a tensor of 16 or 32-bit integers to bytes, all elements alike.
void scale_to_bytes(StreamProgram& program, const TensorView& to, const TensorView& from,
                    double ratio);

// Returns the bytes of 32-bit words, little endian.
std::vector<uint8_t> word_bytes(std::span<const int32_t> words);
std::vector<uint8_t> byte_weights(std::span<const float> integers);

}  // namespace tputwin::net::bm1684x
