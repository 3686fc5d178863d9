// The planes that the input of a BM1880 convolution is repacked into, which turn the convolution
// into dot products, and how the work on them is cut.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/tensor_view.h"
#include "ops/conv/conv2d_bm1880.h"

namespace tputwin::fast {

// One axis of the padded, zero-inserted input, cut into planes. In a plane, the input advances by
// one element per output position.
// - Phases: a stride s makes at most s planes, and a kernel tap reads its plane at an offset.
// - Unrolled: every tap has a plane of its own, without a halo.
struct AxisGeometry {
  Axis axis;
  uint32_t source_extent = 0;    // extent of the input
  uint32_t extent = 0;           // extent of a plane
  std::vector<uint32_t> start;   // padded coordinate of element 0, per plane
  std::vector<uint32_t> plane;   // per tap
  std::vector<uint32_t> offset;  // per tap, inside its plane

  void choose(const Axis& axis, uint32_t source_extent, uint32_t outputs, bool unrolled);
  // Returns the input index of element `i` of plane `p`, or -1 for padding and inserted zeros.
  int64_t source(size_t p, uint32_t i) const {
    Axis shifted = axis;
    shifted.dilation = start[p];
    return shifted.source(i, 1, source_extent);
  }
};

// The elements of a plane's row that come from the input. The other elements are zeros.
struct ColumnGeometry {
  uint32_t first = 0, count = 0, step = 1;  // positions in the plane
  uint32_t source = 0, source_step = 1;     // positions in the input row
};

ColumnGeometry find_columns(const AxisGeometry& w, size_t plane);

// The tile of the instruction set in force: elements of a cell, output channels, 32-bit elements of
// a vector, and positions.
struct RegisterTile {
  size_t elements, rows, vector_elements, positions;
  // True if there are matrix tiles (tile_order.h).
  bool has_matrix_tiles = false;
};

// The packed input: uint32 cells [group][plane of h][plane of w][n][h.extent][w.extent]. Each cell
// holds the same element of `elements` consecutive channels.
struct CellPlanes {
  AxisGeometry h, w;
  std::vector<ColumnGeometry> columns;  // per plane of w
  size_t elements = 0, groups = 0, plane_size = 0, group_stride = 0;
  std::vector<uint32_t> tap_offsets;  // of each tap in the planes of a group

  void choose(const Conv2dBm1880& op, const RegisterTile& tile);
  size_t taps() const { return tap_offsets.size(); }
  // Returns the cells of one plane of one image.
  size_t image() const { return size_t{h.extent} * w.extent; }
  size_t size() const { return groups * group_stride; }
};

// The packed weights: uint32 cells [block of output channels][group][tap][row], or the order for
// tiles of `depth` if it is not 0 (tile_order.h).
struct WeightBlocks {
  size_t rows = 0, blocks = 0, block_stride = 0, depth = 0;

  void choose(const Conv2dBm1880& op, const CellPlanes& planes, const RegisterTile& tile);
  size_t size() const { return blocks * block_stride; }
};

// Runs of consecutive output positions. Some of the positions are between rows of the output. Tasks
// work on chunks of a run; the last chunk has the rest.
struct PositionRuns {
  size_t runs = 0, run_stride = 0, run_length = 0;
  size_t chunk = 0, chunks_per_run = 0;

  static constexpr size_t kTilesAtOnce = 8;  // largest number of tiles in a chunk

  void choose(const Shape& out, const CellPlanes& planes, const RegisterTile& tile);
  size_t chunks() const { return runs * chunks_per_run; }
  size_t positions() const { return runs * run_length; }

 private:
  void cut(const RegisterTile& tile);
};

// A row of results as a run of positions. It covers all rows of an image where the tensors and the
// planes agree.
struct ResultRows {
  size_t pitch = 0, length = 0, per_image = 0;

  // `views` are the tensors with the extents of the output that are read or written.
  void choose(const Shape& out, const CellPlanes& planes, std::span<const TensorView* const> views);
};

struct Conv2dGeometry {
  CellPlanes planes;
  WeightBlocks weights;
  PositionRuns positions;
  ResultRows results;

  static constexpr uint64_t kMacsPerTask = 1 << 18;

  // Reuses the memory of an earlier plan.
  void choose(const Conv2dBm1880& op, const RegisterTile& tile,
              std::span<const TensorView* const> views);
  uint64_t macs() const {
    return weights.blocks * weights.rows * planes.taps() * planes.groups * planes.elements *
           positions.positions();
  }
  // Returns true if the work is too small for more than one thread.
  bool is_small() const;
};

}  // namespace tputwin::fast
