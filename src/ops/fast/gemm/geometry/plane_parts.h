// Cuts the results of a convolution into parts whose planes are laid out together, and parts into
// tiles. A part is a group of images or, if the cache cannot hold the planes, a band of one image.
#pragma once

#include <array>
#include <span>

#include "ops/fast/gemm/kernels/tiles.h"
#include "ops/fast/window/planes.h"

namespace tputwin::fast {

// Describes results whose planes are laid out together: all results of `images` images from `image`
// on, or `rows` x `columns` results of one image from (y, x) on.
struct PlanePart {
  uint32_t image = 0, images = 1, y = 0, x = 0, rows = 0, columns = 0;
};

// Describes the runs of columns that a part consists of. Each run has `length` columns, and is cut
// into `tiles` tiles of `columns` columns. `all_tiles` counts the tiles of all runs.
struct TileRuns {
  uint64_t length, tiles, columns, all_tiles;
};
// Describes results of one row of an output plane that are in a tile. `column` is their first
// column in the tile.
struct TileSegment {
  uint32_t column, n, y, x, count;
};
// Holds the position of a tile: its first column in the planes, and the results among its columns.
// Bit c of `kept` is set if column c is a result.
struct TilePlace {
  uint64_t tile = UINT64_MAX, first = 0, kept = 0;
  size_t count = 0;
  std::array<TileSegment, kTilePitch> found;

  std::span<const TileSegment> segments() const { return {found.data(), count}; }
};

class PlaneParts {
 public:
  struct Sizes {
    uint32_t cells;  // planes of each image
    // `vector_elements` are the elements of a vector, and `columns` those of the widest tile.
    uint32_t vector_elements, columns;
    bool allows_bands;
  };
  PlaneParts(const Window& window, const Shape& in, const Shape& out, const Sizes& sizes);

  // Returns the plane of the first part. It is the largest, and all parts share its positions.
  const WindowPlane& plane() const { return plane_; }
  WindowPlane plane_of(const PlanePart& part) const;
  uint64_t plane_cells() const { return plane_cells_; }  // from one cell's plane to the next
  uint32_t images() const { return first_.images; }

  // Returns true if each part is laid out by the thread that multiplies it.
  bool are_bands() const { return sizes_.allows_bands && count() > 1; }
  size_t count() const { return size_t{image_groups()} * row_bands() * column_bands(); }
  PlanePart part(size_t number) const;

  TileRuns runs_of(const PlanePart& part) const;
  // Finds the position of `tile`. Repeated calls for the same tile are cheap.
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
  const uint64_t plane_cells_;
  const bool stacked_;
};

}  // namespace tputwin::fast
