// Where the taps of a sliding window fall, and the rules that all windows of the BM1684X share.
#pragma once

#include <algorithm>

#include "ops/source.h"
#include "ops/tpu_checks.h"
#include "ops/window.h"

namespace tputwin {

constexpr uint32_t kMaxTpuPadding = 15, kMaxTpuWindowStep = 15, kMaxTpuInsert = 14;

enum class Tap : uint8_t { inside, inserted, padding };

struct AxisTap {
  Tap kind;
  uint32_t index;  // of the input, if inside
};

constexpr AxisTap tap_at(const Axis& a, uint32_t out, uint32_t tap, uint32_t extent) {
  const int64_t position = int64_t{out} * a.stride + int64_t{tap} * a.dilation - a.pad_before;
  const int64_t step = int64_t{a.insert} + 1;
  if (position < 0 || position > (extent - 1) * step) return {Tap::padding, 0};
  if (position % step != 0) return {Tap::inserted, 0};
  return {Tap::inside, static_cast<uint32_t>(position / step)};
}

// Calls f(kh, kw, kind, y, x) for the taps of one result, kw fastest; (y, x) is the element of the
// input if the tap is inside. Rows and columns of padding go through inserted ones.
template <class F>
void for_each_tap(const Window& window, const Shape& in, uint32_t out_y, uint32_t out_x, F&& f) {
  for (uint32_t kh = 0; kh < window.h.kernel; ++kh)
    for (uint32_t kw = 0; kw < window.w.kernel; ++kw) {
      const AxisTap h = tap_at(window.h, out_y, kh, in.h), w = tap_at(window.w, out_x, kw, in.w);
      f(kh, kw, std::max(h.kind, w.kind), h.index, w.index);
    }
}

constexpr Shape depthwise_weight_shape(const TensorView& in, const Window& window) {
  return {1, in.shape.c, window.h.kernel, window.w.kernel};
}

struct WeightPlace {
  uint32_t h, w;
};
// The weight that tap (kh, kw) multiplies.
constexpr WeightPlace weight_place(const Window& window, bool is_turned, uint32_t kh, uint32_t kw) {
  if (!is_turned) return {kh, kw};
  return {window.h.kernel - 1 - kh, window.w.kernel - 1 - kw};
}

// The numbers of a window, and a result (n, channels, output_h, output_w) of it.
Status check_tpu_window(const Window& window, const TensorView& in, const TensorView& out,
                        uint32_t channels);
// A tensor (1, channels, 1, 1) that starts where the result does.
Status check_tpu_channels(std::string_view name, const TensorView& view, uint32_t channels,
                          const TensorView& result, const Chip& chip);

// A parameter that is one number, or a tensor (1, channels, 1, 1) in lockstep with `beside`.
Status check_tpu_parameter(std::string_view name, const Source& source, uint32_t channels,
                           const TensorView& beside, const Chip& chip);
// The input of a convolution over all channels: from NPU 0, elements of a row side by side.
Status check_conv2d_input(const TensorView& in, const Chip& chip);
// Its weights: one number, or a tensor that starts where the result does.
Status check_conv2d_weight(const Source& weight, const Shape& shape, const TensorView& result,
                           const Chip& chip);

}  // namespace tputwin
