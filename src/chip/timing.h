// What a chip's time depends on besides its sizes and its clock; docs/timing.md says what each
// number rests on.
#pragma once

#include "chip/chip.h"

namespace tputwin {

struct ChipTiming {
  double launch_seconds;  // from the host's call until the control processor issues
  double issue_seconds;   // the control processor's, for each command that a kernel issues
  uint32_t queue_depth;  // commands that an engine holds and has not begun; more stop the processor
  double load_bytes_per_second;   // of global memory, by the DMA engine
  double store_bytes_per_second;  // into global memory
  double transfer_seconds;        // of each transfer: from its start to its first byte
  double run_seconds;             // of each run of bytes in global memory: it opens a page
  uint32_t split_beats;           // more beats of the bus for a run that does not begin at one
  uint32_t tap_cycles;            // for each pass and tap of a window, besides its products
  uint32_t factor_cycles;         // for each row and factor of a product, besides its columns
};

// Those of the chip's family.
const ChipTiming& timing_of(const Chip& chip);

}  // namespace tputwin
