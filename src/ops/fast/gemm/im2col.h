// How fast bodies run the convolutions of the BM1684X: inputs become 32-bit cells, the cells under
// every tap are copied side by side for a block of places (im2col), and tiles (tiles.h) go over
// them.
#pragma once

#include <vector>

#include "ops/contract/source.h"
#include "ops/contract/window.h"
#include "ops/fast/gemm/panels.h"
#include "ops/fast/select/body.h"

namespace tputwin::fast {

// The terms as kernels take them: of each where it starts in a panel of places.
struct Im2colTerms {
  size_t pitch, channels, taps;
  std::vector<uint32_t> right_offset;
};

// What a kind of convolution brings along.
class Im2colSource {
 public:
  virtual ~Im2colSource() = default;
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
    const Place* places;
    uint32_t *first, *second;
  };
  virtual void start(const Results& results) const = 0;
  // Whether tiles always have as many rows as the kernels', with factors 0 after the last one.
  virtual bool has_whole_rows() const = 0;
  // True if a result may differ from that of the reference body.
  virtual bool run(const TileKernels& kernels, const Tile& tile, const Im2colTerms& terms,
                   const TileRoom& room) const = 0;
  virtual void store(const Results& results, bool in_doubt) const = 0;
};

// Declines if the copies would be too large.
Declined convolve(const Im2colSource& source, const Window& window, const Shape& in,
                  const Shape& out);

}  // namespace tputwin::fast
