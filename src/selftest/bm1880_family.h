// Base of the BM1880 families: shapes, strides, and positions in lanes and global memory.
#pragma once

#include <algorithm>
#include <vector>

#include "base/bits.h"
#include "memory/layout.h"
#include "selftest/family.h"

namespace tputwin::testing {

constexpr uint64_t kMaxWork = 100000;  // products of an operation

// Assigns addresses to views, one after the other in lanes and global memory, with random gaps.
class Placer {
 public:
  Placer(Rng& rng, const Chip& chip) : rng_(rng), chip_(chip) {
    local_ = rng.pick<uint64_t>({0, 0, 16, 32, 4096, 8192, 8192 - 32, 16384, 40000 & ~15u});
    global_ = rng.below(5000);
  }

  // `quantum` is 16 for aligned operands, 1 for byte-addressed ones.
  void place(TensorView& view, uint32_t quantum, uint32_t lane = 0) {
    if (view.space == Space::global) {
      view.address = global_ + rng_.below(40);
      global_ = view.address + global_span(view);
      return;
    }
    local_ = align_up(local_ + rng_.pick({0u, 0u, 1u, 16u, 100u}), quantum);
    view.address = uint64_t{lane} * chip_.lane_bytes + local_;
    local_ += local_span(view);
    placed_.push_back(&view);
  }
  // Returns lane 0 in most cases.
  uint32_t any_lane() { return rng_.chance(1, 4) ? rng_.range(0, chip_.lanes - 1) : 0; }

  // Sometimes moves all operands in local memory to the end of the lanes.
  void finish() {
    if (local_ >= chip_.lane_bytes || !rng_.chance(1, 6)) return;
    uint64_t shift = (chip_.lane_bytes - local_) / chip_.eu_bytes * chip_.eu_bytes;
    for (TensorView* view : placed_) view->address += shift;
  }

  // Returns the bytes from the first to after the last one in a lane. The lane is chosen later, so
  // the span includes one more round of channels.
  uint64_t local_span(const TensorView& v) const {
    return span(v, (v.shape.c + chip_.lanes - 2) / chip_.lanes + 1);
  }

 private:
  static uint64_t span(const TensorView& v, uint64_t channel_steps) {
    return (v.shape.n - 1) * uint64_t{v.stride.n} + (channel_steps - 1) * v.stride.c +
           (v.shape.h - 1) * uint64_t{v.stride.h} + (v.shape.w - 1) * uint64_t{v.stride.w} + 1 +
           v.plane_stride;
  }
  static uint64_t global_span(const TensorView& v) { return span(v, v.shape.c); }

  Rng& rng_;
  const Chip& chip_;
  uint64_t local_ = 0, global_ = 0;
  std::vector<TensorView*> placed_;
};

class Bm1880Family {
 protected:
  Bm1880Family(Rng& rng, const Chip& chip) : rng_(rng), chip_(chip), placer_(rng, chip) {}

  uint32_t channels() {
    return rng_.chance(1, 3) ? rng_.range(1, 9)
                             : rng_.pick({1u, 3u, 16u, 31u, 32u, 33u, 40u, 63u, 64u, 65u, 100u});
  }
  Shape shape(uint64_t max_count) {
    for (;;) {
      Shape s{rng_.chance(2, 3) ? 1 : rng_.range(2, 4), channels(), rng_.range(1, 20),
              rng_.range(1, 24)};
      if (rng_.chance(1, 8)) s.h = 1, s.w = rng_.range(1, 1024);
      if (rng_.chance(1, 16)) s.w = 1, s.h = rng_.range(1, 1024);
      if (s.count() <= max_count) return s;
    }
  }
  DType eight() { return rng_.coin() ? DType::i8 : DType::u8; }
  uint32_t rshift() { return rng_.chance(1, 6) ? rng_.range(0, 31) : rng_.range(0, 12); }

  TensorView tensor(const Shape& s, DType dtype, bool aligned) {
    return local_tensor(chip_, 0, s, aligned, dtype);
  }
  // Gives a 16-bit view its high plane, after the low one.
  void add_plane(TensorView& view) {
    view.plane_stride = 0;
    view.plane_stride = placer_.local_span(view) + rng_.pick({0u, 1u, 16u, 300u});
  }
  Stride random_stride(const Shape& s, bool local) {
    Stride stride;
    stride.h = s.w + (rng_.coin() ? 0 : rng_.range(0, 7));
    stride.c = stride.h * s.h + (rng_.coin() ? 0 : rng_.range(0, 20));
    if (local && rng_.coin()) stride.c = align_up(stride.c, chip_.eu_bytes);
    uint32_t rounds = local ? ceil_div(s.c, chip_.lanes) : s.c;
    stride.n = stride.c * rounds + (rng_.coin() ? 0 : rng_.range(0, 40));
    if (rng_.chance(1, 8)) stride.n += stride.c;  // one more round over all lanes
    return stride;
  }

  Rng& rng_;
  const Chip& chip_;
  Placer placer_;
};

}  // namespace tputwin::testing
