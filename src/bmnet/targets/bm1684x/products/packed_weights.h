// Weights of four bits: w = (code - zero) * scale, with a scale and a zero for each block of a row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chip/dtype.h"

namespace tputwin::net::bm1684x {

struct PackedWeights {
  int64_t rows = 0, length = 0, block = 0;
  // Byte i of a row holds the codes of weight i, in the lower bits, and of weight i + length / 2.
  std::vector<uint8_t> codes;
  std::vector<float> scales, zeros;  // by row and block

  int64_t blocks() const { return length / block; }
};

// Returns the weights of `rows` rows in four bits, if every product of code and scale has the bits
// of its weight in `type`. Few weights are not packed.
std::optional<PackedWeights> packed_weights(std::span<const float> matrix, int64_t rows,
                                            DType type);

}  // namespace tputwin::net::bm1684x
