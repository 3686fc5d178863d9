// What a chip's time depends on besides its sizes and rates (docs/timing.md says what each rests
// on).
#pragma once

#include "chip/chip.h"

namespace tputwin {

struct ChipTiming {
  double launch_seconds;  // from the host's call until the control processor issues
  double issue_seconds;   // the control processor's, for each command that a kernel issues
  double fetch_seconds;   // an engine's, for each command of a file that it reads itself
  uint32_t queue_depth;   // commands that an engine holds which it has not begun
};

// Those of the chip's family.
const ChipTiming& timing_of(const Chip& chip);

}  // namespace tputwin
