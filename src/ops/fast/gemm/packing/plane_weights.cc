// Packs panels of weights.
#include "ops/fast/gemm/packing/plane_weights.h"

#include <algorithm>

#include "base/parallel.h"
#include "ops/fast/gemm/kernels/tile_buffers.h"
#include "ops/fast/walk/transpose.h"

namespace tputwin::fast {

void SeparatePanels::pack(const ChannelBlocks& blocks, uint8_t* to,
                          PlaneConstants& constants) const {
  begin(blocks, constants);
  const uint64_t panel_cells = uint64_t{terms()} * blocks.rows;
  parallel_for(blocks.count(), grain_of(panel_cells, kTermsPerTask), [&](size_t begin, size_t end) {
    for (size_t block = begin; block < end; ++block) {
      const uint32_t count = blocks.size(block);
      pack_panel({blocks.first(block), count, has_whole_rows() ? blocks.rows : count},
                 to + block * panel_cells * bytes(), constants);
    }
  });
}

uint32_t* take_channel_cells(const PanelRows& rows, uint32_t terms) {
  thread_local Scratch scratch;
  return scratch.take<uint32_t>(uint64_t{terms} * rows.pitch + kTilePitch);
}

void transpose_channels(const PanelRows& rows, uint32_t terms, uint32_t* cells, uint8_t* to) {
  std::fill_n(cells + uint64_t{rows.count} * terms, uint64_t{rows.pitch - rows.count} * terms, 0u);
  transpose(sizeof *cells, to, rows.pitch * sizeof *cells, reinterpret_cast<const uint8_t*>(cells),
            terms * sizeof *cells, rows.pitch, terms);
}

}  // namespace tputwin::fast
