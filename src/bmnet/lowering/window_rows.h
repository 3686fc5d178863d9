// Input rows that an output row of a window operation reads, with padding and inserted zeros.
#pragma once

#include "bmnet/lowering/tile.h"

namespace tputwin::net {

// The largest padding and stride of a command, the same on all chips.
inline constexpr int64_t kMostPadding = 15, kMostStride = 15;

// One axis of a window.
struct Axis {
  int64_t extent = 1;  // extent of the input
  int kernel = 1, stride = 1, dilation = 1, pad = 0, insert = 0;
};

// The part of the input that output positions [out.begin, out.end) read, and the parameters of a
// command that computes them. If `fits` is true, every number is within the fields of a command.
struct AxisTile {
  Span input;  // never empty
  int pad_before = 0, pad_after = 0, insert = 0, stride = 1;
  // Number of elements that may follow `input` in local memory without adding a window.
  int64_t most_unread = 0;
  bool fits = true;
};

inline Axis rows_of(const Window2d& w, const Extents& in) {
  return {in.h, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top, w.ins_h};
}
inline Axis columns_of(const Window2d& w, const Extents& in) {
  return {in.w, w.kernel_w, w.stride_w, w.dilation_w, w.pad_left, w.ins_w};
}

// A window that reads only padding or inserted zeros gives the result of a window of zeros. A
// command cannot have an empty input, so its input is element `stand_in`. Before it are as many
// zeros as `count` windows take, at a stride at which the last window ends before the element.
// Example: kernel 1, two windows: stride 14, padding 1 * 14 + 1 = 15; a third window would be at
// 28. An input of up to stride - 1 elements adds no window, so the stride must be at least 2.
inline AxisTile empty_tile(const Axis& a, int64_t stand_in, int64_t count) {
  const int64_t reach = int64_t{a.kernel - 1} * a.dilation + 1;
  const int64_t stride =
      count == 1 ? kMostStride : std::min(kMostStride, (kMostPadding - reach) / (count - 1));
  const int64_t padding = (count - 1) * stride + reach;
  AxisTile t;
  t.input = {stand_in, stand_in + 1};
  t.fits = stride >= 2 && padding <= kMostPadding;
  t.stride = static_cast<int>(stride);
  t.pad_before = static_cast<int>(padding);
  t.most_unread = stride - 2;
  return t;
}

// Positions are those of the expanded input, in which `insert` zeros follow every element but the
// last.
inline AxisTile tile_axis(const Axis& a, Span out) {
  const int64_t step = a.insert + 1;
  const int64_t first = out.begin * a.stride - a.pad;
  const int64_t last = (out.end - 1) * a.stride + int64_t{a.kernel - 1} * a.dilation - a.pad;
  const int64_t begin = first > 0 ? ceil_div(first, step) : 0;
  const int64_t end = last >= 0 ? std::min(last / step + 1, a.extent) : 0;
  if (begin >= end) return empty_tile(a, std::clamp<int64_t>(begin, 0, a.extent - 1), out.count());
  AxisTile t;
  t.input = {begin, end};
  t.pad_before = static_cast<int>(begin * step - first);
  t.pad_after = static_cast<int>(last - (end - 1) * step);
  t.stride = a.stride;
  // Elements after the last window are not read, but the command counts them as part of the input.
  t.most_unread = a.stride - 1;
  t.insert = t.input.count() > 1 ? a.insert : 0;
  t.fits = std::max(t.pad_before, t.pad_after) <= kMostPadding;
  return t;
}

// Returns true if rows `held` of an input serve a tile.
inline bool serves(const AxisTile& tile, Span held) {
  return tile.fits && held.begin == tile.input.begin && held.end >= tile.input.end &&
         held.end - tile.input.end <= tile.most_unread;
}

}  // namespace tputwin::net
