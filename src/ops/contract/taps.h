// Positions of the taps of a sliding window.
#pragma once

#include <algorithm>
#include <vector>

#include "memory/tensor_view.h"
#include "ops/contract/window.h"

namespace tputwin {

// The kinds of positions that a tap can fall on.
enum class TapKind : uint8_t { inside, inserted, padding };

struct AxisTap {
  TapKind kind;
  uint32_t index;  // index in the input, if inside
};

// Returns the tap at `position` before or after the elements of an input without inserted zeros.
// Reflected and circular padding must end inside the input (check_bm1684x_window).
constexpr AxisTap padding_at(int64_t position, int64_t extent, PadMode pads) {
  const bool before = position < 0;
  switch (pads) {
    case PadMode::constant:
      return {TapKind::padding, 0};
    case PadMode::reflected:
      position = before ? -position : 2 * (extent - 1) - position;
      break;
    case PadMode::edge:
      position = before ? 0 : extent - 1;
      break;
    case PadMode::circular:
      position += before ? extent : -extent;
      break;
  }
  return {TapKind::inside, static_cast<uint32_t>(position)};
}

constexpr AxisTap tap_at(const Axis& a, uint32_t out, uint32_t tap, uint32_t extent, PadMode pads) {
  const int64_t position = int64_t{out} * a.stride + int64_t{tap} * a.dilation - a.pad_before;
  const int64_t step = int64_t{a.insert} + 1;
  if (position < 0 || position > (extent - 1) * step) return padding_at(position, extent, pads);
  if (position % step != 0) return {TapKind::inserted, 0};
  return {TapKind::inside, static_cast<uint32_t>(position / step)};
}

// Returns, for each index of the input along an axis, whether a tap of the first `positions`
// positions falls on it.
inline std::vector<bool> touched_along(const Axis& a, uint32_t positions, uint32_t extent,
                                       PadMode pads) {
  std::vector<bool> touched(extent);
  for (uint32_t at = 0; at < positions; ++at)
    for (uint32_t k = 0; k < a.kernel; ++k)
      if (const AxisTap tap = tap_at(a, at, k, extent, pads); tap.kind == TapKind::inside)
        touched[tap.index] = true;
  return touched;
}

// Calls f(kh, kw, kind, y, x) for the taps of one result, kw fastest. (y, x) is the element of the
// input if the tap is inside. A tap on both padding and inserted zeros counts as padding.
template <class F>
void for_each_tap(const Window& window, const Shape& in, uint32_t out_y, uint32_t out_x, F&& f) {
  for (uint32_t kh = 0; kh < window.h.kernel; ++kh)
    for (uint32_t kw = 0; kw < window.w.kernel; ++kw) {
      const AxisTap h = tap_at(window.h, out_y, kh, in.h, window.pads);
      const AxisTap w = tap_at(window.w, out_x, kw, in.w, window.pads);
      f(kh, kw, std::max(h.kind, w.kind), h.index, w.index);
    }
}

// Position of a result of a window.
struct ResultPlace {
  uint32_t y, x;
};
// Returns the position, among a window's results, of result (y, x) of a convolution over all input
// channels. If the result has fewer rows than the window makes, they are the first ones. Narrower
// results are the window's in index order: with 5 columns of the window and 3 of the result, result
// (1, 0) is at (0, 3).
constexpr ResultPlace place_in_window(const Window& window, const Shape& in, const Shape& out,
                                      uint32_t y, uint32_t x) {
  const uint32_t width = window.w.output(in.w);
  if (width == out.w) return {y, x};
  const uint64_t index = uint64_t{y} * out.w + x;
  return {static_cast<uint32_t>(index / width), static_cast<uint32_t>(index % width)};
}

constexpr Shape depthwise_weight_shape(const TensorView& in, const Window& window) {
  return {1, in.shape.c, window.h.kernel, window.w.kernel};
}

struct WeightPlace {
  uint32_t h, w;
};
// Returns the position of the weight that tap (kh, kw) multiplies.
constexpr WeightPlace weight_place(const Window& window, bool is_rotated, uint32_t kh,
                                   uint32_t kw) {
  if (!is_rotated) return {kh, kw};
  return {window.h.kernel - 1 - kh, window.w.kernel - 1 - kw};
}

}  // namespace tputwin
