// Windows of a tile, as parameters of the kernel library.
#pragma once

#include "bmnet/kernels/kernel.h"
#include "bmnet/lowering/window_rows.h"

namespace tputwin::net {

// Sets padding and strides for a tile of output rows. `p` is any parameter structure of the kernel
// library with these members.
template <class Param>
void set_window(Param& p, const Window2d& w, const Extents& in, Span rows, int64_t width) {
  const AxisTile y = tile_axis(rows_of(w, in), rows);
  const AxisTile x = tile_axis(columns_of(w, in), {0, width});
  p.pad_top = static_cast<u8>(y.pad_before);
  p.pad_bottom = static_cast<u8>(y.pad_after);
  p.pad_left = static_cast<u8>(x.pad_before);
  p.pad_right = static_cast<u8>(x.pad_after);
  p.stride_h = static_cast<u8>(y.stride);
  p.stride_w = static_cast<u8>(x.stride);
}

}  // namespace tputwin::net
