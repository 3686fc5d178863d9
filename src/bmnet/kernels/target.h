// The target chip of programs. kLanes, kUnits and kLaneBytes (program.h) are its numbers.
#pragma once

#include "chip/family.h"

namespace tputwin::net {

inline const Chip& target() { return first_of(ChipFamily::bm1880); }

}  // namespace tputwin::net
