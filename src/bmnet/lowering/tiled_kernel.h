// TiledKernel: what the planner of groups asks of a layer (or of one group of a grouped
// convolution) that is computed tile by tile in local memory.
//
// A tile is a range of samples, of output rows and of output channels. The planner queries which
// input rows a tile needs and how much scratch, and assigns an address to every operand. Each
// target has kernels of its own that emit the commands. A kernel does not depend on its position in
// a net or on other contents of local memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bmnet/lowering/tile.h"

namespace tputwin::net {

class TiledKernel {
 public:
  virtual ~TiledKernel() = default;

  // Returns the rows of an input that the output rows `rows` need.
  virtual Span input_rows(size_t input, Span rows) const {
    (void)input;
    return rows;
  }
  // Returns true if rows `held` of an input in local memory serve the tile of output rows `rows`.
  virtual bool accepts_rows(size_t input, Span rows, Span held) const {
    return input_rows(input, rows) == held;
  }
  virtual bool can_split_rows() const { return true; }
  // Returns true if output channels can be split, in multiples of the lanes. Every tile then reads
  // all input channels.
  virtual bool can_split_channels() const { return false; }
  // Returns true if the kernel has commands of the tensor engine only, so that transfers may run in
  // parallel.
  virtual bool is_compute_only() const { return true; }
  // Returns the input whose bytes the output may overwrite; -1 if there is none.
  virtual int in_place_input() const { return -1; }
  // Returns the scratch bytes per lane for a tile of the output.
  virtual int64_t scratch_bytes(const Extents& output) const {
    (void)output;
    return 0;
  }
  // Returns true if the scratch must be above the output (high bytes of its 16-bit intermediates).
  virtual bool is_scratch_above() const { return false; }

  std::string layer;  // for messages and `--explain`
  size_t op = 0;      // index in Network::ops
  std::vector<View> inputs;
  View output;
  std::vector<Weight> weights;
  bool do_relu = false;  // clamp the result
};

using KernelPtr = std::unique_ptr<TiledKernel>;

}  // namespace tputwin::net
