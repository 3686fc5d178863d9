// Reads and writes one image in the BM1684's 4N storage, which stores bytes of four images in a
// 32-bit cell.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/fast/views/views.h"

namespace tputwin::fast {

constexpr uint32_t kImagesInCell = 4;

// Returns true if the view has elements of `bytes` bytes in local memory, with four images or
// channels in a cell.
inline bool has_cells(const TensorView& view, uint32_t bytes) {
  return view.space == Space::local && view.pack == kImagesInCell && is_run(view) &&
         element_bytes(view.dtype) == bytes && !is_empty(view.shape);
}

// The kernels of the instruction set in force. `rows` are rows of `count` cells of four images, one
// row per channel: four rows for join, two for join_int16. `image` is the byte of each cell that is
// taken. A result is a cell per column, which holds the channels.
struct ImageKernels {
  // Writes cells of four channels of the image, xored with `mask`.
  void (*join)(const uint8_t* const* rows, uint32_t image, size_t count, uint32_t mask,
               uint32_t* to);
  // Writes cells of two channels, each widened to 16 bits.
  void (*join_int16)(const uint8_t* const* rows, uint32_t image, size_t count, bool is_signed,
                     uint32_t* to);
  // Writes contiguous bytes to the image's byte of each cell. Bytes of other images are not
  // touched.
  void (*spread)(const uint8_t* from, size_t count, uint32_t image, uint8_t* cells);
};
ImageKernels image_kernels();

}  // namespace tputwin::fast
