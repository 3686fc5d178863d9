// Windows along rows of bytes whose inputs one vector holds: which of its bytes is the input of
// which result.
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
  uint32_t first = 0, results = 0, input = 0;  // columns of results, and of the first input
  uint64_t load = 0;                           // the inputs there are
  std::array<Tap, kMostTaps> taps;
};

// The blocks of a row; kernel and stride are at most kMostTaps.
void find_vector_blocks(const Axis& axis, uint32_t inputs, uint32_t results,
                        std::vector<VectorBlock>& blocks);

}  // namespace tputwin::fast
