// Which input rows an output row of a window operation reads, with padding and inserted zeros.
#pragma once

#include "bmnet/kernels/kernel.h"

namespace tputwin::net {

// One axis of a window.
struct Axis {
  int64_t extent = 1;  // of the input
  int kernel = 1, stride = 1, dilation = 1, pad = 0, insert = 0;
};

// The part of the input that output positions [out.begin, out.end) read, and the zeros around it.
struct AxisTile {
  Span input;
  int pad_before = 0, pad_after = 0, insert = 0;
};

inline Axis rows_of(const Window2d& w, const Extents& in) {
  return {in.h, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top, w.ins_h};
}
inline Axis columns_of(const Window2d& w, const Extents& in) {
  return {in.w, w.kernel_w, w.stride_w, w.dilation_w, w.pad_left, w.ins_w};
}

// Positions count the expanded input, in which `insert` zeros follow every element but the last.
inline AxisTile tile_axis(const Axis& a, Span out) {
  const int64_t step = a.insert + 1;
  const int64_t first = out.begin * a.stride - a.pad;
  const int64_t last = (out.end - 1) * a.stride + int64_t{a.kernel - 1} * a.dilation - a.pad;
  AxisTile t;
  t.input.begin = std::clamp<int64_t>(first > 0 ? ceil_div(first, step) : 0, 0, a.extent - 1);
  t.input.end = std::clamp<int64_t>(last >= 0 ? last / step : 0, t.input.begin, a.extent - 1) + 1;
  t.pad_before = static_cast<int>(t.input.begin * step - first);
  t.pad_after = static_cast<int>(last - (t.input.end - 1) * step);
  // Rows behind the last window are not read: the command counts them as part of the input.
  t.insert = t.input.count() > 1 ? a.insert : 0;
  return t;
}

// Padding and strides of a tile of output rows, in any of the kernel library's parameter
// structures.
template <class Param>
void set_window(Param& p, const Window2d& w, const Extents& in, Span rows, int64_t width) {
  const AxisTile y = tile_axis(rows_of(w, in), rows);
  const AxisTile x = tile_axis(columns_of(w, in), {0, width});
  p.pad_top = static_cast<u8>(y.pad_before);
  p.pad_bottom = static_cast<u8>(y.pad_after);
  p.pad_left = static_cast<u8>(x.pad_before);
  p.pad_right = static_cast<u8>(x.pad_after);
  p.stride_h = static_cast<u8>(w.stride_h);
  p.stride_w = static_cast<u8>(w.stride_w);
}

// Windows that read nothing but inserted zeros would leave a tile without input.
inline bool can_split(const Axis& a) { return int64_t{a.kernel - 1} * a.dilation >= a.insert; }

}  // namespace tputwin::net
