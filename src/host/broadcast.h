// Shapes of one result: extents of 1, and axes that a shape lacks in front, repeat.
#pragma once

#include <optional>
#include <vector>

#include "host/array.h"

namespace tputwin::host {

// The common shape, nothing if there is none.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

// For each element of `to` the offset of that of `from` which stands for it.
std::vector<size_t> broadcast_offsets(const Shape& from, const Shape& to);

}  // namespace tputwin::host
