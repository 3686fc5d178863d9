// Convolutions and pools of maps of three axes: depth, rows and columns.
#include <fmt/format.h>

#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/large_windows.h"

namespace tputwin::net::onnx_reader {
namespace {

// The attributes of a window along some axes.
std::vector<Expansion::Attribute> attributes_of(const std::vector<WindowAxis>& axes) {
  Dims kernel, strides, dilations, pads, behind;
  for (const WindowAxis& axis : axes) {
    kernel.push_back(axis.kernel);
    strides.push_back(axis.stride);
    dilations.push_back(axis.dilation);
    pads.push_back(axis.before);
    behind.push_back(axis.behind);
  }
  pads.insert(pads.end(), behind.begin(), behind.end());
  return {{"kernel_shape", kernel}, {"strides", strides}, {"dilations", dilations}, {"pads", pads}};
}

// x with zeros before and after its depths, as (samples, depths, channels, rows * columns).
std::string depths_first(Expansion& made, const Dims& x, const WindowAxis& depth) {
  const Dims flat{x[0], x[1], x[2], x[3] * x[4]};
  std::string y = made.add("Reshape", {made.in(0), made.integers(flat)});
  y = made.add("Transpose", {y}, {{"perm", Dims{0, 2, 1, 3}}});
  if (depth.before == 0 && depth.behind == 0) return y;
  const Dims pads{0, depth.before, 0, 0, 0, depth.behind, 0, 0};
  return made.add("Pad", {y, made.integers(pads)});
}

// For each depth of the result a sample, whose channels are those of all depths that its window
// has: of each group the first depth, then the next one.
std::string windows_of_depth(Expansion& made, const Dims& x, const WindowAxis& depth,
                             int64_t group) {
  const std::string all = depths_first(made, x, depth);
  const int64_t samples = x[0] * depth.outputs, area = x[3] * x[4], kernel = depth.kernel;
  std::vector<std::string> taps;
  const std::string shape = made.integers({samples, group, x[1] / group, area});
  for (int64_t k = 0; k < kernel; ++k) {
    const int64_t first = k * depth.dilation, span = (depth.outputs - 1) * depth.stride + 1;
    const std::string tap =
        made.add("Slice", {all, made.integers({first}), made.integers({first + span}),
                           made.integers({1}), made.integers({depth.stride})});
    taps.push_back(made.add("Reshape", {tap, shape}));
  }
  const std::string y =
      taps.size() == 1 ? taps[0] : made.add("Concat", taps, {{"axis", int64_t{2}}});
  return made.add("Reshape", {y, made.integers({samples, kernel * x[1], x[3], x[4]})});
}

// The weights in the order of these channels: (outputs, depths * channels, rows, columns).
std::string weights_of_depth(const Node& node, Expansion& made) {
  const Constant& w = node.weights(1, "W");
  const std::vector<float> values = w.real();
  const int64_t area = w.dims[3] * w.dims[4];
  std::vector<float> result;
  result.reserve(values.size());
  for (int64_t output = 0; output < w.dims[0]; ++output)
    for (int64_t k = 0; k < w.dims[2]; ++k)
      for (int64_t channel = 0; channel < w.dims[1]; ++channel) {
        const auto from = values.begin() + ((output * w.dims[1] + channel) * w.dims[2] + k) * area;
        result.insert(result.end(), from, from + area);
      }
  return made.reals({w.dims[0], w.dims[2] * w.dims[1], w.dims[3], w.dims[4]}, result);
}

}  // namespace

bool is_deep(const Node& node) { return node.dims().size() == 5; }

void expand_deep_conv(Node& node) {
  const Dims& x = node.dims();
  const Constant& w = node.weights(1, "W");
  const int64_t group = node.integer("group", 1);
  node.require(group >= 1 && x[1] % group == 0 && group * w.dims[1] == x[1], "W", text(w.dims),
               fmt::format("axis 1 times group {} is the {} channels of X", group, x[1]));
  const auto axes = read_windows(node, {w.dims.begin() + 2, w.dims.end()});
  Expansion made(node);
  std::vector<std::string> operands{windows_of_depth(made, x, axes[0], group),
                                    weights_of_depth(node, made)};
  if (node.has(2)) operands.push_back(made.in(2));
  auto attributes = attributes_of({axes[1], axes[2]});
  attributes.push_back({"group", group});
  std::string y = made.add("Conv", operands, attributes);
  const int64_t area = axes[1].outputs * axes[2].outputs;
  y = made.add("Reshape", {y, made.integers({x[0], axes[0].outputs, w.dims[0], area})});
  y = made.add("Transpose", {y}, {{"perm", Dims{0, 2, 1, 3}}});
  made.set(made.add("Reshape", {y, made.integers({x[0], w.dims[0], axes[0].outputs, axes[1].outputs,
                                                  axes[2].outputs})}));
}

// Pools rows and columns of each depth, then depths: the largest of the largest, the mean of means.
// Means count the elements of each axis alone, so their product is the count.
void expand_deep_pool(Node& node) {
  const std::string& type = node.proto.op_type();
  const Dims x = node.dims();
  const auto axes = read_windows(node, node.integers("kernel_shape"));
  const std::string automatic = node.text("auto_pad", "NOTSET");
  for (const WindowAxis& axis : axes)
    node.require(axis.dilation == 1 || axis.kernel == 1 || !automatic.starts_with("SAME"),
                 "auto_pad", automatic, "NOTSET or VALID with dilations; give the pads");
  Expansion made(node);
  const auto pooled = [&](const std::string& map, std::vector<WindowAxis> window) {
    auto attributes = attributes_of(window);
    for (const char* kept : {"ceil_mode", "count_include_pad"})
      if (node.has(kept)) attributes.push_back({kept, node.integer(kept, 0)});
    return made.add(type.c_str(), {map}, attributes);
  };
  const int64_t area = axes[1].outputs * axes[2].outputs;
  std::string y = made.add("Reshape", {made.in(0), made.integers({x[0], x[1] * x[2], x[3], x[4]})});
  y = pooled(y, {axes[1], axes[2]});
  y = made.add("Reshape", {y, made.integers({x[0], x[1], x[2], area})});
  y = pooled(y, {axes[0], WindowAxis{}});
  made.set(made.add("Reshape", {y, made.integers({x[0], x[1], axes[0].outputs, axes[1].outputs,
                                                  axes[2].outputs})}));
}

void expand_deep_global(Node& node) {
  const Dims x = node.dims();
  Expansion made(node);
  const std::string map =
      made.add("Reshape", {made.in(0), made.integers({x[0], x[1], x[2] * x[3], x[4]})});
  const std::string y = made.add(node.proto.op_type().c_str(), {map});
  made.set(made.add("Reshape", {y, made.integers({x[0], x[1], 1, 1, 1})}));
}

}  // namespace tputwin::net::onnx_reader
