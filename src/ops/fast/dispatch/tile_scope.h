// Configures matrix tiles once for many products.
#pragma once

#include <cstddef>
#include <optional>

#include "ops/fast/dispatch/isa.h"
#include "ops/fast/dispatch/processor_tiles.h"

namespace tputwin::fast {

// While it exists, products of tiles with so many rows and that depth need not configure the tiles
// of this thread. A depth of 0, or a processor without tiles, makes it do nothing. The thread must
// not call another library in that time, which may configure tiles, too.
class TileScope {
 public:
#if defined(__x86_64__)
  TileScope(size_t rows, size_t depth) {
    if (depth == 0 || depth_of_thread != 0 || tile_unit() != TileUnit::processor) return;
    tiles_.emplace(TileConfiguration(rows, depth));
    depth_of_thread = depth;
  }
  ~TileScope() {
    if (tiles_) depth_of_thread = 0;
  }
#else
  TileScope(size_t, size_t) {}
#endif
  TileScope(const TileScope&) = delete;

  // Returns the depth that the tiles of this thread are configured for; 0: they are not.
  static size_t configured_depth() { return depth_of_thread; }

 private:
#if defined(__x86_64__)
  std::optional<ProcessorTiles> tiles_;
#endif
  static inline thread_local size_t depth_of_thread = 0;
};

}  // namespace tputwin::fast
