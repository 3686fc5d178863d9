// The input of a convolution over planes.
#pragma once

#include <cstdint>

namespace tputwin::fast {

// Reads the elements of an input as 32-bit cells. A cell holds an element of one channel, or
// elements of neighbouring channels. Each cell of an image becomes a plane.
class PlaneInput {
 public:
  virtual ~PlaneInput() = default;

  // Returns the number of cells that hold the input channels.
  virtual uint32_t cells() const = 0;
  // Reads all elements of some rows of an image's cell. May write up to kTilePitch uint32 values
  // after them.
  virtual void read_rows(uint32_t n, uint32_t cell, uint32_t y, uint32_t rows,
                         uint32_t* to) const = 0;
  // Returns the address of a cell's plane if memory holds it as 32-bit values with the input's
  // strides. Returns nullptr if it does not.
  virtual const uint8_t* words(uint32_t /*n*/, uint32_t /*cell*/) const { return nullptr; }
  // Returns a step. Cells whose numbers are equal modulo this step are adjacent in memory. Returns
  // 0 if no cells are adjacent.
  virtual uint32_t adjacent_cell_step() const { return 0; }
  // Return the cell of padding, and of inserted elements.
  virtual uint32_t padding(uint32_t /*cell*/) const { return 0; }
  virtual uint32_t insertion(uint32_t /*cell*/) const { return 0; }
  // Returns true if each thread may lay out a part of the planes for itself. Requires that
  // PlaneProducts::laid_out() does nothing, and that words() returns the source of the planes.
  virtual bool allows_bands() const { return false; }

  // Called before the rows of a run are read.
  virtual void begin_run() {}
};

}  // namespace tputwin::fast
