// Convolutions whose dilation exceeds the field of commands: each n-th row or column is a map of
// its own. The maps are samples of a convolution without dilation.
#include "bmnet/targets/bm1684x/target.h"
#include "bmnet/targets/bm1684x/windows/layer_parts.h"

namespace tputwin::net::bm1684x {
namespace {

// (n, c, h * step, w) as (n * step, c, h, w), or the columns so.
PartTensor divided(LayerParts& parts, PartTensor x, int64_t step, bool is_rows) {
  const int64_t n = x.dims[0], c = x.dims[1], h = x.dims[2], w = x.dims[3];
  const int64_t runs = (is_rows ? h : w) / step, outer = is_rows ? c : c * h;
  const int64_t inner = is_rows ? w : 1;
  x = parts.permute(parts.reshape(x, {n * outer, runs, step, inner}), {0, 2, 1, 3});
  x = parts.permute(parts.reshape(x, {n, outer, step, runs * inner}), {0, 2, 1, 3});
  return parts.reshape(x, {n * step, c, is_rows ? runs : h, is_rows ? w : runs});
}

// The inverse.
PartTensor joined(LayerParts& parts, PartTensor x, int64_t step, bool is_rows) {
  const int64_t n = x.dims[0] / step, c = x.dims[1], h = x.dims[2], w = x.dims[3];
  const int64_t runs = is_rows ? h : w, outer = is_rows ? c : c * h, inner = is_rows ? w : 1;
  x = parts.permute(parts.reshape(x, {n, step, outer, runs * inner}), {0, 2, 1, 3});
  x = parts.permute(parts.reshape(x, {n * outer, step, runs, inner}), {0, 2, 1, 3});
  return parts.reshape(x, {n, c, is_rows ? h * step : h, is_rows ? w : w * step});
}

int64_t rest(int64_t extent, int64_t step) { return (step - extent % step) % step; }

}  // namespace

bool is_too_dilated(const Window2d& w) {
  return std::max(w.dilation_h, w.dilation_w) > static_cast<int>(chip().limits.window.dilation);
}

PartTensor fit_dilation(LayerParts& parts) {
  const TensorOp& whole = parts.whole();
  const Extents in = extents(whole.input_shape(0)), out = extents(whole.output_shape(0));
  const auto most = static_cast<int>(chip().limits.window.dilation);
  Window2d w = convolution_window(whole);
  const int64_t rows = w.dilation_h > most ? w.dilation_h : 1;
  const int64_t columns = w.dilation_w > most ? w.dilation_w : 1;
  const int64_t height = in.h + w.pad_top + w.pad_bottom, width = in.w + w.pad_left + w.pad_right;
  PartTensor x = add_zeros(parts, parts.input(),
                           {w.pad_top, w.pad_bottom + rest(height, rows), w.pad_left,
                            w.pad_right + rest(width, columns)});
  w.pad_top = w.pad_bottom = w.pad_left = w.pad_right = 0;
  const int64_t row_step = rows > 1 ? w.stride_h : 1, column_step = columns > 1 ? w.stride_w : 1;
  if (rows > 1) {
    x = divided(parts, x, rows, true);
    w.dilation_h = w.stride_h = 1;
  }
  if (columns > 1) {
    x = divided(parts, x, columns, false);
    w.dilation_w = w.stride_w = 1;
  }
  x = convolve(parts, x, w, parts.blobs(), out.c);
  if (columns > 1) x = joined(parts, x, columns, false);
  if (rows > 1) x = joined(parts, x, rows, true);
  // Zeros that fill up the last run make further results.
  x = parts.crop(x, {0, 0, 0, 0},
                 {x.dims[0], out.c, rows > 1 ? (out.h - 1) * row_step + 1 : out.h,
                  columns > 1 ? (out.w - 1) * column_step + 1 : out.w});
  return every(parts, x, row_step, out.h, column_step, out.w);
}

}  // namespace tputwin::net::bm1684x
