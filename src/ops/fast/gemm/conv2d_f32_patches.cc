#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "base/parallel.h"
#include "numerics/float_mode.h"
#include "ops/fast/gemm/conv2d_f32.h"
#include "ops/fast/scratch.h"

namespace tputwin::fast {
namespace {

class PatchConvolution {
 public:
  PatchConvolution(const Conv2dBm1684& op, const Memory& memory, const TileKernel& kernel)
      : op_(op),
        memory_(memory),
        kernel_(kernel),
        places_(uint64_t{op.out.shape.n} * op.out.shape.h * op.out.shape.w),
        blocks_(ceil_div(places_, uint64_t{kernel.rows})),
        tile_columns_(std::min(kernel.columns(), align_up(op.out.shape.c, kernel.lanes))),
        tiles_(ceil_div(op.out.shape.c, tile_columns_)) {}

  bool fits() const {
    const Shape& w = op_.weight.shape;
    return uint64_t{w.n} * w.h * w.w * tiles_ * tile_columns_ <= kMaxCopiedFloats;
  }

  void run() {
    const ConvTerms terms(op_);
    prepare_weights(terms);
    prepare_channels(terms);
    const uint64_t block_floats = uint64_t{chains_.terms()} * kernel_.rows;
    const uint64_t group = std::clamp<uint64_t>(kCopiedFloats / block_floats, 1, blocks_);
    thread_local Scratch scratch;
    patches_ = scratch.take<float>(group * block_floats);
    for (uint64_t first = 0; first < blocks_; first += group)
      run_blocks(terms, first, std::min(group, blocks_ - first));
  }

 private:
  struct Place {
    uint32_t n, y, x;
  };

  void prepare_weights(const ConvTerms& terms) {
    chains_.count = 4;
    chains_.begin = terms.begin;
    for (uint32_t term = 0; term < chains_.terms(); ++term)
      chains_.column_offset.push_back(term * tile_columns_);
    thread_local Scratch scratch;
    weights_ = scratch.take<float>(uint64_t{chains_.terms()} * tiles_ * tile_columns_);
    bias_.assign(tiles_ * tile_columns_, 0.0f);
    pack_weights(op_, memory_, terms, tile_columns_, /*tight=*/false, weights_);
    if (op_.bias)
      for (uint32_t oc = 0; oc < op_.out.shape.c; ++oc)
        bias_[oc] = memory_.read_f32(*op_.bias, 0, oc, 0, 0);
  }

  void prepare_channels(const ConvTerms& terms) {
    for (const ConvTerms::Term& term : terms.terms)
      channel_.push_back(memory_.byte(op_.in, 0, term.channel, 0, 0));
  }

  void run_blocks(const ConvTerms& terms, uint64_t first, uint64_t count) {
    const uint64_t block_terms = uint64_t{chains_.terms()} * kernel_.rows;
    parallel_for(count, grain(block_terms), [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) gather(terms, first + i, patches_ + i * block_terms);
    });
    parallel_for(count * tiles_, grain(block_terms * tile_columns_), [&](size_t begin, size_t end) {
      const ScopedFloatMode mode;
      for (size_t i = begin; i < end; ++i)
        run_tile(first + i / tiles_, patches_ + i / tiles_ * block_terms, i % tiles_);
    });
  }

  // The inputs of the places of a block: factors[term * rows + place].
  void gather(const ConvTerms& terms, uint64_t block, float* factors) const {
    const Axis &h = op_.window.h, &w = op_.window.w;
    const Shape& in = op_.in.shape;
    const uint32_t rows = places(block);
    for (uint32_t r = 0; r < rows; ++r) {
      const Place p = place(block, r);
      const int64_t top = int64_t{p.y} * h.stride - h.pad_before;
      const int64_t left = int64_t{p.x} * w.stride - w.pad_before;
      const uint64_t image = uint64_t{p.n} * op_.in.stride.n;
      for (size_t i = 0; i < terms.terms.size(); ++i) {
        // negative ones are large
        const uint64_t y = static_cast<uint64_t>(top + terms.terms[i].kh * int64_t{h.dilation});
        const uint64_t x = static_cast<uint64_t>(left + terms.terms[i].kw * int64_t{w.dilation});
        factors[i * rows + r] = y < in.h && x < in.w
                                    ? Memory::load<float>(channel_[i] + image +
                                                          y * op_.in.stride.h + x * op_.in.stride.w)
                                    : 0.0f;
      }
    }
  }

  void run_tile(uint64_t block, const float* patches, size_t tile) const {
    const uint32_t oc = first_channel(tile), count = channels(tile);
    alignas(64) float sums[kMaxTileRows * kTilePitch], addends[kMaxTileRows * kTilePitch];
    SumTile job{.row_factors = patches,
                .column_factors = weights_ + tile * uint64_t{chains_.terms()} * tile_columns_,
                .sums = sums,
                .rows = places(block),
                .vectors = ceil_div(count, kernel_.lanes)};
    if (op_.bias) job.column_bias = bias_.data() + oc;
    if (op_.accumulate) job.addends = load_old(block, oc, count, job.rows, addends);
    const bool any_nan = kernel_.run(chains_, job);
    for (uint32_t r = 0; r < job.rows; ++r) {
      const Place p = place(block, r);
      for (uint32_t i = 0; i < count; ++i) {
        float sum = sums[r * kTilePitch + i];
        if (any_nan && std::isnan(sum)) sum = result_at(op_, memory_, p.n, oc + i, p.y, p.x);
        memory_.write_f32(op_.out, p.n, oc + i, p.y, p.x, sum);
      }
    }
  }

  const float* load_old(uint64_t block, uint32_t oc, uint32_t count, uint32_t rows,
                        float* addends) const {
    std::fill_n(addends, rows * kTilePitch, 0.0f);
    for (uint32_t r = 0; r < rows; ++r) {
      const Place p = place(block, r);
      for (uint32_t i = 0; i < count; ++i)
        addends[r * kTilePitch + i] = memory_.read_f32(op_.out, p.n, oc + i, p.y, p.x);
    }
    return addends;
  }

  Place place(uint64_t block, uint32_t row) const {
    const uint64_t i = block * kernel_.rows + row,
                   plane = uint64_t{op_.out.shape.h} * op_.out.shape.w;
    return {static_cast<uint32_t>(i / plane), static_cast<uint32_t>(i % plane / op_.out.shape.w),
            static_cast<uint32_t>(i % op_.out.shape.w)};
  }
  uint32_t places(uint64_t block) const {
    return static_cast<uint32_t>(std::min<uint64_t>(kernel_.rows, places_ - block * kernel_.rows));
  }
  uint32_t first_channel(size_t tile) const { return static_cast<uint32_t>(tile) * tile_columns_; }
  uint32_t channels(size_t tile) const {
    return std::min(tile_columns_, op_.out.shape.c - first_channel(tile));
  }
  static size_t grain(uint64_t work) { return std::max<uint64_t>(1, kTermsPerTask / (work + 1)); }

  const Conv2dBm1684& op_;
  const Memory& memory_;
  const TileKernel kernel_;
  const uint64_t places_, blocks_;
  const uint32_t tile_columns_, tiles_;  // of output channels
  Chains chains_;
  std::vector<const uint8_t*> channel_;  // of every term
  std::vector<float> bias_;
  float* weights_ = nullptr;
  float* patches_ = nullptr;
};

}  // namespace

bool conv2d_by_patches(const Conv2dBm1684& op, const Memory& memory, const TileKernel& kernel) {
  PatchConvolution convolution(op, memory, kernel);
  if (!convolution.fits()) return false;
  convolution.run();
  return true;
}

}  // namespace tputwin::fast
