// Positions from data: negative ones count from the end, and all are checked.
#pragma once

#include <fmt/format.h>

#include "host/operator.h"

namespace tputwin::host {

inline Result<int64_t> position(const Call& call, int64_t index, int64_t extent) {
  if (index < -extent || index >= extent)
    return call.fail(fmt::format("position {} of {}", index, extent));
  return index < 0 ? index + extent : index;
}

// Returns the offset of the slice at `indices` along the axes from `first_axis` on. A slice has
// `slice` elements.
inline Result<int64_t> slice_offset(const Call& call, const Shape& shape, size_t first_axis,
                                    std::span<const int64_t> indices, int64_t slice) {
  int64_t offset = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    TW_ASSIGN_OR_RETURN(at, position(call, indices[i], shape[first_axis + i]));
    offset = offset * shape[first_axis + i] + at;
  }
  return offset * slice;
}

}  // namespace tputwin::host
