// Runs convolutions over all input channels on the fast kernels. Inputs become planes of 32-bit
// cells (window/planes.h), in which the cells under a tap of neighbouring results are contiguous.
// Tiles (tiles.h) go over them: columns are positions of the output planes of all images, rows are
// output channels.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "memory/memory.h"
#include "ops/contract/window.h"
#include "ops/fast/gemm/epilogue/sum_epilogue.h"
#include "ops/fast/gemm/run/tile_buffers.h"
#include "ops/fast/scratch.h"
#include "ops/fast/select/body.h"

namespace tputwin::fast {

// The offsets of each tap's factors in the planes of a cell, and the distance between the planes of
// two cells.
struct PlaneTerms {
  size_t pitch = 0;
  std::vector<uint32_t> tap_offset;
};

// The packed operands that may stay unchanged from run to run.
struct PlaneConstants {
  Scratch weights;  // in panels of output channels
  // one per output channel, defined by the source
  std::vector<uint32_t> starts;
  // one per output channel, if the source fused any
  std::vector<SumEpilogue::Channel> epilogues;
  // one per block of channels, if the source makes bytes
  std::vector<RowScales> scales;
  ExponentRange exponents;  // range of the weights, if needed
  // codes of the weights, in their order, if the source needs them
  Scratch codes;
};

// The part of a convolution that depends on its kind of operands.
class PlaneSource {
 public:
  explicit PlaneSource(const Memory& memory) : memory_(memory) {}
  virtual ~PlaneSource() = default;

  // Sets the constants that pack_rows() fills and that all later calls read.
  virtual void use(PlaneConstants& constants) { constants_ = &constants; }
  // Sets the function that writes constants back to their operands, if memory does not hold them.
  void restore_by(std::function<void()> restore) { restore_ = std::move(restore); }

  // Returns the number of cells that hold the input channels.
  virtual uint32_t cells() const = 0;
  // Reads all elements of some rows of an image's cell. May write kTilePitch uint32 values too
  // many.
  virtual void read_rows(uint32_t n, uint32_t cell, uint32_t y, uint32_t rows,
                         uint32_t* to) const = 0;
  // Returns the address of a cell's plane if memory holds it as 32-bit values with the input's
  // strides.
  virtual const uint8_t* words(uint32_t, uint32_t) const { return nullptr; }
  // Cells whose numbers are equal modulo this are contiguous in memory. 0 if no cells are.
  virtual uint32_t cells_apart() const { return 0; }
  virtual uint32_t padding(uint32_t) const { return 0; }
  virtual uint32_t insertion(uint32_t) const { return 0; }

  // Number of cells of weights of an output channel, in the order in which kernels read them.
  // Several channels are read at a time.
  virtual uint32_t terms() const = 0;
  virtual void read_weights(uint32_t oc, uint32_t* to) = 0;
  // Packs the weights of `count` output channels from `oc` on: cell number term * step + channel.
  virtual void pack_rows(uint32_t oc, uint32_t count, uint32_t step, uint8_t* to);
  // Bytes of a packed weight. Weights narrower than cells are packed as they are, and widened
  // before a tile reads them.
  virtual uint32_t weight_bytes() const { return sizeof(uint32_t); }
  virtual void widen_weights(const uint8_t*, size_t /*count*/, uint32_t* /*to*/) const {}
  // Packs all weights in panels of `rows` output channels. Returns false if they must be read one
  // by one.
  virtual bool pack_weights(uint32_t /*rows*/, uint32_t* /*to*/) const { return false; }
  // Step in blocks between the panels that are packed together, because their weights are
  // contiguous. 0 means that the source has no pack_panels(). pack_panels() packs the panel of
  // `block` and all that follow it at this step, each `panel_words` after the one before.
  virtual uint32_t blocks_apart(uint32_t /*rows*/) const { return 0; }
  virtual void pack_panels(uint32_t /*block*/, uint32_t /*rows*/, uint64_t /*panel_words*/,
                           uint32_t* /*to*/) const {}
  // Returns true if tiles have as many rows as the kernels, with factors 0 after the last row.
  virtual bool has_whole_rows() const { return false; }

  // Returns true if each thread may lay out a part of the planes for itself. Requires that
  // laid_out() does nothing, and that words() returns the source of the planes.
  virtual bool allows_bands() const { return false; }
  // Number of vectors of a tile with so many rows.
  virtual uint32_t vectors(const TileKernels& kernels, uint32_t /*rows*/) const {
    return kernels.vectors;
  }

  // Called once, before every other function.
  virtual void prepare(const PlaneTerms& terms) = 0;
  // Called before the rows of a run are read.
  virtual void begin() { is_restored_ = false; }
  // Called when all planes are laid out, each PlaneTerms::pitch uint32 cells after the one before.
  virtual void laid_out(uint32_t* /*planes*/) {}
  // Results of one row of an output plane, and their accumulators.
  struct Results {
    uint32_t n, oc, y, x, count;
    uint32_t *first, *second;
  };
  virtual void start(const Results& results) const = 0;
  // Runs a tile of the output channels from `oc` on. Returns true if a result may differ from that
  // of the reference kernel.
  virtual bool run(const TileKernels& kernels, const Tile& tile, const TileRoom& room,
                   uint32_t oc) const = 0;
  virtual void store(const Results& results, bool in_doubt) const = 0;
  // Sources whose tiles convert results to bytes at once have the following instead of start(),
  // run() and store(). run_to_bytes() runs a tile of output channels from `oc` on and writes column
  // c of row r to rows[r][c].
  virtual bool makes_bytes() const { return false; }
  virtual void run_to_bytes(const TileKernels&, const Tile&, size_t /*columns*/, uint32_t /*oc*/,
                            uint8_t* const* /*rows*/) const {}
  // Returns true if sums of `rows` channels are live-out in local memory. `results` are those of
  // the first channel. leave_sums() writes the sums of one channel.
  virtual bool leaves_sums(const Results& /*results*/, uint32_t /*rows*/) const { return false; }
  virtual void leave_sums(const Results& /*results*/) const {}
  // Returns the tensor of the results. copy_to() sets a second tensor that receives a copy.
  virtual const TensorView& out() const = 0;
  uint8_t* result(uint32_t n, uint32_t oc, uint32_t y, uint32_t x) const {
    return memory_.byte(out(), n, oc, y, x);
  }
  void copy_to(const TensorView& view) { copy_ = view; }
  bool copies() const { return copy_.has_value(); }
  void copy(uint32_t n, uint32_t oc, uint32_t y, uint32_t x, uint32_t count) const {
    if (copy_)
      std::memcpy(memory_.byte(*copy_, n, oc, y, x), result(n, oc, y, x),
                  size_t{count} * run_bytes(*copy_));
  }

 protected:
  // Must be called before a result is computed from the operands themselves.
  void restore_constants() const {
    std::lock_guard lock(mutex_);
    if (restore_ && !is_restored_) restore_();
    is_restored_ = true;
  }
  const Memory& memory_;
  PlaneConstants* constants_ = nullptr;

 private:
  std::optional<TensorView> copy_;
  std::function<void()> restore_;
  mutable std::mutex mutex_;
  mutable bool is_restored_ = false;
};

// A convolution whose constants may be packed once for many runs.
class PlaneConvolution {
 public:
  virtual ~PlaneConvolution() = default;
  virtual void pack(PlaneConstants& constants) = 0;
  virtual void run(PlaneConstants& constants) = 0;
};
// Returns nullptr if convolve() would decline. The arguments must outlive the result.
std::unique_ptr<PlaneConvolution> prepare_convolution(PlaneSource& source, const Window& window,
                                                      const TensorView& in, const Shape& out);

// Runs the convolution. Declines windows that are not laid out and copies that would be too large.
Declined convolve(PlaneSource& source, const Window& window, const TensorView& in,
                  const Shape& out);

// Returns a 1x1 convolution of whole planes as one of single long rows, so that results are
// contiguous.
template <class Op>
Op with_long_rows(Op op) {
  const Axis point;
  auto is_whole = [](const TensorView& v) {
    return v.stride.w == run_bytes(v) && v.stride.h == v.shape.w * v.stride.w;
  };
  if (op.window.h != point || op.window.w != point || !is_whole(op.in) || !is_whole(op.out) ||
      op.in.shape.h != op.out.shape.h)
    return op;
  for (TensorView* view : {&op.in, &op.out}) {
    view->shape.w *= view->shape.h;
    view->shape.h = 1;
  }
  return op;
}

}  // namespace tputwin::fast
