#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/bits.h"
#include "base/parallel.h"
#include "numerics/float_mode.h"
#include "ops/fast/gemm/conv2d_f32.h"
#include "ops/fast/scratch.h"
#include "ops/fast/window/planes.h"

namespace tputwin::fast {
namespace {

// Results of one row of the output plane that lie in a tile.
struct Segment {
  uint32_t column, y, x, count;
};

class PlaneConvolution {
 public:
  PlaneConvolution(const Conv2dBm1684& op, const Memory& memory, const TileKernel& kernel)
      : op_(op),
        memory_(memory),
        kernel_(kernel),
        plane_(op.window, op.in.shape, op.out.shape),
        // Planes of an odd number of cache lines do not crowd into the same sets of the cache.
        plane_floats_((ceil_div(plane_.floats(), uint64_t{16}) | 1) * 16),
        image_floats_(plane_floats_ * op.in.shape.c),
        blocks_(ceil_div(op.out.shape.c, kernel.rows)),
        tiles_(ceil_div(plane_.extent(), uint64_t{kernel.columns()})) {}

  bool fits() const {
    return image_floats_ <= kMaxCopiedFloats && uint64_t{op_.out.shape.c} * op_.weight.shape.n *
                                                        op_.weight.shape.h * op_.weight.shape.w <=
                                                    kMaxCopiedFloats;
  }

  void run() {
    prepare_terms();
    const uint32_t images = op_.in.shape.n;
    const auto group =
        static_cast<uint32_t>(std::clamp<uint64_t>(kCopiedFloats / image_floats_, 1, images));
    thread_local Scratch scratch;
    // a tile's last vector may read behind the last plane
    planes_ = scratch.take<float>(group * image_floats_ + kTilePitch);
    for (uint32_t first = 0; first < images; first += group)
      run_images(first, std::min(group, images - first));
  }

 private:
  void prepare_terms() {
    const ConvTerms terms(op_);
    chains_.count = 4;
    chains_.begin = terms.begin;
    for (const ConvTerms::Term& term : terms.terms)
      chains_.column_offset.push_back(
          static_cast<uint32_t>(term.channel * plane_floats_ + plane_.offset(term.kh, term.kw)));
    thread_local Scratch scratch;
    float* weights = scratch.take<float>(uint64_t{op_.out.shape.c} * chains_.terms());
    pack_weights(op_, memory_, terms, kernel_.rows, /*tight=*/true, weights);
    weights_ = weights;
  }

  void run_images(uint32_t first, uint32_t count) {
    const uint32_t channels = op_.in.shape.c;
    parallel_for(uint64_t{count} * channels, grain(plane_floats_), [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        plane_.lay_out(memory_.byte(op_.in, first + static_cast<uint32_t>(i / channels),
                                    static_cast<uint32_t>(i % channels), 0, 0),
                       op_.in.stride, 0.0f, planes_ + i * plane_floats_);
    });
    const uint64_t tile_terms = uint64_t{chains_.terms()} * kernel_.rows * kernel_.columns();
    parallel_for(count * tiles_ * blocks_, grain(tile_terms), [&](size_t begin, size_t end) {
      const ScopedFloatMode mode;
      for (size_t i = begin; i < end; ++i)
        run_tile(first, i / blocks_ / tiles_, i / blocks_ % tiles_, i % blocks_);
    });
  }

  void run_tile(uint32_t first_image, size_t image, uint64_t tile, size_t block) const {
    const uint64_t column = tile * kernel_.columns();
    const uint32_t n = first_image + static_cast<uint32_t>(image), oc = first_channel(block);
    std::array<Segment, kTilePitch> room;
    const std::span<const Segment> segments = segments_of(column, room);
    const Segment& last = segments.back();
    alignas(64) float sums[kMaxTileRows * kTilePitch], addends[kMaxTileRows * kTilePitch];
    float bias[kMaxTileRows];
    SumTile job{.row_factors = weights_ + oc * uint64_t{chains_.terms()},
                .column_factors = planes_ + image * image_floats_ + column,
                .sums = sums,
                .rows = channels(block),
                .vectors = ceil_div(last.column + last.count, kernel_.lanes)};
    if (op_.bias) job.row_bias = load_bias(oc, job.rows, bias);
    if (op_.accumulate) job.addends = load_old(n, oc, job, segments, addends);
    if (kernel_.run(chains_, job)) redo_nan(n, oc, job, segments);
    store(n, oc, job, segments);
  }

  std::span<const Segment> segments_of(uint64_t column,
                                       std::array<Segment, kTilePitch>& room) const {
    const uint32_t pitch = plane_.pitch(), width = op_.out.shape.w;
    const uint64_t end = std::min(column + kernel_.columns(), plane_.extent());
    size_t count = 0;
    for (uint64_t at = column; at < end;) {
      const auto y = static_cast<uint32_t>(at / pitch), x = static_cast<uint32_t>(at % pitch);
      if (x < width) {
        const auto results = static_cast<uint32_t>(std::min<uint64_t>(width - x, end - at));
        room[count++] = {static_cast<uint32_t>(at - column), y, x, results};
      }
      at += pitch - x;
    }
    // a tile of nothing but the columns between two rows
    if (count == 0) room[count++] = {0, 0, 0, 0};
    return {room.data(), count};
  }

  const float* load_bias(uint32_t oc, uint32_t rows, float* bias) const {
    for (uint32_t r = 0; r < rows; ++r) bias[r] = memory_.read_f32(*op_.bias, 0, oc + r, 0, 0);
    return bias;
  }

  const float* load_old(uint32_t n, uint32_t oc, const SumTile& job,
                        std::span<const Segment> segments, float* addends) const {
    std::fill_n(addends, job.rows * kTilePitch, 0.0f);
    for (uint32_t r = 0; r < job.rows; ++r)
      for (const Segment& s : segments)
        std::memcpy(addends + r * kTilePitch + s.column, memory_.byte(op_.out, n, oc + r, s.y, s.x),
                    s.count * sizeof(float));
    return addends;
  }

  void redo_nan(uint32_t n, uint32_t oc, const SumTile& job,
                std::span<const Segment> segments) const {
    for (uint32_t r = 0; r < job.rows; ++r)
      for (const Segment& s : segments)
        for (uint32_t i = 0; i < s.count; ++i) {
          float& sum = job.sums[r * kTilePitch + s.column + i];
          if (std::isnan(sum)) sum = result_at(op_, memory_, n, oc + r, s.y, s.x + i);
        }
  }

  void store(uint32_t n, uint32_t oc, const SumTile& job, std::span<const Segment> segments) const {
    for (uint32_t r = 0; r < job.rows; ++r)
      for (const Segment& s : segments)
        std::memcpy(memory_.byte(op_.out, n, oc + r, s.y, s.x),
                    job.sums + r * kTilePitch + s.column, s.count * sizeof(float));
  }

  uint32_t first_channel(size_t block) const { return static_cast<uint32_t>(block) * kernel_.rows; }
  uint32_t channels(size_t block) const {
    return std::min(kernel_.rows, op_.out.shape.c - first_channel(block));
  }
  static size_t grain(uint64_t work) { return std::max<uint64_t>(1, kTermsPerTask / (work + 1)); }

  const Conv2dBm1684& op_;
  const Memory& memory_;
  const TileKernel kernel_;
  const WindowPlane plane_;
  const uint64_t plane_floats_, image_floats_;
  const uint32_t blocks_;  // of output channels
  const uint64_t tiles_;   // of an image
  Chains chains_;
  const float* weights_ = nullptr;
  float* planes_ = nullptr;
};

}  // namespace

bool conv2d_by_planes(const Conv2dBm1684& op, const Memory& memory, const TileKernel& kernel) {
  PlaneConvolution convolution(op, memory, kernel);
  if (!convolution.fits()) return false;
  convolution.run();
  return true;
}

}  // namespace tputwin::fast
