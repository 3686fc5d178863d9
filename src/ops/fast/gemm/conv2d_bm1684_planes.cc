// The fp32 convolution by planes.
#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "numerics/float32.h"
#include "ops/fast/gemm/conv2d_bm1684.h"
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
  PlaneConvolution(const Conv2dBm1684& op, const Memory& memory, const TileKernels& kernels)
      : op_(op),
        memory_(memory),
        kernels_(kernels),
        plane_(op.window, op.in.shape, op.out.shape),
        // Planes of an odd number of cache lines do not crowd into the same sets of the cache.
        plane_floats_((ceil_div(plane_.floats(), uint64_t{16}) | 1) * 16),
        image_floats_(plane_floats_ * op.in.shape.c),
        blocks_(ceil_div(op.out.shape.c, kernels.rows)),
        tiles_(ceil_div(plane_.extent(), uint64_t{kernels.columns()})) {}

  bool fits() const {
    return image_floats_ <= kMaxCopiedFloats && uint64_t{op_.out.shape.c} * op_.weight.shape.n *
                                                        op_.weight.shape.h * op_.weight.shape.w <=
                                                    kMaxCopiedFloats;
  }

  void run() {
    prepare_terms();
    const uint64_t tile_terms = uint64_t{terms_} * kernels_.rows * kernels_.columns();
    // The planes of an image are a panel: its tiles and blocks share it.
    run_panels(
        op_.in.shape.n, image_floats_, op_.in.shape.c, tiles_ * blocks_, tile_terms,
        [&](uint64_t image, uint64_t c, uint32_t* to) {
          const uint8_t* first =
              memory_.byte(op_.in, static_cast<uint32_t>(image), static_cast<uint32_t>(c), 0, 0);
          plane_.lay_out(first, op_.in.stride, 0.0f,
                         reinterpret_cast<float*>(to) + c * plane_floats_);
        },
        [&](uint64_t image, uint64_t other, const uint32_t* planes) {
          run_tile(static_cast<uint32_t>(image), planes, other / blocks_, other % blocks_);
        });
  }

 private:
  void prepare_terms() {
    const ConvTerms terms(op_);
    terms_ = static_cast<uint32_t>(terms.terms.size());
    for (const ConvTerms::Term& term : terms.terms)
      offsets_.push_back(
          static_cast<uint32_t>(term.channel * plane_floats_ + plane_.offset(term.kh, term.kw)));
    chains_ = terms.chains;
    chains_.right_offset = offsets_.data();
    thread_local Scratch scratch;
    float* weights = scratch.take<float>(uint64_t{op_.out.shape.c} * terms_);
    pack_weights(op_, memory_, terms, kernels_.rows, /*tight=*/true, weights);
    weights_ = weights;
  }

  void run_tile(uint32_t n, const uint32_t* planes, uint64_t tile, size_t block) const {
    const uint64_t column = tile * kernels_.columns();
    const uint32_t oc = first_channel(block), rows = channels(block);
    std::array<Segment, kTilePitch> room;
    const std::span<const Segment> segments = segments_of(column, room);
    const Segment& last = segments.back();
    TileRoom results;
    float bias[kMaxTileRows];
    const Tile job{.left = reinterpret_cast<const uint32_t*>(weights_ + oc * uint64_t{terms_}),
                   .right = planes + column,
                   .rows = rows,
                   .vectors = ceil_div(last.column + last.count, kernels_.lanes),
                   .sums = results.sums};
    for (uint32_t r = 0; op_.bias && r < rows; ++r)
      bias[r] = memory_.read_f32(*op_.bias, 0, oc + r, 0, 0);
    const auto for_segments = [&](uint32_t* cells, const auto& copy) {
      for (uint32_t r = 0; r < rows; ++r)
        for (const Segment& s : segments)
          copy(memory_.byte(op_.out, n, oc + r, s.y, s.x), cells + r * kTilePitch + s.column,
               s.count * sizeof(float));
    };
    if (op_.accumulate)
      for_segments(results.second, [](const uint8_t* out, uint32_t* cells, size_t bytes) {
        std::memcpy(cells, out, bytes);
      });
    const bool any_nan =
        kernels_.chains(job, chains_,
                        {.row_bias = op_.bias ? bias : nullptr,
                         .addends = op_.accumulate ? results.second_as_floats() : nullptr});
    if (any_nan) redo_nan(n, oc, job, segments);
    for_segments(results.sums, [](uint8_t* out, const uint32_t* cells, size_t bytes) {
      std::memcpy(out, cells, bytes);
    });
  }

  std::span<const Segment> segments_of(uint64_t column,
                                       std::array<Segment, kTilePitch>& room) const {
    const uint32_t pitch = plane_.pitch(), width = op_.out.shape.w;
    const uint64_t end = std::min(column + kernels_.columns(), plane_.extent());
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

  void redo_nan(uint32_t n, uint32_t oc, const Tile& job, std::span<const Segment> segments) const {
    for (uint32_t r = 0; r < job.rows; ++r)
      for (const Segment& s : segments)
        for (uint32_t i = 0; i < s.count; ++i) {
          uint32_t& sum = job.sums[r * kTilePitch + s.column + i];
          if (f32::is_nan(f32::from_bits(sum)))
            sum = f32::bits(result_at(op_, memory_, n, oc + r, s.y, s.x + i));
        }
  }

  uint32_t first_channel(size_t block) const {
    return static_cast<uint32_t>(block) * kernels_.rows;
  }
  uint32_t channels(size_t block) const {
    return std::min(kernels_.rows, op_.out.shape.c - first_channel(block));
  }

  const Conv2dBm1684& op_;
  const Memory& memory_;
  const TileKernels kernels_;
  const WindowPlane plane_;
  const uint64_t plane_floats_, image_floats_;
  const uint32_t blocks_;  // of output channels
  const uint64_t tiles_;   // of an image
  uint32_t terms_ = 0;
  std::vector<uint32_t> offsets_;
  Chains chains_;
  const float* weights_ = nullptr;
};

}  // namespace

Declined conv2d_by_planes(const Conv2dBm1684& op, const Memory& memory) {
  PlaneConvolution convolution(op, memory, tile_kernels());
  if (!convolution.fits()) return kCopiesTooLarge;
  convolution.run();
  return kRan;
}

}  // namespace tputwin::fast
