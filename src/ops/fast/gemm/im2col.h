// How fast bodies run the convolutions of the BM1684X: inputs become 32-bit cells, the cells under
// every tap are copied side by side for a block of places, and tiles (patch_tile.h) go over them.
#pragma once

#include <vector>

#include "ops/contract/source.h"
#include "ops/contract/window.h"
#include "ops/fast/gemm/patch_tile.h"

namespace tputwin::fast {

struct PatchPlace {
  uint32_t n, y, x;
};

// What a kind of convolution brings along.
class PatchSource {
 public:
  virtual ~PatchSource() = default;
  // Input channels by number of cells; all elements of an image's channel(s) as cells.
  virtual uint32_t cells() const = 0;
  virtual void lay_out(uint32_t n, uint32_t cell, uint32_t* to) const = 0;
  virtual uint32_t padding(uint32_t cell) const = 0;
  virtual uint32_t insertion(uint32_t cell) const = 0;
  // The terms of a result in their order.
  struct Term {
    uint32_t cell, tap;
  };
  virtual std::vector<Term> terms() const = 0;
  // Factors of one output channel: to[term * step].
  virtual void pack_weights(uint32_t oc, uint32_t* to, size_t step) const = 0;
  // Starts of the accumulators of `count` results of an output channel.
  struct Results {
    uint32_t oc;
    uint32_t count;
    const PatchPlace* places;
    uint32_t *first, *second;
  };
  virtual void start(const Results& results) const = 0;
  // Whether tiles always have as many rows as the kernels', with factors 0 after the last one.
  virtual bool has_whole_rows() const = 0;
  // True if a result may differ from that of the reference body.
  virtual bool run(const PatchKernels& kernels, const PatchTile& tile) const = 0;
  virtual void store(const Results& results, bool in_doubt) const = 0;
};

// False if the copies would be too large.
bool convolve(const PatchSource& source, const Window& window, const Shape& in, const Shape& out);

// Whether a view's elements lie in local memory, surely apart from those of `out`.
bool patch_operand(const TensorView& view, const TensorView& out, const LocalMemory& local);
inline bool patch_operand(const Source& source, const TensorView& out, const LocalMemory& local) {
  return source.is_constant || patch_operand(source.view, out, local);
}
// Whether the result's elements lie in local memory and have bytes of their own.
bool patch_result(const TensorView& out, const LocalMemory& local);

}  // namespace tputwin::fast
