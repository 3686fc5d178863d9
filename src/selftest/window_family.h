// Base of convolutions, depthwise convolutions and pools of the BM1684 and BM1684X: a window over
// an input of shape_.
#pragma once

#include <algorithm>

#include "numerics/float16.h"
#include "ops/contract/window.h"
#include "selftest/tensor_family.h"

namespace tputwin::testing {

class WindowFamily : protected TensorFamily {
 protected:
  // If `inserts`, the chip inserts zeros between elements, and pads by up to 15.
  WindowFamily(Rng& rng, const Chip& chip, bool inserts)
      : TensorFamily(rng, chip), inserts_(inserts) {}

  Axis axis() {
    Axis a{.kernel = rng_.chance(1, 8) ? rng_.range(5, 9) : rng_.range(1, 4)};
    a.stride = rng_.chance(1, 3) ? rng_.range(2, rng_.chance(1, 4) ? 15 : 3) : 1;
    a.dilation = rng_.chance(1, 4) ? rng_.range(2, 3) : 1;
    if (inserts_ && rng_.chance(1, 4)) a.insert = rng_.range(1, rng_.chance(1, 8) ? 14 : 3);
    if (rng_.coin()) {
      a.pad_before = rng_.range(0, 3);
      a.pad_after = rng_.range(0, inserts_ && rng_.chance(1, 8) ? 15 : 3);
    }
    return a;
  }
  // Draws window and shape. Returns false if there is no output or too much work.
  bool draw_window(bool is_convolution, bool dilates = true) {
    window_ = {axis(), axis()};
    if (!dilates) window_.h.dilation = window_.w.dilation = 1;
    shape_ = tensors_.shape(2500, 3);
    if (is_convolution && rng_.chance(1, 6)) draw_few_terms();
    if (is_convolution && rng_.chance(1, 10)) draw_single_positions();
    if (!is_convolution && rng_.chance(1, 6)) draw_whole_plane();
    channels_ = rng_.pick({1u, 2u, 3u, 7u, 16u, 63u, 64u, 65u, 70u});
    lane_ = tensors_.start_lane();
    find_results();
    const uint64_t planes = is_convolution ? uint64_t{shape_.c} * channels_ : shape_.c;
    const uint64_t work = shape_.n * planes * out_h_ * out_w_ * window_.h.kernel * window_.w.kernel;
    return work != 0 && work <= kMaxWork;
  }

  // Draws a window without padding over few channels.
  void draw_few_terms() {
    window_ = {{.kernel = rng_.range(1, 2), .stride = rng_.range(1, 2)},
               {.kernel = rng_.range(1, 2), .stride = rng_.chance(1, 4) ? 2u : 1u}};
    shape_.c = rng_.range(1, 4);
  }

  // Draws products of matrices: one position per image.
  void draw_single_positions() {
    window_ = {};
    shape_ = {rng_.range(1, rng_.coin() ? 1 : 20), rng_.range(1, 100), 1, 1};
  }

  // Draws one result per channel, mostly without padding.
  void draw_whole_plane() {
    constexpr uint32_t kLongest = 200;
    shape_.h = std::min(shape_.h, kLongest), shape_.w = std::min(shape_.w, kLongest);
    window_ = {{.kernel = shape_.h, .stride = rng_.range(1, 2)}, {.kernel = shape_.w}};
    if (rng_.chance(1, 4)) window_.h.pad_before = 1, window_.h.stride = 2;
  }

  // Computes the extents of the results. Returns false if there are none.
  bool find_results() {
    out_h_ = window_.h.output(shape_.h);
    out_w_ = window_.w.output(shape_.w);
    return out_h_ != 0 && out_w_ != 0;
  }
  // Sometimes takes fewer results than the window makes.
  void maybe_crop() {
    if (rng_.chance(1, 4)) out_h_ = rng_.range(1, out_h_);
    if (rng_.chance(1, 8)) out_w_ = rng_.range(1, out_w_);
  }

  TensorView window_result(uint32_t channels, DType type) {
    return aligned({shape_.n, channels, out_h_, out_w_}, type);
  }
  // Weights that a constant replaces have no bytes.
  static void make_constant(TensorView& weight) {
    weight.address = 0;
    weight.stride = {};
  }
  TensorView depthwise_filter(DType type) {
    return compact({1, shape_.c, window_.h.kernel, window_.w.kernel}, type);
  }
  // Sometimes puts the result in place, if it is no larger than its input.
  void maybe_overlap(TensorView& out, const TensorView& in) {
    const bool fits = out.stride.n <= in.stride.n && out.stride.c <= in.stride.c;
    if (fits && rng_.chance(1, 16)) out.address = in.address;
  }

  static constexpr uint64_t kMaxWork = 100000;
  const bool inserts_;
  Window window_;
  uint32_t channels_ = 1, out_h_ = 0, out_w_ = 0;
};

}  // namespace tputwin::testing
