// Resizing and padding: weighted sums of the input's rows and columns.
#include <fmt/format.h>

#include <cmath>

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {
namespace {

constexpr int64_t kMostEntries = int64_t{1} << 20;

// Sources and weights of one axis. All outputs have the same number of taps.
struct AxisTaps {
  int64_t taps = 1, outputs = 0;
  std::vector<int64_t> source;
  std::vector<float> weight;
  void add(int64_t from, double by) {
    source.push_back(from);
    weight.push_back(static_cast<float>(by));
  }
};

std::string resample(Node& node, const std::string& x, const AxisTaps& rows,
                     const AxisTaps& columns, std::string_view what) {
  TensorOp op = make_op(Op::resample);
  auto& p = *op.mutable_tg_resample_param();
  p.set_row_taps(static_cast<uint32_t>(rows.taps));
  p.set_column_taps(static_cast<uint32_t>(columns.taps));
  for (int64_t s : rows.source) p.add_row_source(static_cast<uint32_t>(s));
  for (int64_t s : columns.source) p.add_column_source(static_cast<uint32_t>(s));
  for (float w : rows.weight) p.add_row_weight(w);
  for (float w : columns.weight) p.add_column_weight(w);
  return node.add(std::move(op), {x}, what);
}

// ---- Resize ----

struct Method {
  std::string mode, coordinates, nearest;
  float cubic_a = -0.75f;
  bool exclude_outside = false;
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

AxisTaps axis_taps(const Method& m, const Scaling& scaling) {
  const int64_t size = scaling.size;
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

// Computes scalings from factors or from extents.
Scalings sizes_of(const Node& node, const Constant* scales, std::vector<float> given,
                  const Constant* sizes) {
  const Dims& x = node.dims();
  Scalings result;
  if (scales != nullptr) given = scales->real();
  const bool by_size = given.empty() && sizes != nullptr;
  const Dims wanted = by_size ? sizes->whole() : Dims();
  node.require((by_size ? wanted.size() : given.size()) == x.size(), "scales", text(wanted),
               "one value per axis: scales or sizes");
  for (size_t i = 0; i < x.size(); ++i) {
    const float scale =
        by_size ? static_cast<float>(wanted[i]) / static_cast<float>(x[i]) : given[i];
    // ONNX Runtime and libonnx truncate the product in fp32: 10 * 1.3f is 13.
    const float extent =
        by_size ? static_cast<float>(wanted[i]) : std::floor(static_cast<float>(x[i]) * scale);
    node.require(scale > 0 && extent >= 1 && extent < kMostEntries, "scales",
                 fmt::format("{}", scale), "of extents in [1, 2^20)");
    const double whole = by_size ? static_cast<double>(wanted[i])
                                 : static_cast<double>(x[i]) * static_cast<double>(scale);
    result.push_back({x[i], static_cast<int64_t>(extent), scale, whole});
  }
  return result;
}

void resize(Node& node, const Method& method, Scalings axes) {
  const Dims x = map_dims(node, node.dims());
  const Dims outputs = outputs_of(axes);
  // ONNX Runtime and PyTorch copy the input if extents do not change, for any factors.
  if (outputs == node.dims()) return node.set(node.in(0));
  axes.resize(4);
  node.require(axes[0].outputs == x[0] && axes[1].outputs == x[1], "scales", text(outputs),
               "of rows and columns only");
  const AxisTaps rows = axis_taps(method, axes[2]), columns = axis_taps(method, axes[3]);
  const int64_t by_rows = repeats(rows, x[2]), by_columns = repeats(columns, x[3]);
  if (by_rows == 1 && by_columns == 1) return node.set(node.in(0));
  if (by_rows < 1 || by_columns < 1)
    return node.set(
        node.view(resample(node, node.tensor(0, x), rows, columns, ""), net_dims(outputs)),
        outputs);
  TensorOp op = make_op(Op::upsample);
  op.mutable_tg_upsample_param()->add_size(static_cast<uint32_t>(by_rows));
  op.mutable_tg_upsample_param()->add_size(static_cast<uint32_t>(by_columns));
  const std::string y = node.add(std::move(op), {node.tensor(0, x)}, "");
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
  node.require(m.coordinates != "tf_crop_and_resize", "coordinate_transformation_mode",
               m.coordinates, "any other");
  node.require(m.mode == "nearest" || m.mode == "linear" || m.mode == "cubic", "mode", m.mode,
               "nearest, linear or cubic");
  const Constant* scales = optional_values(node, first ? 1 : 2, "scales");
  const Constant* sizes = first ? nullptr : optional_values(node, 3, "sizes");
  resize(node, m, sizes_of(node, scales, {}, sizes));
}

void import_upsample(Node& node) {
  Method m{.mode = node.text("mode", "nearest"), .coordinates = "asymmetric", .nearest = "simple"};
  node.require(m.mode == "nearest" || m.mode == "linear", "mode", m.mode, "nearest or linear");
  const Constant* scales = optional_values(node, 1, "scales");
  resize(node, m, sizes_of(node, scales, node.reals("scales"), nullptr));
}

// ---- Pad ----

namespace {

constexpr int64_t kLargestPad = 15;  // for a convolution on the chip
// Largest value around a map. Exporters write the smallest float for -inf.
constexpr float kLargestValue = 1e30f;

struct Sides {
  int64_t before = 0, behind = 0;
  bool any() const { return before != 0 || behind != 0; }
};

AxisTaps padded(const Sides& sides, int64_t size, const std::string& mode) {
  AxisTaps axis{.outputs = size + sides.before + sides.behind};
  for (int64_t i = -sides.before; i < size + sides.behind; ++i) {
    int64_t from = std::clamp<int64_t>(i, 0, size - 1);
    if (mode == "reflect") from = i < 0 ? -i : i >= size ? 2 * size - 2 - i : i;
    axis.add(std::clamp<int64_t>(from, 0, size - 1), mode == "constant" && from != i ? 0 : 1);
  }
  return axis;
}

// Adds zeros around rows and columns: a depthwise convolution with windows of one element.
std::string with_zeros(Node& node, const std::string& x, const Sides& rows, const Sides& columns,
                       std::string_view what) {
  TensorOp op = make_op(Op::convolution);
  auto& p = *op.mutable_tg_convolution_param();
  const int64_t channels = node.graph.dims(x)[1];
  for (int i = 0; i < 2; ++i) {
    p.add_kernel_size(1);
    p.add_stride(1);
    p.add_dilation(1);
  }
  for (int64_t pad : {rows.before, rows.behind, columns.before, columns.behind})
    p.add_pad(static_cast<uint32_t>(pad));
  p.set_group(static_cast<uint32_t>(channels));
  *op.add_output_shape() = make_shape({1, channels, 1, 1});
  return node.add(std::move(op), {x}, what,
                  {{{channels, 1, 1, 1}, std::vector<float>(static_cast<size_t>(channels), 1.0f)}});
}

// Crops the input by negative pads.
std::string cropped(Node& node, const std::string& x, std::vector<Sides>& sides, Dims& now) {
  TensorOp op = make_op(Op::crop);
  bool any = false;
  for (size_t axis = 0; axis < 4; ++axis) {
    const int64_t front = std::min<int64_t>(0, sides[axis].before);
    const int64_t back = std::min<int64_t>(0, sides[axis].behind);
    op.mutable_tg_crop_param()->add_offset(static_cast<uint32_t>(-front));
    any = any || front != 0 || back != 0;
    now[axis] += front + back;
    node.require(now[axis] >= 1, "pads", text(now), "they leave something");
    sides[axis].before -= front;
    sides[axis].behind -= back;
  }
  if (!any) return x;
  *op.add_output_shape() = make_shape(now);
  return node.add(std::move(op), {x}, "cut");
}

}  // namespace

void import_pad(Node& node) {
  const Dims& x = node.dims();
  const auto pads = node.list(1, "pads");
  const std::string mode = node.text("mode", "constant");
  node.require(pads && pads->size() == 2 * x.size() && x.size() <= 4, "pads",
               pads ? text(*pads) : "none", "two for each of at most four axes");
  float value = node.real("value", 0);
  if (node.has(2)) {
    const Constant& given = node.weights(2, "constant_value");
    value = given.size() == 0 ? 0 : static_cast<float>(given.at(0));
  }
  std::vector<Sides> sides(4);
  Dims now = x, result = x;
  now.resize(4, 1);
  for (size_t i = 0; i < x.size(); ++i) {
    sides[i] = {(*pads)[i], (*pads)[x.size() + i]};
    node.require(
        std::abs(sides[i].before) < kMostEntries && std::abs(sides[i].behind) < kMostEntries,
        "pads", text(*pads), "below 2^20");
    result[i] += sides[i].before + sides[i].behind;
  }
  std::string y = cropped(node, node.tensor(0, now), sides, now);
  node.require(!sides[0].any() && !sides[1].any(), "pads", text(*pads), "of rows and columns only");
  const bool zeros = mode == "constant";
  const bool shifts = zeros && value != 0;
  node.require(!zeros || std::fabs(value) < kLargestValue, "constant_value",
               fmt::format("{}", value),
               "finite; before a MaxPool, let the pool have the pads itself");
  node.require(zeros || mode == "edge" || mode == "reflect", "mode", mode,
               "constant, edge or reflect");
  if (!sides[2].any() && !sides[3].any()) return node.set(node.view(y, net_dims(result)), result);
  for (size_t axis : {2, 3})
    node.require(mode != "reflect" || std::max(sides[axis].before, sides[axis].behind) < now[axis],
                 "pads", text(*pads), "below the extent, which is reflected once");
  const bool small =
      std::max({sides[2].before, sides[2].behind, sides[3].before, sides[3].behind}) <= kLargestPad;
  // For a value other than 0: subtracts it, pads with zeros, and adds it again.
  if (shifts) y = power(node, y, 1, -value, 1, "less");
  const std::string_view what = shifts ? "padded" : "";
  y = zeros && small
          ? with_zeros(node, y, sides[2], sides[3], what)
          : resample(node, y, padded(sides[2], now[2], mode), padded(sides[3], now[3], mode), what);
  if (shifts) y = power(node, y, 1, value, 1, "");
  node.set(node.view(y, net_dims(result)), result);
}

}  // namespace tputwin::net::onnx_reader
