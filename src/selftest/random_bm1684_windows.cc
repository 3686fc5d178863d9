// Random fp32 convolutions, depthwise convolutions, pools and matrix products of the BM1684.
#include <algorithm>

#include "base/bits.h"
#include "selftest/window_family.h"

namespace tputwin::testing {
namespace {

class Windows : WindowFamily {
 public:
  Windows(Rng& rng, const Chip& chip) : WindowFamily(rng, chip, /*inserts=*/true) {}

  Operation conv() {
    if (!draw_window(/*is_convolution=*/true)) return CpuCall{};
    const bool is_constant = rng_.chance(1, 8);
    if (is_constant) window_.h.dilation = window_.w.dilation = 1;
    if (!find_results()) return CpuCall{};
    maybe_crop();
    Conv2dBm1684 op{.window = window_, .accumulate = rng_.coin()};
    op.out = window_result(channels_, DType::f32);
    op.in = tensors_.any(shape_, tensors_.start_lane(), DType::f32, /*is_source=*/true);
    op.weight = tensors_.dense({shape_.c, channels_, window_.h.kernel, window_.w.kernel}, lane_,
                               DType::f32, /*aligned=*/false, /*pack=*/2);
    if (is_constant) make_constant(op.weight);
    if (is_constant) op.constant_weight = random_f32(rng_, random_kind(rng_));
    if (rng_.coin()) op.bias = compact({1, channels_, 1, 1}, DType::f32);
    op.is_rotated = rng_.chance(1, 4);
    return op;
  }

  Operation depthwise() {
    if (!draw_window(/*is_convolution=*/false)) return CpuCall{};
    maybe_crop();
    Depthwise2dBm1684 op{.window = window_};
    set_sides(op);
    op.weight = depthwise_filter(DType::f32);
    if (rng_.coin()) op.bias = compact({1, shape_.c, 1, 1}, DType::f32);
    return op;
  }

  Operation pool() {
    if (!draw_window(/*is_convolution=*/false, /*dilates=*/false)) return CpuCall{};
    const bool is_maximum = rng_.coin();
    if (is_maximum) window_.h.insert = window_.w.insert = 0;
    if (!find_results()) return CpuCall{};
    maybe_crop();
    Pool2dBm1684 op{.kind = is_maximum ? Pool2dBm1684::Kind::maximum : Pool2dBm1684::Kind::average,
                    .window = window_};
    set_sides(op);
    if (op.kind == Pool2dBm1684::Kind::average)
      op.factor =
          rng_.coin() ? share_of(window_) : f32::from_bits(random_f32(rng_, random_kind(rng_)));
    return op;
  }

  Operation matmul() {
    const uint32_t rows = rng_.range(1, 20), depth = rng_.range(1, 70);
    const uint32_t cols = rng_.range(1, rng_.chance(1, 4) ? 260 : 70);
    const uint32_t left_w = rng_.range(1, depth);
    const uint32_t right_w = rng_.range(1, std::min(cols, rng_.coin() ? 6u : 128u));
    const uint32_t lane = tensors_.start_lane(), whole = align_up(cols, right_w);
    MatmulBm1684 op{.accumulate = rng_.coin()};
    op.out = tensors_.matrix(rows, whole, right_w, lane);
    op.left = tensors_.matrix(rows, depth, left_w, tensors_.start_lane());
    op.right = tensors_.matrix(depth, whole, right_w, lane);
    if (rng_.coin()) op.bias = tensors_.matrix(1, whole, right_w, lane);
    return op;
  }

 private:
  template <class Op>
  void set_sides(Op& op) {
    op.out = window_result(shape_.c, DType::f32);
    op.in = aligned(DType::f32);
    maybe_overlap(op.out, op.in);
  }
};

}  // namespace

TW_FAMILY(random_bm1684_windows, Windows, {conv2d_bm1684, &Windows::conv},
          {depthwise2d_bm1684, &Windows::depthwise}, {pool2d_bm1684, &Windows::pool},
          {matmul_bm1684, &Windows::matmul})

}  // namespace tputwin::testing
