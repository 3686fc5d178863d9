// Windows beyond the fields of the chip's commands, as operators that fit.
#include "bmnet/onnx/reader/large_windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

// Limits of commands of the tensor engine.
constexpr int64_t kLargestStride = 15, kLargestDilation = 16, kLargestPad = 15,
                  kMostChannels = 4095, kMostColumns = 1024, kLargestPool = 255;

bool exceeds(const WindowAxis& axis) { return axis.stride > kLargestStride && axis.outputs > 1; }

// Blocks along one axis: `size` elements become a block, and the kernel has `taps` blocks.
struct Blocks {
  int64_t size = 1, taps = 1, extent = 0;  // the extent is in blocks
};

Blocks blocks_of(const WindowAxis& axis, int64_t extent) {
  if (!exceeds(axis)) return {1, axis.kernel, extent};
  const int64_t taps = (axis.kernel + axis.stride - 1) / axis.stride;
  return {axis.stride, taps, axis.outputs - 1 + taps};
}

// Pads or crops the axis so that its blocks are whole and begin at the first window.
void put_pads(const WindowAxis& axis, const Blocks& blocks, int64_t extent, size_t at, Dims& pads) {
  if (blocks.size == 1) return;
  pads[at] = axis.before;
  pads[at + 4] = blocks.extent * blocks.size - extent - axis.before;
}

// The weights (outputs, channels, rows, columns) as (outputs, channels * block, taps, taps).
std::vector<float> weights_of_blocks(const std::vector<float>& w, const Dims& dims,
                                     const Blocks& rows, const Blocks& columns) {
  std::vector<float> result(
      static_cast<size_t>(dims[0] * dims[1] * rows.size * rows.taps * columns.size * columns.taps));
  size_t from = 0;
  for (int64_t oc = 0; oc < dims[0] * dims[1]; ++oc)
    for (int64_t y = 0; y < dims[2]; ++y)
      for (int64_t x = 0; x < dims[3]; ++x) {
        const int64_t channel = (oc * rows.size + y % rows.size) * columns.size + x % columns.size;
        const int64_t to = (channel * rows.taps + y / rows.size) * columns.taps + x / columns.size;
        result[static_cast<size_t>(to)] = w[from++];
      }
  return result;
}

// x (samples, channels, rows, columns) with the blocks as channels.
std::string blocked(Expansion& made, const std::string& x, const Dims& dims, const Blocks& rows,
                    const Blocks& columns) {
  const std::string split = made.add(
      "Reshape",
      {x, made.integers({dims[0], dims[1], rows.extent, rows.size, columns.extent, columns.size})});
  const std::string moved = made.add("Transpose", {split}, {{"perm", Dims{0, 1, 3, 5, 2, 4}}});
  return made.add("Reshape", {moved, made.integers({dims[0], dims[1] * rows.size * columns.size,
                                                    rows.extent, columns.extent})});
}

Dims of_four(Dims dims) {
  dims.resize(4, 1);
  return dims;
}

// Sets y (samples, channels, rows, columns) as the result of a map with one or two axes.
void finish(Node& node, Expansion& made, const std::string& y, Dims dims) {
  if (node.dims().size() == 4) return made.set(y);
  dims.resize(node.dims().size());
  made.set(made.add("Reshape", {y, made.integers(dims)}));
}

Dims extents_after(const Node& node, int64_t channels, const NodeWindow& window) {
  return {node.dims()[0], channels, window.rows.outputs, window.columns.outputs};
}

}  // namespace

bool has_large_stride(const NodeWindow& window) {
  return exceeds(window.rows) || exceeds(window.columns);
}

bool has_blocks(const NodeWindow& window) {
  const auto fits = [](const WindowAxis& axis) { return !exceeds(axis) || axis.dilation == 1; };
  return has_large_stride(window) && fits(window.rows) && fits(window.columns);
}

void expand_conv_of_blocks(Node& node, const NodeWindow& window) {
  const Dims x = of_four(node.dims()), w = of_four(node.dims(1));
  const Blocks rows = blocks_of(window.rows, x[2]), columns = blocks_of(window.columns, x[3]);
  Dims pads(8, 0);
  put_pads(window.rows, rows, x[2], 2, pads);
  put_pads(window.columns, columns, x[3], 3, pads);
  Expansion made(node);
  std::string y = made.in(0);
  if (node.dims().size() == 3) y = made.add("Reshape", {y, made.integers(x)});
  if (pads != Dims(8, 0)) y = made.add("Pad", {y, made.integers(pads)});
  y = blocked(made, y, x, rows, columns);
  const auto weights = made.reals({w[0], w[1] * rows.size * columns.size, rows.taps, columns.taps},
                                  weights_of_blocks(node.weights(1, "W").real(), w, rows, columns));
  std::vector<std::string> operands{y, weights};
  if (node.has(2)) operands.push_back(made.in(2));
  // The axis without blocks keeps its window.
  const auto rest = [](const WindowAxis& axis, int64_t otherwise, int64_t WindowAxis::*member) {
    return exceeds(axis) ? otherwise : axis.*member;
  };
  const WindowAxis &r = window.rows, &c = window.columns;
  y = made.add("Conv", operands,
               {{"strides", Dims{rest(r, 1, &WindowAxis::stride), rest(c, 1, &WindowAxis::stride)}},
                {"dilations", Dims{r.dilation, c.dilation}},
                {"pads", Dims{rest(r, 0, &WindowAxis::before), rest(c, 0, &WindowAxis::before),
                              rest(r, 0, &WindowAxis::behind), rest(c, 0, &WindowAxis::behind)}},
                {"group", node.integer("group", 1)}});
  finish(node, made, y, extents_after(node, w[0], window));
}

bool has_phases(const NodeWindow& window) {
  const auto is_large = [](const WindowAxis& axis) {
    return axis.kernel > 1 && axis.dilation > kLargestDilation;
  };
  const bool steps = window.rows.stride == 1 && window.columns.stride == 1;
  return steps && (is_large(window.rows) || is_large(window.columns));
}

namespace {

// One axis whose every d-th element is a phase: padded to whole phases of `extent` elements.
struct Phases {
  int64_t count, extent, outputs;
};

Phases phases_of(const WindowAxis& axis, int64_t size) {
  const int64_t d = axis.kernel > 1 ? axis.dilation : 1;
  const int64_t extent = (size + axis.before + axis.behind + d - 1) / d;
  return {d, extent, extent - axis.kernel + 1};
}

}  // namespace

void expand_conv_of_phases(Node& node, const NodeWindow& window) {
  const Dims x = of_four(node.dims()), w = of_four(node.dims(1));
  const Phases r = phases_of(window.rows, x[2]), c = phases_of(window.columns, x[3]);
  const int64_t samples = x[0] * r.count * c.count;
  Expansion made(node);
  std::string y = made.in(0);
  if (node.dims().size() == 3) y = made.add("Reshape", {y, made.integers(x)});
  const Dims pads{0,
                  0,
                  window.rows.before,
                  window.columns.before,
                  0,
                  0,
                  r.extent * r.count - x[2] - window.rows.before,
                  c.extent * c.count - x[3] - window.columns.before};
  y = made.add("Pad", {y, made.integers(pads)});
  y = made.add("Reshape", {y, made.integers({x[0], x[1], r.extent, r.count, c.extent, c.count})});
  y = made.add("Transpose", {y}, {{"perm", Dims{0, 3, 5, 1, 2, 4}}});
  y = made.add("Reshape", {y, made.integers({samples, x[1], r.extent, c.extent})});
  std::vector<std::string> operands{y, made.reals(w, node.weights(1, "W").real())};
  if (node.has(2)) operands.push_back(made.in(2));
  y = made.add("Conv", operands, {{"group", node.integer("group", 1)}});
  y = made.add("Reshape", {y, made.integers({x[0], r.count, c.count, w[0], r.outputs, c.outputs})});
  y = made.add("Transpose", {y}, {{"perm", Dims{0, 3, 4, 1, 5, 2}}});
  y = made.add("Reshape",
               {y, made.integers({x[0], w[0], r.outputs * r.count, c.outputs * c.count})});
  y = made.add("Slice",
               {y, made.integers({0, 0}),
                made.integers({window.rows.outputs, std::max<int64_t>(1, window.columns.outputs)}),
                made.integers({2, 3})});
  finish(node, made, y, extents_after(node, w[0], window));
}

bool has_large_pads(const NodeWindow& window) {
  const WindowAxis &r = window.rows, &c = window.columns;
  return std::max({r.before, r.behind, c.before, c.behind}) > kLargestPad;
}

void expand_conv_of_pads(Node& node, const NodeWindow& window) {
  const Dims x = of_four(node.dims()), w = of_four(node.dims(1));
  const WindowAxis &r = window.rows, &c = window.columns;
  Expansion made(node);
  std::string y = made.in(0);
  if (node.dims().size() == 3) y = made.add("Reshape", {y, made.integers(x)});
  y = made.add("Pad", {y, made.integers({0, 0, r.before, c.before, 0, 0, r.behind, c.behind})});
  std::vector<std::string> operands{y, made.reals(w, node.weights(1, "W").real())};
  if (node.has(2)) operands.push_back(made.in(2));
  y = made.add("Conv", operands,
               {{"strides", Dims{r.stride, c.stride}},
                {"dilations", Dims{r.dilation, c.dilation}},
                {"group", node.integer("group", 1)}});
  finish(node, made, y, extents_after(node, w[0], window));
}

bool has_many_channels(const Node& node, const NodeWindow& window) {
  const auto is_one = [](const WindowAxis& axis) {
    return axis.kernel == 1 && axis.stride == 1 && axis.before == 0 && axis.behind == 0;
  };
  const Dims x = of_four(node.dims());
  return x[1] > kMostChannels && x[2] * x[3] <= kMostColumns && is_one(window.rows) &&
         is_one(window.columns) && node.integer("group", 1) == 1;
}

// Channels i * k to i * k + k - 1 are the k rows of channel i: (channels / k, k, rows * columns)
// has the elements of (channels, rows, columns) in the same order.
void expand_conv_of_channels(Node& node) {
  const Dims x = of_four(node.dims()), w = of_four(node.dims(1));
  int64_t k = 2;
  while (k < x[1] && (x[1] % k != 0 || x[1] / k > kMostChannels)) ++k;
  Expansion made(node);
  const std::string flat =
      made.add("Reshape", {made.in(0), made.integers({x[0], x[1] / k, k, x[2] * x[3]})});
  std::vector<std::string> operands{
      flat, made.reals({w[0], x[1] / k, k, 1}, node.weights(1, "W").real())};
  if (node.has(2)) operands.push_back(made.in(2));
  const std::string y = made.add("Conv", operands);
  Dims dims = node.dims();
  dims[1] = w[0];
  made.set(made.add("Reshape", {y, made.integers(dims)}));
}

bool is_large_pool(const NodeWindow& window) {
  return has_large_stride(window) || window.rows.kernel > kLargestPool ||
         window.columns.kernel > kLargestPool;
}

bool is_large_block(const NodeWindow& window, const Dims& map) {
  const auto is_block = [](const WindowAxis& axis, int64_t extent) {
    return axis.before == 0 && (axis.outputs == 1 || axis.kernel == axis.stride) &&
           axis.outputs * axis.kernel <= extent;
  };
  return is_large_pool(window) && is_block(window.rows, map[2]) && is_block(window.columns, map[3]);
}

void expand_max_of_blocks(Node& node, const NodeWindow& window) {
  const Dims x = of_four(node.dims());
  const auto blocks = [](const WindowAxis& axis) { return Blocks{axis.kernel, 1, axis.outputs}; };
  const Blocks rows = blocks(window.rows), columns = blocks(window.columns);
  const Dims excess{rows.extent * rows.size - x[2], columns.extent * columns.size - x[3]};
  Expansion made(node);
  std::string y = made.in(0);
  if (node.dims().size() == 3) y = made.add("Reshape", {y, made.integers(x)});
  if (excess != Dims{0, 0})
    y = made.add("Pad", {y, made.integers({0, 0, 0, 0, 0, 0, excess[0], excess[1]})});
  y = made.add(
      "Reshape",
      {y, made.integers({x[0] * x[1], rows.extent, rows.size, columns.extent * columns.size})});
  y = made.add("ReduceMax", {y, made.integers({2})}, {{"keepdims", int64_t{0}}});
  y = made.add("Reshape",
               {y, made.integers({x[0] * x[1], rows.extent, columns.extent, columns.size})});
  y = made.add("ReduceMax", {y, made.integers({3})}, {{"keepdims", int64_t{0}}});
  const Dims result = extents_after(node, x[1], window);
  y = made.add("Reshape", {y, made.integers(result)});
  finish(node, made, y, result);
}

}  // namespace tputwin::net::onnx_reader
