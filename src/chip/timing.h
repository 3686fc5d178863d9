// Times of a chip other than its sizes and its clock. docs/timing.md gives the source of each
// number.
#pragma once

#include "chip/chip.h"

namespace tputwin {

struct ChipTiming {
  // From the host's call until the control processor issues the first command.
  double launch_seconds;
  // Time of the control processor for each command that a kernel issues.
  double issue_seconds;
  // Commands that an engine holds and has not begun. A full queue stalls the processor.
  uint32_t queue_depth;
  double load_bytes_per_second;   // global memory to DMA engine
  double store_bytes_per_second;  // DMA engine to global memory
  // Latency of each transfer, from its start to its first byte.
  double transfer_seconds;
  // Time of each run of bytes in global memory: it opens a page.
  double run_seconds;
  // Extra beats of the bus for a run that does not begin at a beat.
  uint32_t split_beats;
  // Cycles in which the multiply-add pipeline is emptied, in addition to the products of a window:
  // after each tap of a pass, or after the pass.
  uint32_t tap_cycles;
  bool empties_after_taps;
  // Cycles of each row and factor of a product, in addition to its columns.
  uint32_t factor_cycles;
};

// Returns the times of the chip's family.
const ChipTiming& timing_of(const Chip& chip);

}  // namespace tputwin
