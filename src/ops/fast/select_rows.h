// Selects of any type, in 32-bit lanes.
#pragma once

#include "memory/memory.h"

namespace tputwin {
struct Select;
}

namespace tputwin::fast {

// False if it does not cover the operation: comparisons of u32, extremes of floats, and comparisons
// of 16-bit floats that ask for equality.
bool select_rows(const Select& op, const Memory& memory);

}  // namespace tputwin::fast
