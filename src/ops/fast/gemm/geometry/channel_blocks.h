// Blocks of output channels: the rows of a tile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/bits.h"

namespace tputwin::fast {

// Blocks of `rows` output channels. The last block may have fewer.
struct ChannelBlocks {
  uint32_t channels, rows;

  uint32_t count() const { return ceil_div(channels, rows); }
  uint32_t first(size_t block) const { return static_cast<uint32_t>(block) * rows; }
  uint32_t size(size_t block) const { return std::min(rows, channels - first(block)); }
};

}  // namespace tputwin::fast
