// Windows along rows of bytes whose inputs fit in one vector: which byte is the input of which
// result.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ops/contract/window.h"

namespace tputwin::fast {

// Neighbouring results of a row.
struct VectorBlock {
  static constexpr uint32_t kBytes = 64, kMostTaps = 16;
  // Byte index[i] is the input of result i under a tap of the row, if bit i of `take` is set.
  struct Tap {
    alignas(64) std::array<uint8_t, kBytes> index{};
    uint64_t take = 0;
  };
  // columns of the results and of the first input
  uint32_t first = 0, results = 0, input = 0;
  uint64_t load = 0;  // mask of inputs that exist
  std::array<Tap, kMostTaps> taps;
};

// Finds the blocks of a row. Kernel and stride must be at most kMostTaps.
void find_vector_blocks(const Axis& axis, uint32_t inputs, uint32_t results,
                        std::vector<VectorBlock>& blocks);

}  // namespace tputwin::fast
