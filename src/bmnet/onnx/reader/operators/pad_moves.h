// Padding of long axes by moves.
#pragma once

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {

struct Sides {
  int64_t before = 0, behind = 0;
  bool any() const { return before != 0 || behind != 0; }
};

// True if rows or columns are so long, or so many are added, that moves are few beside
// convolutions and weighted sums.
bool is_long_pad(const std::vector<Sides>& sides, const Dims& dims, const std::string& mode);

// Pads all axes. `sides` are not negative, and `dims` are the extents after the negative `pads`.
void pad_by_moves(Node& node, const std::vector<Sides>& sides, Dims dims, Dims pads,
                  const std::string& mode, float value);

}  // namespace tputwin::net::onnx_reader
