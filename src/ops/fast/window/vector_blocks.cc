// Finds the positions of results' inputs in a vector.
#include "ops/fast/window/vector_blocks.h"

#include <algorithm>

namespace tputwin::fast {

void find_vector_blocks(const Axis& axis, uint32_t inputs, uint32_t results,
                        std::vector<VectorBlock>& blocks) {
  const uint32_t most = (VectorBlock::kBytes - axis.kernel) / axis.stride + 1;
  blocks.clear();
  for (uint32_t x = 0; x < results; x += most) {
    VectorBlock& block = blocks.emplace_back();
    block.first = x;
    block.results = std::min(most, results - x);
    const int64_t before = int64_t{x} * axis.stride - axis.pad_before;
    block.input = static_cast<uint32_t>(std::clamp<int64_t>(before, 0, inputs - 1));
    for (uint32_t tap = 0; tap < axis.kernel; ++tap)
      for (uint32_t i = 0; i < block.results; ++i) {
        const int64_t source = axis.source(x + i, tap, inputs);
        if (source < 0) continue;
        VectorBlock::Tap& to = block.taps[tap];
        to.index[i] = static_cast<uint8_t>(source - block.input);
        to.take |= uint64_t{1} << i;
        block.load |= uint64_t{1} << to.index[i];
      }
  }
}

}  // namespace tputwin::fast
