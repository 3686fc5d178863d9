// Convolutions whose first or last taps read only pads.
#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/large_windows.h"

namespace tputwin::net::onnx_reader {
namespace {

// True if some window reads an element of the input with this tap.
bool reads_input(const WindowAxis& axis, int64_t size, int64_t tap) {
  const int64_t first = tap * axis.dilation - axis.before;
  const int64_t window = first >= 0 ? 0 : (-first + axis.stride - 1) / axis.stride;
  return window < axis.outputs && first + window * axis.stride < size;
}

// The taps that stay. Without others, pads are not negative.
struct UsedTaps {
  int64_t first = 0, last = 0;
};

UsedTaps used_taps(const WindowAxis& axis, int64_t size) {
  UsedTaps used{0, axis.kernel - 1};
  const auto is_idle = [&](int64_t tap) { return !reads_input(axis, size, tap); };
  while (used.first < used.last && is_idle(used.first) &&
         (used.first + 1) * axis.dilation <= axis.before)
    ++used.first;
  while (used.last > used.first && is_idle(used.last) &&
         (axis.kernel - used.last) * axis.dilation <= axis.behind)
    --used.last;
  return used;
}

bool is_part(const WindowAxis& axis, const UsedTaps& used) {
  return used.last - used.first + 1 < axis.kernel;
}

// Rows and columns of the map, which may have rows only.
std::pair<int64_t, int64_t> sizes(const Node& node) {
  const Dims& x = node.dims();
  return {x[2], x.size() > 3 ? x[3] : 1};
}

WindowAxis without(WindowAxis axis, const UsedTaps& used) {
  axis.before -= used.first * axis.dilation;
  axis.behind -= (axis.kernel - 1 - used.last) * axis.dilation;
  axis.kernel = used.last - used.first + 1;
  if (axis.kernel == 1) axis.dilation = 1;
  return axis;
}

}  // namespace

bool has_idle_taps(const Node& node, const NodeWindow& window) {
  const auto [rows, columns] = sizes(node);
  return is_part(window.rows, used_taps(window.rows, rows)) ||
         is_part(window.columns, used_taps(window.columns, columns));
}

void expand_conv_without_idle_taps(Node& node, const NodeWindow& window) {
  const auto [height, width] = sizes(node);
  const UsedTaps rows = used_taps(window.rows, height), columns = used_taps(window.columns, width);
  const WindowAxis r = without(window.rows, rows), c = without(window.columns, columns);
  const Constant& w = node.weights(1, "W");
  const std::vector<float> all = w.real();
  std::vector<float> kept;
  for (int64_t pair = 0; pair < w.dims[0] * w.dims[1]; ++pair)
    for (int64_t y = rows.first; y <= rows.last; ++y)
      for (int64_t x = columns.first; x <= columns.last; ++x)
        kept.push_back(
            all[static_cast<size_t>((pair * window.rows.kernel + y) * window.columns.kernel + x)]);
  const size_t axes = node.dims().size() - 2;
  const auto of_axes = [&](Dims both) {
    if (axes == 1) both = both.size() == 2 ? Dims{both[0]} : Dims{both[0], both[2]};
    return both;
  };
  Dims dims{w.dims[0], w.dims[1], r.kernel, c.kernel};
  dims.resize(axes + 2);
  Expansion made(node);
  std::vector<std::string> operands{made.in(0), made.reals(dims, std::move(kept))};
  if (node.has(2)) operands.push_back(made.in(2));
  made.set(made.add("Conv", operands,
                    {{"strides", of_axes({r.stride, c.stride})},
                     {"dilations", of_axes({r.dilation, c.dilation})},
                     {"pads", of_axes({r.before, c.before, r.behind, c.behind})},
                     {"group", node.integer("group", 1)}}));
}

}  // namespace tputwin::net::onnx_reader
