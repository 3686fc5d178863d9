// How fast bodies run convolutions over all input channels: inputs become planes of 32-bit cells
// (window/planes.h), in which the cells under a tap of neighbouring results lie side by side, and
// tiles (tiles.h) go over them, columns being places of the output planes of all images, rows
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
#include "ops/fast/gemm/panels.h"
#include "ops/fast/gemm/sum_endings.h"
#include "ops/fast/scratch.h"
#include "ops/fast/select/body.h"

namespace tputwin::fast {

// Where the factors of a tap begin in the planes of a cell, and how far cells are apart.
struct PlaneTerms {
  size_t pitch = 0;
  std::vector<uint32_t> tap_offset;
};

// What is packed of operands that may stay the same from run to run.
struct PlaneConstants {
  Scratch weights;                          // in panels of output channels
  std::vector<uint32_t> starts;             // of every output channel, as its source says
  std::vector<SumEndings::Ending> endings;  // the same, of sources that took some over
  std::vector<RowScales> scales;            // of each block of them, of sources that make bytes
  ExponentRange exponents;                  // of the weights, of sources that ask for them
  Scratch codes;                            // of the weights, in their order, of such sources
};

// What a kind of convolution brings along.
class PlaneSource {
 public:
  explicit PlaneSource(const Memory& memory) : memory_(memory) {}
  virtual ~PlaneSource() = default;

  // What pack_rows() fills and all that follows reads.
  virtual void use(PlaneConstants& constants) { constants_ = &constants; }
  // How constants come back to their operands, if they are not there.
  void restore_by(std::function<void()> restore) { restore_ = std::move(restore); }

  // Input channels by number of cells.
  virtual uint32_t cells() const = 0;
  // All elements of rows of an image's cell; may write kTilePitch words too many.
  virtual void read_rows(uint32_t n, uint32_t cell, uint32_t y, uint32_t rows,
                         uint32_t* to) const = 0;
  // Where they lie in memory if they are words there, with the strides of the input.
  virtual const uint8_t* words(uint32_t, uint32_t) const { return nullptr; }
  // Cells that lie side by side there: those of equal numbers modulo this. 0: none do.
  virtual uint32_t cells_apart() const { return 0; }
  virtual uint32_t padding(uint32_t) const { return 0; }
  virtual uint32_t insertion(uint32_t) const { return 0; }

  // Cells of weights of an output channel, in the order in which kernels take them. Several
  // channels are read at a time.
  virtual uint32_t terms() const = 0;
  virtual void read_weights(uint32_t oc, uint32_t* to) = 0;
  // Of `count` output channels from `oc` on, side by side: number term * step + channel.
  virtual void pack_rows(uint32_t oc, uint32_t count, uint32_t step, uint8_t* to);
  // Narrower numbers than cells are packed as they are, and widened before a tile reads them.
  virtual uint32_t weight_bytes() const { return sizeof(uint32_t); }
  virtual void widen_weights(const uint8_t*, size_t /*count*/, uint32_t* /*to*/) const {}
  // All of them at once, in panels of `rows` output channels; false: they are read one by one.
  virtual bool pack_weights(uint32_t /*rows*/, uint32_t* /*to*/) const { return false; }
  // Panels that are packed together because their weights lie so: those of each so many blocks. 0:
  // the source has no pack_panels(), which packs those of `block` and of all that follow so, each
  // `panel_words` behind the one before.
  virtual uint32_t blocks_apart(uint32_t /*rows*/) const { return 0; }
  virtual void pack_panels(uint32_t /*block*/, uint32_t /*rows*/, uint64_t /*panel_words*/,
                           uint32_t* /*to*/) const {}
  // Whether tiles always have as many rows as the kernels', with factors 0 after the last one.
  virtual bool has_whole_rows() const { return false; }

  // Whether parts of planes may be laid out at a time, by threads for themselves: nothing is done
  // when all are, and words() says where they come from.
  virtual bool allows_bands() const { return false; }
  // Of tiles that have so many.
  virtual uint32_t vectors(const TileKernels& kernels, uint32_t /*rows*/) const {
    return kernels.vectors;
  }

  // Once, before everything else.
  virtual void prepare(const PlaneTerms& terms) = 0;
  // Before the rows of a run are read.
  virtual void begin() { is_restored_ = false; }
  // Once all planes are laid out, each `pitch` words of PlaneTerms.
  virtual void laid_out(uint32_t* /*planes*/) {}
  // Results of one row of an output plane, and their accumulators.
  struct Results {
    uint32_t n, oc, y, x, count;
    uint32_t *first, *second;
  };
  virtual void start(const Results& results) const = 0;
  // A tile of the output channels from `oc` on; true if a result may differ from that of the
  // reference body.
  virtual bool run(const TileKernels& kernels, const Tile& tile, const TileRoom& room,
                   uint32_t oc) const = 0;
  virtual void store(const Results& results, bool in_doubt) const = 0;
  // Tiles whose results become bytes at once have these instead of start(), run() and store(). A
  // tile of output channels from `oc` on: column c of row r to rows[r][c].
  virtual bool makes_bytes() const { return false; }
  virtual void run_to_bytes(const TileKernels&, const Tile&, size_t /*columns*/, uint32_t /*oc*/,
                            uint8_t* const* /*rows*/) const {}
  // Whether sums of `rows` such channels have to lie in lanes besides, of the first channel's
  // `results` and the same of the others; those of one channel are written.
  virtual bool leaves_sums(const Results& /*results*/, uint32_t /*rows*/) const { return false; }
  virtual void leave_sums(const Results& /*results*/) const {}
  // Where results go, and where they are copied to besides, if anywhere.
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
  // Before a result is computed from the operands themselves.
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
// nullptr: convolve() would decline. What it is given outlives it.
std::unique_ptr<PlaneConvolution> prepare_convolution(PlaneSource& source, const Window& window,
                                                      const TensorView& in, const Shape& out);

// Declines windows that are not laid out and copies that would be too large.
Declined convolve(PlaneSource& source, const Window& window, const TensorView& in,
                  const Shape& out);

// A 1x1 convolution of whole planes as one of single long rows, whose results lie together.
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
