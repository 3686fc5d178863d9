// Tiles of convolution results of the BM1684X. A column is a place of the output planes, a row an
// output channel. Every result is a sum over `terms` of weight * input, both in 32-bit cells; the
// terms lie one after the other in the order of additions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tputwin::fast {

constexpr size_t kPatchPitch = 64;  // from one row of a tile's results to the next
constexpr size_t kMaxPatchRows = 8;

struct PatchTile {
  const uint32_t* weights;  // [term * rows + row]
  const uint32_t* inputs;   // [term * pitch + column], whole vectors are read
  size_t pitch;
  size_t terms;
  uint32_t rows, vectors;
  // [row * kPatchPitch + column]: what the accumulators start from. The results replace the first.
  uint32_t *first, *second;
  // Of group sums: input channels and taps.
  size_t channels = 0, taps = 0;
};

// The kernels of the instruction set in force.
struct PatchKernels {
  uint32_t rows, vectors;  // of the largest tile
  uint32_t lanes;          // columns of one vector

  // fp32 cells, two accumulators in turn. True if a result is NaN: it may have other bits than the
  // reference body's.
  bool (*alternating)(const PatchTile&);
  // fp32 cells, sums of groups of 32 channels in fixed point; one row and one vector at a time.
  // Terms: groups, taps, channels of the group. Results that need the reference body are NaN; true
  // if there is one.
  bool (*grouped)(const PatchTile&);
  // Cells of two 16-bit integers, whose products are summed modulo 2^32; all rows.
  void (*integers)(const PatchTile&);

  uint32_t columns() const { return vectors * lanes; }
};
PatchKernels patch_kernels();

}  // namespace tputwin::fast
