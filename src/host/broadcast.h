// Broadcasting: extents of 1, and missing leading axes, repeat.
#pragma once

#include <optional>
#include <vector>

#include "host/array.h"

namespace tputwin::host {

// Returns the common shape; nullopt if there is none.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

// Returns, for each element of `to`, the offset of the element of `from` that is repeated there.
std::vector<size_t> broadcast_offsets(const Shape& from, const Shape& to);

}  // namespace tputwin::host
