// Chips with lanes of 16 KB, so that their memory is filled and compared quickly.
#pragma once

#include "chip/chip.h"

namespace tputwin::fuzz {

inline const Chip& small_bm1684x() {
  static const Chip chip = [] {
    Chip small = bm1684x();
    small.lane_bytes = 16 * 1024;
    small.l2.bytes = 64 * 1024;
    return small;
  }();
  return chip;
}

// L2 has its full size, because its tables are at its end.
inline const Chip& small_bm1684() {
  static const Chip chip = [] {
    Chip small = bm1684();
    small.lane_bytes = 16 * 1024;
    return small;
  }();
  return chip;
}

}  // namespace tputwin::fuzz
