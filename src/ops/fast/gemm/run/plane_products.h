// The products of a convolution over planes: how tiles start, sum and store.
#pragma once

#include "ops/fast/gemm/geometry/plane_terms.h"
#include "ops/fast/gemm/kernels/tile_buffers.h"
#include "ops/fast/gemm/kernels/tiles.h"
#include "ops/fast/gemm/packing/plane_weights.h"

namespace tputwin::fast {

// Describes results of one row of an output plane, and their accumulators. `second` is nullptr if
// the tile converts its sums to bytes.
struct ResultRun {
  uint32_t n, oc, y, x, count;
  uint32_t *first, *second;
};

// Runs tiles that convert their sums to bytes. Their results need neither start() nor store() of
// PlaneProducts.
class ByteTiles {
 public:
  virtual ~ByteTiles() = default;
  // Runs a tile of output channels from `oc` on, whose results are among the first `columns`.
  virtual void run(const Tile& tile, size_t columns, uint32_t oc, const PlaneConstants& constants,
                   const ByteRows& to) const = 0;
  // Returns true if sums of any channel are live-out in local memory.
  virtual bool has_live_out_sums() const = 0;
  // Finds where the sums of `rows` channels can be stored, of which `results` are those of the
  // first one: to[r] is a place in local memory if all are live-out, row r of the buffer at
  // results.first if some are, and nullptr if none is. Returns false if none of any channel is.
  virtual bool find_places(const ResultRun& results, uint32_t rows, uint8_t** to) const = 0;
  // Writes the live-out sums of one channel.
  virtual void write_live_out_sums(const ResultRun& results,
                                   const PlaneConstants& constants) const = 0;
};

// Runs tiles with 32-bit accumulators.
class PlaneProducts {
 public:
  virtual ~PlaneProducts() = default;

  // Returns the number of vectors of a tile with the given number of rows.
  virtual uint32_t vectors(const TileKernels& kernels, uint32_t /*rows*/) const {
    return kernels.vectors;
  }
  // Receives the positions of the terms. Called once, before the first run.
  virtual void prepare(const PlaneTerms& terms) = 0;
  // Called before each run. The constants are packed, unless panels are packed late.
  virtual void begin_run(const PlaneConstants& /*constants*/) {}
  // Called when all planes are laid out, each PlaneTerms::pitch cells after the one before.
  virtual void laid_out(uint32_t* /*planes*/, const PlaneConstants& /*constants*/) {}

  // Writes the start values of accumulators.
  virtual void start(const ResultRun& results, const PlaneConstants& constants) const = 0;
  // Runs a tile of output channels from `oc` on. Returns true if a result may differ from that of
  // the reference kernel.
  virtual bool run(const Tile& tile, const TileBuffers& buffers, uint32_t oc,
                   const PlaneConstants& constants) const = 0;
  // Writes accumulators to the results.
  virtual void store(const ResultRun& results, bool in_doubt,
                     const PlaneConstants& constants) const = 0;

  // Returns the tiles of this run that convert sums to bytes, in place of start(), run() and
  // store(). Returns nullptr if there are none.
  virtual const ByteTiles* byte_tiles() const { return nullptr; }
};

}  // namespace tputwin::fast
