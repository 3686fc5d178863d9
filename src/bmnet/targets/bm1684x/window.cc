// Windows of commands.
#include "bmnet/targets/bm1684x/window.h"

#include <fmt/format.h>

namespace tputwin::net::bm1684x {
namespace {

tputwin::Axis axis_of(int kernel, int dilation, const AxisTile& tile) {
  return {.kernel = static_cast<uint32_t>(kernel),
          .stride = static_cast<uint32_t>(tile.stride),
          .dilation = static_cast<uint32_t>(dilation),
          .pad_before = static_cast<uint32_t>(tile.pad_before),
          .pad_after = static_cast<uint32_t>(std::max(tile.pad_after, 0)),
          .insert = static_cast<uint32_t>(tile.insert)};
}

}  // namespace

tputwin::Window window_of(const Window2d& w, const Extents& in, Span rows, int64_t width) {
  const AxisTile y = tile_axis(rows_of(w, in), rows);
  const AxisTile x = tile_axis(columns_of(w, in), {0, width});
  return {.h = axis_of(w.kernel_h, w.dilation_h, y), .w = axis_of(w.kernel_w, w.dilation_w, x)};
}

Window2d upsample_window(int rows, int columns) {
  Window2d w{.kernel_h = rows, .kernel_w = columns};
  w.pad_top = w.pad_bottom = rows - 1;
  w.pad_left = w.pad_right = columns - 1;
  w.ins_h = rows - 1;
  w.ins_w = columns - 1;
  return w;
}

Status fit_window(const TensorOp& op, Window2d& w, const Extents& in, const Extents& out) {
  const auto& most = chip().limits.window;
  if (out.h == 1) w.stride_h = std::min(w.stride_h, static_cast<int>(most.stride));
  if (out.w == 1) w.stride_w = std::min(w.stride_w, static_cast<int>(most.stride));
  const AxisTile rows = tile_axis(rows_of(w, in), {0, out.h});
  const AxisTile columns = tile_axis(columns_of(w, in), {0, out.w});
  const int pad =
      std::max({w.pad_top, w.pad_left, rows.pad_after, columns.pad_before, columns.pad_after});
  struct Limit {
    const char* name;
    int value;
    uint32_t limit;
  };
  for (const Limit& l : {Limit{"pad", pad, most.padding},
                         {"stride", std::max(w.stride_h, w.stride_w), most.stride},
                         {"inserted zeros", std::max(w.ins_h, w.ins_w), most.insert},
                         {"dilation", std::max(w.dilation_h, w.dilation_w), most.dilation}})
    if (l.value > static_cast<int>(l.limit))
      return unsupported(
          op, l.name, std::to_string(l.value),
          fmt::format("the largest of a command is {}; divide the layer in the net", l.limit));
  return {};
}

}  // namespace tputwin::net::bm1684x
