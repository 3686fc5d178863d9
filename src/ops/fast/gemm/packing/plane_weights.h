// The weights of a convolution over planes, packed in panels of output channels.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/fast/gemm/epilogue/sum_epilogue.h"
#include "ops/fast/gemm/geometry/channel_blocks.h"
#include "ops/fast/gemm/kernels/tiles.h"
#include "ops/fast/prepared/interned_bytes.h"
#include "ops/fast/scratch.h"

namespace tputwin::fast {

// Holds the packed operands that may stay unchanged from run to run.
struct PlaneConstants {
  // The weights, in panels of output channels: those of a prepared kernel, or of one run only.
  InternedBytes weights;
  Scratch passing_weights;
  // `starts` has one value for each output channel: the start value of its sums, or its bias.
  std::vector<uint32_t> starts;
  // `epilogues` has one element for each output channel, if an epilogue is fused.
  std::vector<SumEpilogue::Channel> epilogues;
  // `scales` has one element for each block of channels, if tiles convert their sums to bytes.
  std::vector<RowScales> scales;
  ExponentRange exponents;  // range of the weights, if needed
  // `codes` points into `code_buffer`. It has a code for each packed weight, if the kernels need
  // codes.
  Scratch code_buffer;
  int16_t* codes = nullptr;
  // `sizes` points into `size_buffer`. It has the sizes of each panel's groups of weights, if the
  // kernels need them (TileKernels::sizes), and `pairs` has their pairs of channels.
  Scratch size_buffer, pair_buffer;
  float* sizes = nullptr;
  uint32_t* pairs = nullptr;
};

// Packs panels in the tasks that read them, so that each panel is still in the task's cache.
class LatePanels {
 public:
  virtual ~LatePanels() = default;
  // Returns the step in blocks between panels that are packed together, because their weights are
  // contiguous.
  virtual uint32_t step(uint32_t rows) const = 0;
  // Packs the panel of `block` and all that follow it at this step, each `panel_cells` after the
  // one before.
  virtual void pack_panels(uint32_t block, uint32_t rows, uint64_t panel_cells, uint32_t* to,
                           PlaneConstants& constants) const = 0;
};

// Packs weights in panels. A panel has the weights of a block of output channels, term by term.
class PlaneWeights {
 public:
  virtual ~PlaneWeights() = default;

  // Returns the number of cells of weights of an output channel.
  virtual uint32_t terms() const = 0;
  // Packs all panels, and the other constants of all channels. Each panel takes the space of a
  // whole block.
  virtual void pack(const ChannelBlocks& blocks, uint8_t* to, PlaneConstants& constants) const = 0;
  // Returns nullptr if all panels must be packed at once.
  virtual const LatePanels* late_panels() const { return nullptr; }

  // Returns the bytes of a packed weight. Weights narrower than cells are packed as they are, and
  // widened before a tile reads them.
  virtual uint32_t bytes() const { return sizeof(uint32_t); }
  virtual void widen(const uint8_t* /*from*/, size_t /*count*/, uint32_t* /*to*/) const {}
  // Returns true if the last panel has as many rows as the others, with factors 0 after its last
  // channel.
  virtual bool has_whole_rows() const { return false; }
};

// Describes the rows of a panel: `count` output channels from `first` on, in `pitch` rows.
struct PanelRows {
  uint32_t first, count, pitch;
};

// Packs weights panel by panel, on several threads.
class SeparatePanels : public PlaneWeights {
 public:
  void pack(const ChannelBlocks& blocks, uint8_t* to, PlaneConstants& constants) const final;

 private:
  // Called before the first panel is packed.
  virtual void begin(const ChannelBlocks& /*blocks*/, PlaneConstants& /*constants*/) const {}
  // Packs a panel, weight (term, row) at cell term * rows.pitch + row, and the other constants of
  // its channels.
  virtual void pack_panel(const PanelRows& rows, uint8_t* to, PlaneConstants& constants) const = 0;
};

// Returns a buffer of the thread for the cells of a panel, channel by channel.
uint32_t* take_channel_cells(const PanelRows& rows, uint32_t terms);
// Packs a panel from cells that are stored channel by channel.
void transpose_channels(const PanelRows& rows, uint32_t terms, uint32_t* cells, uint8_t* to);
// Packs a panel of cells. read(oc, to) reads the cells of one output channel.
template <class Read>
void pack_channels(const PanelRows& rows, uint32_t terms, const Read& read, uint8_t* to) {
  uint32_t* const cells = take_channel_cells(rows, terms);
  for (uint32_t r = 0; r < rows.count; ++r) read(rows.first + r, cells + uint64_t{r} * terms);
  transpose_channels(rows, terms, cells, to);
}

}  // namespace tputwin::fast
