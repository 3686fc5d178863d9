// Convolutions and pooling.
#include <fmt/format.h>

#include <cmath>

#include "bmnet/onnx/reader/large_windows.h"
#include "bmnet/onnx/reader/operators/computed.h"

namespace tputwin::net::onnx_reader {
namespace {

constexpr int64_t kLargestWindow = 255;  // rows or columns of the chip's pooling
// The values of a channel that one window has: they must fit a lane, next to the result.
constexpr int64_t kLargestPoolMap = 60000;

template <class List>
void put(List* list, std::initializer_list<int64_t> values) {
  for (int64_t v : values) list->Add(static_cast<uint32_t>(v));
}

// Returns an attribute with one value per axis.
Dims per_axis(const Node& node, std::string_view attribute, size_t axes, int64_t otherwise) {
  Dims values = node.integers(attribute);
  if (values.empty()) values.assign(axes, otherwise);
  node.require(values.size() == axes, attribute, text(values),
               fmt::format("one value for each of {} axes", axes));
  for (int64_t v : values)
    node.require(v >= 1 && v <= 65535, attribute, text(values), "in [1, 65535]");
  return values;
}

int64_t windows(const WindowAxis& axis, int64_t size, bool ceil) {
  const int64_t room = size + axis.before + axis.behind - axis.reach();
  if (room < 0) return 0;
  int64_t outputs = (ceil ? room + axis.stride - 1 : room) / axis.stride + 1;
  // A window that begins after the input does not count.
  if (ceil && (outputs - 1) * axis.stride >= size + axis.before) --outputs;
  return outputs;
}

void same_pads(WindowAxis& axis, int64_t size, bool upper) {
  const int64_t outputs = (size + axis.stride - 1) / axis.stride;
  const int64_t pads = std::max<int64_t>(0, (outputs - 1) * axis.stride + axis.reach() - size);
  axis.before = upper ? pads / 2 : pads - pads / 2;
  axis.behind = pads - axis.before;
}

Dims read_pads(const Node& node, size_t axes) {
  Dims pads = node.integers("pads");
  if (pads.empty()) pads.assign(2 * axes, 0);
  node.require(pads.size() == 2 * axes, "pads", text(pads), "two values for each axis");
  for (int64_t pad : pads)
    node.require(pad >= 0 && pad <= 65535, "pads", text(pads), "in [0, 65535]");
  return pads;
}

void check_map(const Node& node, size_t rank) {
  node.require(
      rank == 3 || rank == 4, "axes", std::to_string(rank),
      "maps have one or two axes behind samples and channels, and three in Conv, ConvTranspose "
      "and pools");
}

std::string convolve(Node& node, const std::string& x, const Constant& w, const Constant* b,
                     const NodeWindow& window, int64_t outputs, int64_t group, bool transposed,
                     const std::vector<float>& weights) {
  TensorOp op = make_op(Op::convolution);
  auto& p = *op.mutable_tg_convolution_param();
  const WindowAxis &rows = window.rows, &columns = window.columns;
  put(p.mutable_kernel_size(), {rows.kernel, columns.kernel});
  put(p.mutable_stride(), {rows.stride, columns.stride});
  put(p.mutable_dilation(), {rows.dilation, columns.dilation});
  put(p.mutable_pad(), {rows.before, rows.behind, columns.before, columns.behind});
  if (transposed) put(p.mutable_ins(), {rows.stride - 1, columns.stride - 1});
  p.set_group(static_cast<uint32_t>(group));
  p.set_bias_term(b != nullptr);
  *op.add_output_shape() = make_shape({1, outputs, 1, 1});
  std::vector<Blob> blobs{{{w.dims[0], w.dims[1], rows.kernel, columns.kernel}, weights}};
  if (b != nullptr) blobs.push_back({{outputs}, b->real()});
  return node.add(std::move(op), {x}, "", std::move(blobs));
}

}  // namespace

Dims map_dims(const Node& node, const Dims& dims) {
  check_map(node, dims.size());
  Dims result = dims;
  result.resize(4, 1);
  return result;
}

Dims result_dims(const Dims& like, const Dims& net) {
  return {net.begin(), net.begin() + static_cast<std::ptrdiff_t>(like.size())};
}

std::vector<WindowAxis> read_windows(const Node& node, const Dims& kernel) {
  const Dims& dims = node.dims();
  const size_t axes = dims.size() - 2;
  node.require(kernel.size() == axes, "kernel_shape", text(kernel), "one value for each axis");
  const Dims stride = per_axis(node, "strides", axes, 1);
  const Dims dilation = per_axis(node, "dilations", axes, 1);
  const Dims pads = read_pads(node, axes);
  const std::string automatic = node.text("auto_pad", "NOTSET");
  const bool ceil = node.integer("ceil_mode", 0) != 0;
  std::vector<WindowAxis> result;
  for (size_t i = 0; i < axes; ++i) {
    WindowAxis& axis =
        result.emplace_back(WindowAxis{kernel[i], stride[i], dilation[i], pads[i], pads[axes + i]});
    node.require(axis.kernel >= 1 && axis.reach() < int64_t{1} << 31, "kernel_shape", text(kernel),
                 "at least 1");
    if (automatic == "VALID") axis.before = axis.behind = 0;
    if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER")
      same_pads(axis, dims[i + 2], automatic == "SAME_UPPER");
    axis.outputs = windows(axis, dims[i + 2], ceil);
    node.require(axis.outputs >= 1, "kernel_shape", text(kernel),
                 "a window is no larger than the padded input " + text(dims));
  }
  return result;
}

NodeWindow read_window(const Node& node, const Dims& kernel) {
  check_map(node, node.dims().size());
  const std::vector<WindowAxis> axes = read_windows(node, kernel);
  NodeWindow window;
  window.columns.outputs = 1;  // of a map of one axis
  window.rows = axes[0];
  if (axes.size() > 1) window.columns = axes[1];
  return window;
}

bool is_conv_of_parts(const Node& node, const Constant& w) {
  if (is_deep(node)) return true;
  const NodeWindow window = read_window(node, {w.dims.begin() + 2, w.dims.end()});
  return has_blocks(window) || has_phases(window) || has_large_pads(window) ||
         has_many_channels(node, window);
}

void import_conv(Node& node) {
  if (is_computed(node, 1)) return expand_conv_of_tensors(node);
  if (is_computed(node, 2)) return expand_computed_bias(node);
  const Constant& w = node.weights(1, "W");
  const Constant* b = node.has(2) ? &node.weights(2, "B") : nullptr;
  node.require(w.dims.size() == node.dims().size(), "W", text(w.dims), "as many axes as X");
  if (is_deep(node)) return expand_deep_conv(node);
  const Dims x = map_dims(node, node.dims());
  const NodeWindow window = read_window(node, {w.dims.begin() + 2, w.dims.end()});
  const int64_t group = node.integer("group", 1);
  node.require(group >= 1 && group <= x[1] && group * w.dims[1] == x[1], "W", text(w.dims),
               fmt::format("axis 1 times group {} is the {} channels of X", group, x[1]));
  if (has_idle_taps(node, window)) return expand_conv_without_idle_taps(node, window);
  if (has_blocks(window)) return expand_conv_of_blocks(node, window);
  if (has_phases(window)) return expand_conv_of_phases(node, window);
  if (has_large_pads(window)) return expand_conv_of_pads(node, window);
  if (has_many_channels(node, window)) return expand_conv_of_channels(node);
  const std::string y =
      convolve(node, node.tensor(0, x), w, b, window, w.dims[0], group, false, w.real());
  node.set(y, result_dims(node.dims(), node.graph.dims(y)));
}

// Computes the pads that are cut off the whole result. If their total is odd, the larger part is at
// the beginning unless auto_pad is SAME_UPPER. A wanted extent beyond the whole result extends it
// at the end, as in ONNX Runtime.
void transposed_pads(const Node& node, WindowAxis& axis, int64_t size, int64_t wanted,
                     int64_t extra, const std::string& automatic) {
  const int64_t whole = axis.stride * (size - 1) + extra + axis.reach();
  const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  const bool is_given = wanted != 0;
  if (wanted == 0 && same) wanted = size * axis.stride;
  if (automatic == "VALID") axis.before = axis.behind = 0;
  if (wanted != 0) {
    const int64_t pads = whole - wanted;
    node.require(pads > -65536, "output_shape", std::to_string(wanted),
                 "no larger than the result without pads and 65535");
    axis.before = automatic == "SAME_UPPER" ? pads / 2 : pads - pads / 2;
    if (is_given) axis.before = std::max<int64_t>(0, axis.before);
    axis.behind = pads - axis.before;
  }
  axis.behind -= extra;
  node.require(axis.before <= axis.reach() - 1 && axis.behind <= axis.reach() - 1, "pads",
               fmt::format("{}, {}", axis.before, axis.behind), "below the (dilated) kernel");
}

std::vector<WindowAxis> read_transposed_windows(const Node& node, const Dims& kernel) {
  const size_t axes = node.dims().size() - 2;
  const Dims stride = per_axis(node, "strides", axes, 1);
  const Dims dilation = per_axis(node, "dilations", axes, 1);
  const Dims pads = read_pads(node, axes);
  Dims extra = node.integers("output_padding"), shape = node.integers("output_shape");
  if (extra.empty()) extra.assign(axes, 0);
  if (shape.empty()) shape.assign(axes, 0);
  if (shape.size() == axes + 2) shape.erase(shape.begin(), shape.begin() + 2);
  node.require(extra.size() == axes && shape.size() == axes, "output_padding", text(extra),
               "one value for each axis");
  std::vector<WindowAxis> windows;
  for (size_t i = 0; i < axes; ++i) {
    WindowAxis& axis = windows.emplace_back();
    axis = {kernel[i], stride[i], dilation[i], pads[i], pads[axes + i]};
    node.require(extra[i] >= 0 && extra[i] < 65536 && shape[i] >= 0, "output_padding", text(extra),
                 "not negative");
    transposed_pads(node, axis, node.dims()[i + 2], shape[i], extra[i],
                    node.text("auto_pad", "NOTSET"));
  }
  return windows;
}

void import_conv_transpose(Node& node) {
  if (is_computed(node, 1) || is_deep(node)) return expand_conv_transpose_of_tensors(node);
  if (is_computed(node, 2)) return expand_computed_bias(node);
  const Constant& w = node.weights(1, "W");
  const Constant* b = node.has(2) ? &node.weights(2, "B") : nullptr;
  const Dims x = map_dims(node, node.dims());
  node.require(w.dims.size() == node.dims().size() && w.dims[0] == x[1], "W", text(w.dims),
               "as many axes as X, the first of its channels");
  const std::vector<WindowAxis> axes =
      read_transposed_windows(node, {w.dims.begin() + 2, w.dims.end()});
  NodeWindow window;
  window.rows = axes[0];
  if (axes.size() > 1) window.columns = axes[1];
  const int64_t group = node.integer("group", 1);
  node.require(group >= 1 && group <= x[1] && x[1] % group == 0, "group", std::to_string(group),
               fmt::format("divides {} channels", x[1]));
  const std::string y =
      convolve(node, node.tensor(0, x), w, b, window, w.dims[1] * group, group, true, w.real());
  node.set(y, result_dims(node.dims(), node.graph.dims(y)));
}

// ---- Pooling ----

namespace {

std::string pool(Node& node, const std::string& x, const NodeWindow& window, bool max) {
  TensorOp op = make_op(Op::pooling);
  auto& p = *op.mutable_tg_pooling_param();
  p.set_pool(max ? ::bmnet::TGPoolingParameter::MAX : ::bmnet::TGPoolingParameter::AVE);
  const Dims dims = node.graph.dims(x);
  // Returns the end pad that the last window needs.
  const auto behind = [](const WindowAxis& axis, int64_t size) {
    return std::max<int64_t>(0,
                             (axis.outputs - 1) * axis.stride + axis.kernel - size - axis.before);
  };
  const WindowAxis &rows = window.rows, &columns = window.columns;
  put(p.mutable_kernel_size(), {rows.kernel, columns.kernel});
  put(p.mutable_stride(), {rows.stride, columns.stride});
  put(p.mutable_pad(),
      {rows.before, behind(rows, dims[2]), columns.before, behind(columns, dims[3])});
  p.set_ceil_mode(false);
  return node.add(std::move(op), {x}, "");
}

// Sets the weights of averages. The divisor of each is the number of taps that count.
void put_average(const WindowAxis& axis, int64_t size, bool counts_pads, uint32_t& taps,
                 google::protobuf::RepeatedField<uint32_t>& source,
                 google::protobuf::RepeatedField<float>& weight) {
  taps = static_cast<uint32_t>(axis.kernel);
  for (int64_t i = 0; i < axis.outputs; ++i) {
    const int64_t begin = i * axis.stride - axis.before;
    const auto inside = [&](int64_t at) { return at >= 0 && at < size; };
    const int64_t end = begin + axis.reach();
    int64_t counted = 0;
    for (int64_t k = begin; k < end; k += axis.dilation)
      counted += inside(k) || (counts_pads && k < size + axis.behind) ? 1 : 0;
    for (int64_t k = begin; k < end; k += axis.dilation) {
      source.Add(static_cast<uint32_t>(std::clamp<int64_t>(k, 0, size - 1)));
      weight.Add(inside(k) ? 1.0f / static_cast<float>(counted) : 0.0f);
    }
  }
}

std::string average_by_taps(Node& node, const std::string& x, const NodeWindow& window,
                            bool counts_pads) {
  TensorOp op = make_op(Op::resample);
  auto& p = *op.mutable_tg_resample_param();
  const Dims dims = node.graph.dims(x);
  uint32_t rows = 1, columns = 1;
  node.require(window.rows.kernel * window.rows.outputs < 1 << 24 &&
                   window.columns.kernel * window.columns.outputs < 1 << 24,
               "kernel_shape", std::to_string(window.rows.kernel), "smaller");
  put_average(window.rows, dims[2], counts_pads, rows, *p.mutable_row_source(),
              *p.mutable_row_weight());
  put_average(window.columns, dims[3], counts_pads, columns, *p.mutable_column_source(),
              *p.mutable_column_weight());
  p.set_row_taps(rows);
  p.set_column_taps(columns);
  return node.add(std::move(op), {x}, "");
}

void check_pads(const Node& node, const NodeWindow& window) {
  const std::string automatic = node.text("auto_pad", "NOTSET");
  node.require(!is_dilated(window) || !automatic.starts_with("SAME"), "auto_pad", automatic,
               "NOTSET or VALID with dilations, where ONNX Runtime has other pads than ONNX; give "
               "the pads");
  for (const WindowAxis& axis : {window.rows, window.columns}) {
    node.require(axis.before < axis.kernel && axis.behind < axis.kernel, "pads",
                 fmt::format("{}, {}", axis.before, axis.behind), "below the kernel");
  }
}

void global(Node& node, bool max) {
  if (is_deep(node)) return expand_deep_global(node);
  const Dims x = map_dims(node, node.dims());
  Dims result(node.dims().size(), 1);
  result[0] = x[0];
  result[1] = x[1];
  if (x[2] <= kLargestWindow && x[3] <= kLargestWindow && x[2] * x[3] <= kLargestPoolMap) {
    NodeWindow window;
    window.rows = {.kernel = x[2], .outputs = 1};
    window.columns = {.kernel = x[3], .outputs = 1};
    const std::string y = pool(node, node.tensor(0, x), window, max);
    return node.set(result.size() == 4 ? y : node.view(y, result), result);
  }
  TensorOp op = make_op(Op::reduction);
  using Parameter = ::bmnet::TGReductionParameter;
  op.mutable_tg_reduction_param()->set_operation(max ? Parameter::MAX : Parameter::MEAN);
  op.mutable_tg_reduction_param()->set_axis(2);
  node.set(node.view(node.add(std::move(op), {node.tensor(0, x)}, "all"), result), result);
}

}  // namespace

namespace {

// Pads of the lowest value become pads of the pool.
void add_pads(WindowAxis& axis, const Dims& pads, size_t first) {
  if (pads.empty()) return;
  axis.before += pads[first];
  axis.behind += pads[first + 1];
}

Dims without_pads(Dims dims, const Dims& pads) {
  if (pads.empty()) return dims;
  dims[2] -= pads[0] + pads[1];
  dims[3] -= pads[2] + pads[3];
  return dims;
}

}  // namespace

void import_max_pool(Node& node) {
  node.require(!node.wants(1), "Indices", "wanted", "leave the second output out");
  if (is_deep(node)) return expand_deep_pool(node);
  const Dims x = without_pads(map_dims(node, node.dims()), node.in(0).lowest_pads);
  NodeWindow window = read_window(node, node.integers("kernel_shape"));
  add_pads(window.rows, node.in(0).lowest_pads, 0);
  add_pads(window.columns, node.in(0).lowest_pads, 2);
  check_pads(node, window);
  if (is_dilated(window)) return expand_dilated_max(node, window);
  if (node.in(0).lowest_pads.empty() && is_large_block(window, x))
    return expand_max_of_blocks(node, window);
  const std::string y = pool(node, node.tensor(0, x), window, true);
  node.set(y, result_dims(node.dims(), node.graph.dims(y)));
}

void import_average_pool(Node& node) {
  if (is_deep(node)) return expand_deep_pool(node);
  const Dims x = map_dims(node, node.dims());
  const NodeWindow window = read_window(node, node.integers("kernel_shape"));
  check_pads(node, window);
  const bool counts_pads = node.integer("count_include_pad", 0) != 0;
  // The chip's averages count the pads at the beginning, and as many at the end.
  const auto as_caffe = [&](const WindowAxis& axis) {
    return counts_pads ? axis.before == axis.behind : axis.before == 0 && axis.behind == 0;
  };
  const bool fits = as_caffe(window.rows) && as_caffe(window.columns) && !is_large_pool(window) &&
                    !is_dilated(window);
  const std::string input = node.tensor(0, x);
  const std::string y =
      fits ? pool(node, input, window, false) : average_by_taps(node, input, window, counts_pads);
  node.set(y, result_dims(node.dims(), node.graph.dims(y)));
}

void import_global_max_pool(Node& node) { global(node, true); }
void import_global_average_pool(Node& node) { global(node, false); }

}  // namespace tputwin::net::onnx_reader
