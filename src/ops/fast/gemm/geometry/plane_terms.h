// The positions of the factors of a result's terms in the planes of a convolution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tputwin::fast {

// The offsets of each tap's factors in the plane of a cell, and the distance between the planes of
// two cells, in cells.
struct PlaneTerms {
  size_t pitch = 0;
  std::vector<uint32_t> tap_offset;
};

}  // namespace tputwin::fast
