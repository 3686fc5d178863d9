// The fp32 convolution by im2col, with output channels as columns: for planes that do not fill
// vectors.
#include <algorithm>

#include "base/bits.h"
#include "numerics/float32.h"
#include "ops/fast/gemm/conv2d_bm1684.h"

namespace tputwin::fast {
namespace {

class ChannelColumns {
 public:
  ChannelColumns(const Conv2dBm1684& op, const Memory& memory, const TileKernels& kernels)
      : op_(op),
        memory_(memory),
        kernels_(kernels),
        terms_(op),
        count_(static_cast<uint32_t>(terms_.terms.size())),
        places_(uint64_t{op.out.shape.n} * op.out.shape.h * op.out.shape.w),
        tile_columns_(std::min(kernels.columns(), align_up(op.out.shape.c, kernels.lanes))),
        tiles_(ceil_div(op.out.shape.c, tile_columns_)) {}

  bool fits() const { return uint64_t{count_} * tiles_ * tile_columns_ <= kMaxCopiedFloats; }

  void run() {
    for (const ConvTerms::Term& term : terms_.terms)
      channel_.push_back(memory_.byte(op_.in, 0, term.channel, 0, 0));
    for (uint32_t term = 0; term < count_; ++term) offsets_.push_back(term * tile_columns_);
    chains_ = terms_.chains;
    chains_.right_offset = offsets_.data();
    thread_local Scratch scratch;
    weights_ = scratch.take<float>(uint64_t{count_} * tiles_ * tile_columns_);
    pack_weights(op_, memory_, terms_, tile_columns_, /*tight=*/false, weights_);
    bias_.assign(tiles_ * tile_columns_, 0.0f);
    for (uint32_t oc = 0; op_.bias && oc < op_.out.shape.c; ++oc)
      bias_[oc] = memory_.read_f32(*op_.bias, 0, oc, 0, 0);
    const uint64_t block_terms = uint64_t{count_} * kernels_.rows;
    run_panels(
        ceil_div(places_, uint64_t{kernels_.rows}), block_terms, 1, tiles_,
        block_terms * tile_columns_,
        [&](uint64_t block, uint64_t, uint32_t* to) {
          gather(block, reinterpret_cast<float*>(to));
        },
        [&](uint64_t block, uint64_t tile, const uint32_t* from) { run_tile(block, from, tile); });
  }

 private:
  // The inputs of the places of a block: factors[term * rows + place].
  void gather(uint64_t block, float* factors) const {
    const Axis &h = op_.window.h, &w = op_.window.w;
    const Shape& in = op_.in.shape;
    const uint32_t rows = places(block);
    for (uint32_t r = 0; r < rows; ++r) {
      const Place p = place(block, r);
      const int64_t top = int64_t{p.y} * h.stride - h.pad_before;
      const int64_t left = int64_t{p.x} * w.stride - w.pad_before;
      const uint64_t image = uint64_t{p.n} * op_.in.stride.n;
      for (size_t i = 0; i < count_; ++i) {
        const ConvTerms::Term& term = terms_.terms[i];
        // negative ones are large
        const auto y = static_cast<uint64_t>(top + term.kh * int64_t{h.dilation});
        const auto x = static_cast<uint64_t>(left + term.kw * int64_t{w.dilation});
        factors[i * rows + r] = y < in.h && x < in.w
                                    ? Memory::load<float>(channel_[i] + image +
                                                          y * op_.in.stride.h + x * op_.in.stride.w)
                                    : 0.0f;
      }
    }
  }

  void run_tile(uint64_t block, const uint32_t* patches, size_t tile) const {
    const auto oc = static_cast<uint32_t>(tile) * tile_columns_;
    const uint32_t count = std::min(tile_columns_, op_.out.shape.c - oc), rows = places(block);
    TileRoom room;
    const auto for_results = [&](const auto& f) {
      for (uint32_t r = 0; r < rows; ++r) {
        const Place p = place(block, r);
        for (uint32_t i = 0; i < count; ++i) f(p, oc + i, r * kTilePitch + i);
      }
    };
    if (op_.accumulate)
      for_results([&](const Place& p, uint32_t c, size_t at) {
        room.second[at] = static_cast<uint32_t>(memory_.read(op_.out, p.n, c, p.y, p.x));
      });
    const bool any_nan = kernels_.chains(
        {.left = patches,
         .right =
             reinterpret_cast<const uint32_t*>(weights_ + tile * uint64_t{count_} * tile_columns_),
         .rows = rows,
         .vectors = ceil_div(count, kernels_.lanes),
         .sums = room.sums},
        chains_,
        {.column_bias = op_.bias ? bias_.data() + oc : nullptr,
         .addends = op_.accumulate ? room.second_as_floats() : nullptr});
    for_results([&](const Place& p, uint32_t c, size_t at) {
      float sum = f32::from_bits(room.sums[at]);
      if (any_nan && f32::is_nan(sum)) sum = result_at(op_, memory_, p.n, c, p.y, p.x);
      memory_.write_f32(op_.out, p.n, c, p.y, p.x, sum);
    });
  }

  Place place(uint64_t block, uint32_t row) const {
    return place_of(block * kernels_.rows + row, op_.out.shape);
  }
  uint32_t places(uint64_t block) const {
    return static_cast<uint32_t>(
        std::min<uint64_t>(kernels_.rows, places_ - block * kernels_.rows));
  }

  const Conv2dBm1684& op_;
  const Memory& memory_;
  const TileKernels kernels_;
  const ConvTerms terms_;
  const uint32_t count_;  // of terms
  const uint64_t places_;
  const uint32_t tile_columns_, tiles_;  // of output channels
  std::vector<uint32_t> offsets_;
  Chains chains_;
  std::vector<const uint8_t*> channel_;  // of every term
  std::vector<float> bias_;
  float* weights_ = nullptr;
};

}  // namespace

Declined conv2d_by_im2col(const Conv2dBm1684& op, const Memory& memory) {
  ChannelColumns convolution(op, memory, tile_kernels());
  if (!convolution.fits()) return kCopiesTooLarge;
  convolution.run();
  return kRan;
}

}  // namespace tputwin::fast
