// MaxPool with dilations: maxima of moved copies of the map, of rows first and then of columns.
#include <fmt/format.h>

#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/large_windows.h"

namespace tputwin::net::onnx_reader {
namespace {

constexpr int64_t kMostTaps = 64;

// The positions that tap `tap` of each window reads. A position outside of the map is replaced by
// one of the same window inside of it, which leaves the maximum as it is.
Dims positions(const Node& node, const WindowAxis& axis, int64_t size, int64_t tap) {
  Dims result;
  const int64_t windows = (axis.outputs - 1) * axis.stride + 1;
  for (int64_t i = 0; i < windows; ++i) {
    const int64_t begin = i - axis.before;
    const int64_t skipped = begin >= 0 ? 0 : (-begin + axis.dilation - 1) / axis.dilation;
    const int64_t first = begin + skipped * axis.dilation;
    const int64_t wanted = begin + tap * axis.dilation;
    // A window between those of the result need not have a position inside.
    const bool has_any = skipped < axis.kernel && first < size;
    node.require(has_any || i % axis.stride != 0, "pads",
                 fmt::format("{}, {}", axis.before, axis.behind),
                 "such that every window reads an element of the input");
    result.push_back(!has_any ? 0 : wanted >= 0 && wanted < size ? wanted : first);
  }
  return result;
}

std::string maxima(const Node& node, Expansion& made, const std::string& x, const WindowAxis& axis,
                   int64_t size, int64_t of_axis) {
  node.require(axis.kernel <= kMostTaps, "kernel_shape", std::to_string(axis.kernel),
               fmt::format("at most {} with dilations", kMostTaps));
  std::vector<std::string> taps;
  for (int64_t tap = 0; tap < axis.kernel; ++tap)
    taps.push_back(made.add("Gather", {x, made.integers(positions(node, axis, size, tap))},
                            {{"axis", of_axis}}));
  std::string y = taps.size() == 1 ? taps[0] : made.add("Max", taps);
  if (axis.stride == 1) return y;
  const int64_t windows = (axis.outputs - 1) * axis.stride + 1;
  return made.add("Slice", {y, made.integers({0}), made.integers({windows}),
                            made.integers({of_axis}), made.integers({axis.stride})});
}

}  // namespace

bool is_dilated(const NodeWindow& window) {
  const auto is_one = [](const WindowAxis& axis) { return axis.dilation > 1 && axis.kernel > 1; };
  return is_one(window.rows) || is_one(window.columns);
}

void expand_dilated_max(Node& node, const NodeWindow& window) {
  const Dims& x = node.dims();
  const Dims& pads = node.in(0).lowest_pads;
  node.require(pads.empty(), "dilations", text(node.integers("dilations")),
               "1 after a Pad with the lowest value; let the pool have the pads itself");
  Expansion made(node);
  std::string y = maxima(node, made, made.in(0), window.rows, x[2], 2);
  if (x.size() == 4) y = maxima(node, made, y, window.columns, x[3], 3);
  made.set(y);
}

}  // namespace tputwin::net::onnx_reader
