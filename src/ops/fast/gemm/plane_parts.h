// Which results of a convolution have their planes laid out together, and which tiles these are cut
// into: groups of images, or, of planes that the cache would not hold, bands of one image's.
#pragma once

#include <array>
#include <span>

#include "ops/fast/gemm/tiles.h"
#include "ops/fast/window/planes.h"

namespace tputwin::fast {

// Results of some images, or some results of one.
struct PlanePart {
  uint32_t image = 0, images = 1, y = 0, x = 0, rows = 0, columns = 0;
};

// What tiles of a part are cut out of: runs of `length` columns, into so many tiles of equal width.
struct TileRuns {
  uint64_t length, tiles, columns, all_tiles;
};
// Results of one row of an output plane that lie in a tile.
struct TileSegment {
  uint32_t column, n, y, x, count;
};
// Where a tile is: its first column in the planes, and the results among its columns.
struct TilePlace {
  uint64_t tile = UINT64_MAX, first = 0;
  size_t count = 0;
  std::array<TileSegment, kTilePitch> found;

  std::span<const TileSegment> segments() const { return {found.data(), count}; }
};

class PlaneParts {
 public:
  struct Sizes {
    uint32_t cells;           // planes of each image
    uint32_t lanes, columns;  // of vectors, and of the widest tile
    bool allows_bands;
  };
  PlaneParts(const Window& window, const Shape& in, const Shape& out, const Sizes& sizes);

  // Of the first part, which is the largest, whose places all others share.
  const WindowPlane& plane() const { return plane_; }
  WindowPlane plane_of(const PlanePart& part) const;
  uint64_t plane_words() const { return plane_words_; }  // from one cell's plane to the next
  uint32_t images() const { return first_.images; }

  // Whether parts are to be laid out by the threads that multiply them.
  bool are_bands() const { return sizes_.allows_bands && count() > 1; }
  size_t count() const { return size_t{image_groups()} * row_bands() * column_bands(); }
  PlanePart part(size_t number) const;

  TileRuns runs_of(const PlanePart& part) const;
  // The same place may be asked for several times.
  void find(TilePlace& place, const PlanePart& part, const TileRuns& runs, uint64_t tile) const;

 private:
  PlanePart first_part() const;
  uint32_t image_groups() const;
  uint32_t row_bands() const;
  uint32_t column_bands() const;
  bool stacks() const;

  const Window window_;
  const Shape in_, out_;
  const Sizes sizes_;
  const PlanePart first_;
  const WindowPlane plane_;
  const uint64_t plane_words_;
  const bool stacked_;
};

}  // namespace tputwin::fast
