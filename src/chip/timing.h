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
  // Runs at a smaller distance share a page.
  uint32_t page_bytes;
  // A run of a lane that does not begin at a beat of the bus takes as many beats more as it has, at
  // most this many.
  uint32_t split_beats;
  // Runs of at least this many beats that follow each other in global memory take none more.
  uint32_t joined_beats;
  // Cycles in which the multiply-add pipeline is emptied, in addition to the products of a window:
  // of 32-bit elements after each tap of a pass, of others after the pass. The second number is for
  // each element from one position of the window to the next.
  uint32_t tap_cycles, stride_cycles;
  // Convolutions of 32-bit elements: cycles in which the units stall, in percent of those at full
  // rate.
  uint32_t stalled_percent;
  // Cycles of each pass of a sum that is added to an old result.
  uint32_t old_result_cycles;
  // Products of matrices with columns in lanes. Cycles of each row and factor, for each pass of its
  // columns except the first; cycles of each row, for each lane of the left matrix.
  uint32_t factor_cycles, left_lane_cycles;
  // The chip also has products with rows in lanes.
  bool has_row_products;
};

// Returns the times of the chip's family.
const ChipTiming& timing_of(const Chip& chip);

}  // namespace tputwin
