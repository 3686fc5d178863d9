// A chip that the sources do not name, derived from an existing one: fewer and smaller lanes.
#pragma once

#include "chip/chip.h"

namespace tputwin::testing {

inline Chip sister_of(const Chip& chip) {
  Chip made = chip;
  made.name = "the sister";
  made.version = 4711;
  made.lanes = 16;
  made.lane_bytes = chip.lane_bytes / 2;
  made.banks = 8;
  if (made.l2.bytes != 0) made.l2.bytes = 32 * 1024;
  return made;
}

}  // namespace tputwin::testing
