// Resizing: nearest, linear and cubic interpolation along rows and columns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bmnet/onnx/reader/resample.h"

namespace tputwin::net::onnx_reader {
namespace {

constexpr int64_t kMostOutputs = int64_t{1} << 20;

struct Method {
  std::string mode, coordinates, nearest, aspect_ratio = "stretch";
  float cubic_a = -0.75f;
  bool exclude_outside = false;
  bool antialias = false;
};

// Scaling of one axis: its extents, the factor between them, and the result's extent before it was
// rounded down.
struct Scaling {
  int64_t size = 1, outputs = 1;
  float scale = 1;
  double whole = 1;
};

// Returns the position in the input of element `i` of the result. Factors and coordinates are fp32,
// as in ONNX Runtime. In fp32, (11 + 0.5) / 1.1 - 0.5 may be below the whole number that doubles
// give.
float coordinate(const Method& m, int64_t i, const Scaling& axis) {
  const auto x = static_cast<float>(i);
  // Without scaling, the position is unchanged.
  if (axis.scale == 1 && axis.outputs == axis.size) return x;
  if (m.coordinates == "asymmetric") return x / axis.scale;
  if (m.coordinates == "align_corners") {
    // Uses the extent before rounding, as ONNX's own results do.
    if (axis.outputs == 1) return 0;
    return static_cast<float>(static_cast<double>(i) * static_cast<double>(axis.size - 1) /
                              (axis.whole - 1));
  }
  if (m.coordinates == "tf_half_pixel_for_nn") return (x + 0.5f) / axis.scale;
  if (m.coordinates == "pytorch_half_pixel" && axis.outputs == 1) return 0;
  if (m.coordinates == "half_pixel_symmetric") {
    // The pixels that rounding of the extent removed are missing on both sides alike.
    const auto adjusted = static_cast<float>(static_cast<double>(axis.outputs) / axis.whole);
    const float offset = static_cast<float>(axis.size) / 2 * (1 - adjusted);
    return offset + (x + 0.5f) / axis.scale - 0.5f;
  }
  return (x + 0.5f) / axis.scale - 0.5f;
}

int64_t nearest(const Method& m, float x, float scale) {
  const bool rounds_up = m.nearest == "ceil" || (m.nearest == "simple" && scale < 1);
  if (rounds_up) return static_cast<int64_t>(std::ceil(x));
  if (m.nearest == "floor" || m.nearest == "simple") return static_cast<int64_t>(std::floor(x));
  // ONNX Runtime treats values next to a tie as ties, since rounding may miss it: 4.5f / 0.6f is
  // below 7.5.
  constexpr float kNextTo = 1e-6f;
  const bool is_tie = std::fabs(x - std::floor(x) - 0.5f) < kNextTo;
  if (!is_tie) return static_cast<int64_t>(std::round(x));
  return static_cast<int64_t>(m.nearest == "round_prefer_floor" ? std::floor(x) : std::ceil(x));
}

double cubic(double t, double a) {
  t = std::fabs(t);
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

double triangle(double t) { return std::max(0.0, 1 - std::fabs(t)); }

// The filter as wide as the pixels of a smaller result are apart, so that each source counts. What
// is beyond the borders counts at the border, or not at all.
AxisTaps smoothed_taps(const Method& m, const Scaling& scaling) {
  const double reach = m.mode == "cubic" ? 2 : 1, step = 1 / static_cast<double>(scaling.scale);
  const int64_t size = scaling.size, taps = 2 * static_cast<int64_t>(std::ceil(reach * step)) + 1;
  AxisTaps axis{.taps = taps, .outputs = scaling.outputs};
  for (int64_t i = 0; i < axis.outputs; ++i) {
    const double x = coordinate(m, i, scaling);
    const auto first = static_cast<int64_t>(std::floor(x + 0.5)) - taps / 2;
    std::vector<double> weight;
    double sum = 0;
    for (int64_t k = first; k < first + taps; ++k) {
      const double t = (static_cast<double>(k) - x) / step;
      const bool counts = !m.exclude_outside || (k >= 0 && k < size);
      weight.push_back(counts ? (reach == 2 ? cubic(t, m.cubic_a) : triangle(t)) : 0);
      sum += weight.back();
    }
    for (int64_t k = 0; k < taps; ++k)
      axis.add(std::clamp<int64_t>(first + k, 0, size - 1), weight[static_cast<size_t>(k)] / sum);
  }
  return axis;
}

AxisTaps axis_taps(const Method& m, const Scaling& scaling) {
  const int64_t size = scaling.size;
  if (m.antialias && scaling.scale < 1 && m.mode != "nearest") return smoothed_taps(m, scaling);
  AxisTaps axis{.taps = m.mode == "nearest" ? 1
                        : m.mode == "cubic" ? 4
                                            : 2,
                .outputs = scaling.outputs};
  const auto inside = [&](int64_t at) { return std::clamp<int64_t>(at, 0, size - 1); };
  for (int64_t i = 0; i < axis.outputs; ++i) {
    const float x = coordinate(m, i, scaling);
    const auto base = static_cast<int64_t>(std::floor(x));
    const double fraction = x - std::floor(x);
    if (axis.taps == 1) {
      axis.add(inside(nearest(m, x, scaling.scale)), 1);
    } else if (axis.taps == 2) {
      axis.add(inside(base), 1 - fraction);
      axis.add(inside(base + 1), fraction);
    } else {
      double weight[4], sum = 0;
      for (int64_t k = 0; k < 4; ++k) {
        const bool outside = base - 1 + k < 0 || base - 1 + k >= size;
        weight[k] = m.exclude_outside && outside
                        ? 0
                        : cubic(static_cast<double>(k) - 1 - fraction, m.cubic_a);
        sum += weight[k];
      }
      for (int64_t k = 0; k < 4; ++k)
        axis.add(inside(base - 1 + k), m.exclude_outside ? weight[k] / sum : weight[k]);
    }
  }
  return axis;
}

// Returns the factor by which every source is repeated; 0 if there is none.
int64_t repeats(const AxisTaps& axis, int64_t size) {
  if (axis.taps != 1 || axis.outputs % size != 0) return 0;
  const int64_t factor = axis.outputs / size;
  for (int64_t i = 0; i < axis.outputs; ++i)
    if (axis.source[static_cast<size_t>(i)] != i / factor) return 0;
  return factor;
}

// One entry per axis of the input.
using Scalings = std::vector<Scaling>;

Dims outputs_of(const Scalings& axes) {
  Dims outputs;
  for (const Scaling& axis : axes) outputs.push_back(axis.outputs);
  return outputs;
}

// The values of the axes that the attribute lists, and `otherwise` for the others.
template <class T>
std::vector<T> for_all_axes(const Node& node, std::vector<T> values,
                            const std::vector<T>& otherwise) {
  const Dims axes = node.integers("axes");
  if (axes.empty() || values.empty()) return values;
  node.require(values.size() == axes.size(), "axes", text(axes), "one for each scale or size");
  std::vector<T> all = otherwise;
  for (size_t i = 0; i < axes.size(); ++i) all[node.axis(axes[i], all.size())] = values[i];
  return all;
}

// Sets the extents that keep the ratio of rows to columns, and their factors: one for the axes that
// are listed.
void keep_aspect_ratio(const Node& node, bool larger, Dims& wanted, std::vector<float>& factors) {
  const Dims& x = node.dims();
  Dims axes = node.integers("axes");
  if (axes.empty())
    for (size_t i = 0; i < x.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  const auto factor = [&](int64_t axis) {
    const size_t i = node.axis(axis, x.size());
    return static_cast<float>(wanted[i]) / static_cast<float>(x[i]);
  };
  float scale = factor(axes[0]);
  for (const int64_t axis : axes)
    scale = larger ? std::max(scale, factor(axis)) : std::min(scale, factor(axis));
  for (const int64_t axis : axes) {
    const size_t i = node.axis(axis, x.size());
    wanted[i] = static_cast<int64_t>(std::floor(scale * static_cast<float>(x[i]) + 0.5f));
    factors[i] = scale;
  }
}

// Computes scalings from factors or from extents.
Scalings sizes_of(const Node& node, const Method& m, const Constant* scales,
                  std::vector<float> given, const Constant* sizes) {
  const Dims& x = node.dims();
  Scalings result;
  if (scales != nullptr) given = scales->real();
  given = for_all_axes(node, std::move(given), std::vector<float>(x.size(), 1));
  const bool by_size = given.empty() && sizes != nullptr;
  Dims wanted = by_size ? for_all_axes(node, sizes->whole(), x) : Dims();
  node.require((by_size ? wanted.size() : given.size()) == x.size(), "scales", text(wanted),
               "one value per axis: scales or sizes");
  for (size_t i = 0; by_size && i < x.size(); ++i)
    given.push_back(static_cast<float>(wanted[i]) / static_cast<float>(x[i]));
  if (by_size && m.aspect_ratio != "stretch")
    keep_aspect_ratio(node, m.aspect_ratio == "not_smaller", wanted, given);
  for (size_t i = 0; i < x.size(); ++i) {
    const float scale = given[i];
    // ONNX Runtime and libonnx truncate the product in fp32: 10 * 1.3f is 13.
    const float extent =
        by_size ? static_cast<float>(wanted[i]) : std::floor(static_cast<float>(x[i]) * scale);
    node.require(scale > 0 && extent >= 1 && extent < kMostOutputs, "scales",
                 fmt::format("{}", scale), "of extents in [1, 2^20)");
    const double whole = by_size ? static_cast<double>(wanted[i])
                                 : static_cast<double>(x[i]) * static_cast<double>(scale);
    result.push_back({x[i], static_cast<int64_t>(extent), scale, whole});
  }
  return result;
}

// Resizes rows and columns of x.
std::string resized_map(Node& node, const Method& method, const Scalings& axes,
                        const std::string& x, std::string_view what) {
  const AxisTaps rows = axis_taps(method, axes[2]), columns = axis_taps(method, axes[3]);
  const int64_t by_rows = repeats(rows, axes[2].size), by_columns = repeats(columns, axes[3].size);
  if (by_rows == 1 && by_columns == 1) return x;
  if (by_rows < 1 || by_columns < 1) return resample(node, x, rows, columns, what);
  TensorOp op = make_op(Op::upsample);
  op.mutable_tg_upsample_param()->add_size(static_cast<uint32_t>(by_rows));
  op.mutable_tg_upsample_param()->add_size(static_cast<uint32_t>(by_columns));
  return node.add(std::move(op), {x}, what);
}

// Resizes other axes than the last two: they are transposed there and back.
void resize_others(Node& node, const Method& method, const Scalings& axes, const Dims& x,
                   const Dims& outputs) {
  std::vector<size_t> order, back(4);
  for (const bool changes : {false, true})
    for (size_t axis = 0; axis < 4; ++axis)
      if ((axes[axis].outputs != axes[axis].size) == changes) order.push_back(axis);
  Scalings in_order;
  for (size_t i = 0; i < 4; ++i) {
    back[order[i]] = i;
    in_order.push_back(axes[order[i]]);
  }
  node.require(in_order[1].outputs == in_order[1].size, "scales", text(outputs),
               "of at most two axes");
  const std::string moved = transposed(node, node.tensor(0, x), x, order, "moved");
  const std::string map = node.view(moved, permuted(x, order));
  const std::string y = resized_map(node, method, in_order, map, "resized");
  const std::string result = transposed(node, y, outputs_of(in_order), back, "");
  node.set(node.view(result, net_dims(outputs)), outputs);
}

// Resizes maps of more axes: the last two at once, then each other as the rows of a map.
void resize_deep(Node& node, const Method& method, const Scalings& axes) {
  Dims now = node.dims();
  const size_t last = now.size() - 1;
  std::string y = node.tensor(0, {1, run(now, 0, last - 1), now[last - 1], now[last]});
  const auto step = [&](const Scaling& rows, const Scaling& columns) {
    y = resized_map(node, method, {{}, {}, rows, columns}, y, "resized");
  };
  step(axes[last - 1], axes[last]);
  now[last - 1] = axes[last - 1].outputs;
  now[last] = axes[last].outputs;
  for (size_t axis = last - 1; axis-- > 0;) {
    if (axes[axis].outputs == axes[axis].size && axes[axis].scale == 1) continue;
    const int64_t inner = run(now, axis + 1, now.size());
    y = node.view(y, {1, run(now, 0, axis), now[axis], inner});
    step(axes[axis], {inner, inner, 1, static_cast<double>(inner)});
    now[axis] = axes[axis].outputs;
  }
  node.set(node.view(y, net_dims(now)), now);
}

void resize(Node& node, const Method& method, Scalings axes) {
  const auto changes = [](const Scaling& axis) { return axis.outputs != axis.size; };
  if (axes.size() > 4 || std::ranges::count_if(axes, changes) > 2)
    return resize_deep(node, method, axes);
  const Dims outputs = outputs_of(axes);
  // One or two axes are the rows and columns of one channel.
  Dims x = node.dims();
  if (x.size() > 2) {
    x = map_dims(node, x);
  } else {
    axes.insert(axes.begin(), 2, Scaling{});
    x.insert(x.begin(), 2, 1);
    x.resize(4, 1);
  }
  // ONNX Runtime and PyTorch copy the input if extents do not change, for any factors.
  if (outputs == node.dims()) return node.set(node.in(0));
  axes.resize(4);
  if (axes[0].outputs != x[0] || axes[1].outputs != x[1])
    return resize_others(node, method, axes, x, outputs);
  const std::string y = resized_map(node, method, axes, node.tensor(0, x), "");
  if (y == node.tensor(0, x)) return node.set(node.in(0));
  node.set(node.view(y, net_dims(outputs)), outputs);
}

const Constant* optional_values(const Node& node, size_t input, std::string_view name) {
  if (!node.has(input)) return nullptr;
  const Constant& values = node.weights(input, name);
  return values.size() == 0 ? nullptr : &values;
}

}  // namespace

void import_resize(Node& node) {
  Method m;
  m.mode = node.text("mode", "nearest");
  const bool first = node.opset < 11;
  m.coordinates = node.text("coordinate_transformation_mode", first ? "asymmetric" : "half_pixel");
  m.nearest = node.text("nearest_mode", first ? "simple" : "round_prefer_floor");
  m.cubic_a = node.real("cubic_coeff_a", -0.75f);
  m.exclude_outside = node.integer("exclude_outside", 0) != 0;
  m.antialias = node.integer("antialias", 0) != 0;
  node.require(m.coordinates != "tf_crop_and_resize", "coordinate_transformation_mode",
               m.coordinates, "any other");
  node.require(m.mode == "nearest" || m.mode == "linear" || m.mode == "cubic", "mode", m.mode,
               "nearest, linear or cubic");
  m.aspect_ratio = node.text("keep_aspect_ratio_policy", m.aspect_ratio);
  node.require(m.aspect_ratio == "stretch" || m.aspect_ratio == "not_larger" ||
                   m.aspect_ratio == "not_smaller",
               "keep_aspect_ratio_policy", m.aspect_ratio, "stretch, not_larger or not_smaller");
  const Constant* scales = optional_values(node, first ? 1 : 2, "scales");
  const Constant* sizes = first ? nullptr : optional_values(node, 3, "sizes");
  const Scalings axes = sizes_of(node, m, scales, {}, sizes);
  resize(node, m, axes);
}

void import_upsample(Node& node) {
  Method m{.mode = node.text("mode", "nearest"), .coordinates = "asymmetric", .nearest = "simple"};
  node.require(m.mode == "nearest" || m.mode == "linear", "mode", m.mode, "nearest or linear");
  const Constant* scales = optional_values(node, 1, "scales");
  resize(node, m, sizes_of(node, m, scales, node.reals("scales"), nullptr));
}

}  // namespace tputwin::net::onnx_reader
