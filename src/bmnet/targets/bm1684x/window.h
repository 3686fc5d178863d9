// Windows of the BM1684X's commands, for tiles of output rows.
#pragma once

#include "bmnet/lowering/window_rows.h"
#include "bmnet/targets/bm1684x/lower.h"
#include "ops/contract/window.h"

namespace tputwin::net::bm1684x {

// Returns the window that computes output rows `rows` and all columns.
tputwin::Window window_of(const Window2d& w, const Extents& in, Span rows, int64_t width);
// Checks that the window fits the fields of commands. If the window has one position along an axis,
// its stride there is reduced to fit the field.
Status fit_window(const TensorOp& op, Window2d& window, const Extents& in, const Extents& out);

// Returns the window that repeats rows and columns: ones over inserted zeros.
Window2d upsample_window(int rows, int columns);

// Base of kernels with a sliding window.
class WindowKernel : public StreamKernel {
 public:
  Window2d window;

  Span input_rows(size_t, Span rows) const override {
    return tile_axis(rows_of(window, inputs[0].e), rows).input;
  }
  bool accepts_rows(size_t, Span rows, Span held) const override {
    const AxisTile tile = tile_axis(rows_of(window, inputs[0].e), rows);
    const int64_t padded =
        (held.count() - 1) * (tile.insert + 1) + 1 + tile.pad_before + std::max(tile.pad_after, 0);
    const int64_t most = chip().limits.window.extent;
    return (most == 0 || std::max(padded, rows.count()) <= most) && serves(tile, held);
  }

 protected:
  tputwin::Window window_of_tile(const Operands& o) const {
    return window_of(window, inputs[0].e, o.rows, output.e.w);
  }
};

}  // namespace tputwin::net::bm1684x
