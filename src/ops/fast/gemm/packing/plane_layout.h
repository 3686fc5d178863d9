// Lays out the input of a convolution as planes, part by part.
#pragma once

#include "memory/memory.h"
#include "ops/contract/window.h"
#include "ops/fast/gemm/geometry/plane_parts.h"
#include "ops/fast/gemm/geometry/plane_terms.h"
#include "ops/fast/gemm/packing/plane_input.h"

namespace tputwin::fast {

// Points to the planes of a part, cell after cell.
struct Planes {
  PlanePart part;
  const WindowPlane& plane;
  uint32_t* words;
};

class PlaneLayout {
 public:
  // Elements of a vector, and columns of the widest tile.
  struct TileWidth {
    uint32_t vector_elements, columns;
  };
  // `input` and `in` must outlive the object.
  PlaneLayout(const PlaneInput& input, const Window& window, const TensorView& in, const Shape& out,
              const TileWidth& tile);

  const PlaneParts& parts() const { return parts_; }
  PlaneTerms terms() const;
  // Returns the cells of all planes of a part.
  uint64_t words() const { return plane_cells_ * input_.cells(); }
  // Returns a buffer of the thread for the planes of a part.
  uint32_t* take_buffer() const;

  // Returns the number of pieces that are laid out at a time. A piece is the plane of an image's
  // cell, or the planes of cells that are adjacent in memory.
  size_t pieces_of(const PlanePart& part) const {
    return adjacent_step_ != 0 ? adjacent_step_ : size_t{input_.cells()} * part.images;
  }
  void lay_out(const Planes& planes, size_t piece) const;

 private:
  static constexpr uint32_t kCellsAtOnce = 16;

  bool reads_adjacent_cells() const;
  void lay_out_adjacent(const Planes& planes, uint32_t first) const;
  void lay_out_plane(const Planes& planes, uint32_t image, uint32_t cell) const;
  void read_inserted(uint32_t n, uint32_t cell, uint32_t* dense, uint32_t* row) const;

  const PlaneInput& input_;
  const TensorView& in_;
  const uint32_t insert_h_, insert_w_;  // distance of rows and columns of the input
  const Shape dense_;                   // the input with inserted rows and columns
  const Window window_;
  const PlaneParts parts_;
  // Cells at this step are laid out together. 0 stands for none.
  const uint32_t adjacent_step_;
  const uint64_t plane_cells_;
};

}  // namespace tputwin::fast
