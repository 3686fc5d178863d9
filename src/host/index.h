// Positions that are data: counted from the end if negative, and checked.
#pragma once

#include <fmt/format.h>

#include "host/operator.h"

namespace tputwin::host {

inline Result<int64_t> position(const Call& call, int64_t index, int64_t extent) {
  if (index < -extent || index >= extent)
    return call.fail(fmt::format("position {} of {}", index, extent));
  return index < 0 ? index + extent : index;
}

// The offset of what the first axes' positions say, in slices of `slice` elements.
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
