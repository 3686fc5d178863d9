// Random operations of the fp32 window kinds and matrix products.
#include <algorithm>

#include "base/bits.h"
#include "memory/layout.h"
#include "selftest/random_bm1684.h"

namespace tputwin::testing {
namespace {

constexpr uint64_t kMaxWork = 100000;

class WindowGenerator {
 public:
  WindowGenerator(Rng& rng, const Chip& chip) : rng_(rng), tensors_(rng, chip) {}

  Operation make(OperationKind kind) {
    for (;;) {
      draw_window(kind);
      if (out_h_ == 0 || out_w_ == 0) continue;
      switch (kind) {
        case OperationKind::conv2d_f32:
          if (uint64_t work = uint64_t{in_.n} * in_.c * channels_ * out_h_ * out_w_ * taps();
              work > kMaxWork)
            continue;
          return conv();
        case OperationKind::depthwise2d_f32:
          if (in_.count() * taps() > kMaxWork) continue;
          return depthwise();
        case OperationKind::pool2d_f32:
          if (in_.count() * taps() > kMaxWork) continue;
          return pool();
        case OperationKind::matmul_f32:
          return matmul();
        default:
          return CpuCall{};
      }
    }
  }

 private:
  Axis axis() {
    Axis a{.kernel = rng_.chance(1, 8) ? rng_.range(5, 9) : rng_.range(1, 4)};
    a.stride = rng_.chance(1, 3) ? rng_.range(2, rng_.chance(1, 4) ? 15 : 3) : 1;
    a.dilation = rng_.chance(1, 4) ? rng_.range(2, 3) : 1;
    if (rng_.coin()) a.pad_before = rng_.range(0, 3), a.pad_after = rng_.range(0, 3);
    return a;
  }
  void draw_window(OperationKind kind) {
    window_ = {axis(), axis()};
    if (kind == OperationKind::pool2d_f32) window_.h.dilation = window_.w.dilation = 1;
    in_ = tensors_.shape(2500, 3);
    channels_ = rng_.pick({1u, 2u, 3u, 7u, 16u, 63u, 64u, 65u, 70u});
    out_h_ = window_.h.output(in_.h);
    out_w_ = window_.w.output(in_.w);
  }
  // In place, where the result is no larger than its input.
  void maybe_overlap(TensorView& out, const TensorView& in) {
    const bool fits = out.stride.n <= in.stride.n && out.stride.c <= in.stride.c;
    if (fits && rng_.chance(1, 16)) out.address = in.address;
  }
  uint64_t taps() const { return uint64_t{window_.h.kernel} * window_.w.kernel; }
  TensorView aligned(const Shape& shape, uint32_t lane) {
    return tensors_.dense(shape, lane, DType::f32, /*aligned=*/true);
  }
  TensorView compact(const Shape& shape, uint32_t lane, uint8_t pack = 1) {
    return tensors_.dense(shape, lane, DType::f32, /*aligned=*/false, pack);
  }

  Operation conv() {
    const uint32_t lane = tensors_.start_lane();
    Conv2dF32 op{.window = window_, .accumulate = rng_.coin()};
    op.out = aligned({in_.n, channels_, out_h_, out_w_}, lane);
    op.in = tensors_.any(in_, tensors_.start_lane(), DType::f32, /*is_source=*/true);
    op.weight = compact({in_.c, channels_, window_.h.kernel, window_.w.kernel}, lane, /*pack=*/2);
    if (rng_.coin()) op.bias = compact({1, channels_, 1, 1}, lane);
    return op;
  }

  Operation depthwise() {
    const uint32_t lane = tensors_.start_lane();
    Depthwise2dF32 op{.window = window_};
    op.out = aligned({in_.n, in_.c, out_h_, out_w_}, lane);
    op.in = aligned(in_, lane);
    maybe_overlap(op.out, op.in);
    op.weight = compact({1, in_.c, window_.h.kernel, window_.w.kernel}, lane);
    if (rng_.coin()) op.bias = compact({1, in_.c, 1, 1}, lane);
    return op;
  }

  Operation pool() {
    const uint32_t lane = tensors_.start_lane();
    Pool2dF32 op{.kind = rng_.coin() ? Pool2dF32::Kind::maximum : Pool2dF32::Kind::average,
                 .window = window_};
    op.out = aligned({in_.n, in_.c, out_h_, out_w_}, lane);
    op.in = aligned(in_, lane);
    maybe_overlap(op.out, op.in);
    return op;
  }

  Operation matmul() {
    const uint32_t rows = rng_.range(1, 20), depth = rng_.range(1, 70);
    const uint32_t cols = rng_.range(1, rng_.chance(1, 4) ? 260 : 70);
    const uint32_t left_w = rng_.range(1, depth);
    const uint32_t right_w = rng_.range(1, std::min(cols, rng_.coin() ? 6u : 128u));
    const uint32_t lane = tensors_.start_lane(), whole = align_up(cols, right_w);
    MatmulF32 op{.accumulate = rng_.coin()};
    op.out = tensors_.matrix(rows, whole, right_w, lane);
    op.left = tensors_.matrix(rows, depth, left_w, tensors_.start_lane());
    op.right = tensors_.matrix(depth, whole, right_w, lane);
    if (rng_.coin()) op.bias = tensors_.matrix(1, whole, right_w, lane);
    return op;
  }

  Rng& rng_;
  Bm1684Tensors tensors_;
  Window window_;
  Shape in_;
  uint32_t channels_ = 1, out_h_ = 0, out_w_ = 0;
};

}  // namespace

Operation random_windows(Rng& rng, OperationKind kind, const Chip& chip) {
  return WindowGenerator(rng, chip).make(kind);
}

}  // namespace tputwin::testing
