// Operators whose parameters the net computes, as nodes of other operators.
#include "bmnet/onnx/reader/operators/computed.h"

#include <fmt/format.h>

#include <algorithm>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

Dims spatial(const Dims& x) { return {x.begin() + 2, x.end()}; }

// Adds a tensor of one value for each channel to y.
std::string with_bias(Node& node, Expansion& made, const std::string& y, int64_t channels) {
  if (!node.has(2)) return y;
  node.require(elements(node.dims(2)) == channels, "B", text(node.dims(2)),
               fmt::format("one value for each of {} channels", channels));
  Dims shape(node.dims().size(), 1);
  shape[1] = channels;
  return made.add("Add", {y, made.add("Reshape", {made.in(2), made.integers(shape)})});
}

// Returns the elements that one tap of the kernel reads: (samples * groups, channels, 1, area).
std::string read_by_tap(Expansion& made, const std::string& x, const std::vector<WindowAxis>& axes,
                        int64_t tap, const Dims& shape) {
  Dims starts, ends, numbers, steps;
  for (size_t i = axes.size(); i-- > 0;) {
    const WindowAxis& axis = axes[i];
    const int64_t first = tap % axis.kernel * axis.dilation;
    tap /= axis.kernel;
    starts.push_back(first);
    ends.push_back(first + (axis.outputs - 1) * axis.stride + 1);
    numbers.push_back(static_cast<int64_t>(i) + 2);
    steps.push_back(axis.stride);
  }
  const std::string part = made.add("Slice", {x, made.integers(starts), made.integers(ends),
                                              made.integers(numbers), made.integers(steps)});
  return made.add("Reshape", {part, made.integers(shape)});
}

std::string padded(Expansion& made, const std::string& x, const std::vector<WindowAxis>& axes) {
  Dims before{0, 0}, behind{0, 0};
  for (const WindowAxis& axis : axes) {
    before.push_back(axis.before);
    behind.push_back(axis.behind);
  }
  const auto is_zero = [](int64_t pad) { return pad == 0; };
  if (std::ranges::all_of(before, is_zero) && std::ranges::all_of(behind, is_zero)) return x;
  before.insert(before.end(), behind.begin(), behind.end());
  return made.add("Pad", {x, made.integers(before)});
}

// Returns the node's map with stride - 1 zeros between neighbours of each axis.
std::string stretched(Expansion& made, Dims x, const std::vector<WindowAxis>& axes) {
  std::string map = made.in(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t zeros = axes[i].stride - 1;
    const size_t axis = i + 2;
    if (zeros == 0) continue;
    const Dims apart{run(x, 0, axis), x[axis], 1, run(x, axis + 1, x.size())};
    x[axis] *= axes[i].stride;
    map = made.add("Reshape", {map, made.integers(apart)});
    map = made.add("Pad", {map, made.integers({0, 0, 0, 0, 0, 0, zeros, 0})});
    map = made.add("Reshape", {map, made.integers(x)});
    x[axis] -= zeros;
    map = made.add("Slice", {map, made.integers({0}), made.integers({x[axis]}),
                             made.integers({static_cast<int64_t>(axis)})});
  }
  return map;
}

int64_t taps_of(const std::vector<WindowAxis>& axes) {
  int64_t taps = 1;
  for (const WindowAxis& axis : axes) taps *= axis.kernel;
  return taps;
}

}  // namespace

bool is_computed(const Node& node, size_t input) {
  return node.has(input) && node.constant(input) == nullptr;
}

bool any_computed(const Node& node, std::initializer_list<size_t> inputs) {
  return std::ranges::any_of(inputs, [&](size_t input) { return is_computed(node, input); });
}

void expand_clip(Node& node) {
  Expansion made(node);
  std::string y = made.in(0);
  for (const size_t input : {size_t{1}, size_t{2}}) {
    if (!node.has(input)) continue;
    node.require(elements(node.dims(input)) == 1, input == 1 ? "min" : "max",
                 text(node.dims(input)), "one value");
    // A bound of one axis would give a scalar that axis.
    const std::string bound = made.add("Reshape", {made.in(input), made.integers({})});
    // In this order the BM1684X passes NaN on.
    y = input == 1 ? made.add("Max", {bound, y}) : made.add("Min", {y, bound});
  }
  made.set(y);
}

// Zeros become the value where the padded tensor of ones has them.
void expand_pad(Node& node) {
  node.require(elements(node.dims(2)) == 1, "constant_value", text(node.dims(2)), "one value");
  Expansion made(node);
  const auto padded = [&](const std::string& x) {
    std::vector<std::string> operands{x, made.in(1), made.real(0)};
    if (node.has(3)) operands.push_back(made.in(3));
    return made.add("Pad", operands);
  };
  const std::string ones =
      made.reals(node.dims(), std::vector<float>(static_cast<size_t>(elements(node.dims())), 1.0f));
  const std::string inside =
      made.add("Cast", {padded(ones)}, {{"to", int64_t{onnx::TensorProto::BOOL}}});
  const std::string value = made.add("Reshape", {made.in(2), made.integers({})});
  made.set(made.add("Where", {inside, padded(made.in(0)), value}));
}

// The columns of a matrix are the windows, its rows the elements of a window: all channels of a
// group, and of each the taps of the kernel. The weights are the other matrix.
void expand_conv_of_tensors(Node& node) {
  const Dims &x = node.dims(), &w = node.dims(1);
  node.require(w.size() == x.size() && w.size() >= 3, "W", text(w), "as many axes as X");
  const std::vector<WindowAxis> axes = read_windows(node, spatial(w));
  const int64_t group = node.integer("group", 1), taps = taps_of(axes);
  node.require(group >= 1 && group * w[1] == x[1] && w[0] % group == 0, "W", text(w),
               fmt::format("axis 1 times group {} is the {} channels of X", group, x[1]));
  Dims result{x[0], w[0]};
  int64_t area = 1;
  for (const WindowAxis& axis : axes) {
    result.push_back(axis.outputs);
    area *= axis.outputs;
  }
  Expansion made(node);
  const std::string map = padded(made, made.in(0), axes);
  std::vector<std::string> parts;
  for (int64_t tap = 0; tap < taps; ++tap)
    parts.push_back(read_by_tap(made, map, axes, tap, {x[0] * group, w[1], 1, area}));
  std::string columns =
      parts.size() == 1 ? parts[0] : made.add("Concat", parts, {{"axis", int64_t{2}}});
  columns = made.add("Reshape", {columns, made.integers({x[0], group, w[1] * taps, area})});
  const Dims matrix{1, group, w[0] / group, w[1] * taps};
  const std::string weights = made.add("Reshape", {made.in(1), made.integers(matrix)});
  const std::string product = made.add("MatMul", {weights, columns});
  const std::string y = made.add("Reshape", {product, made.integers(result)});
  made.set(with_bias(node, made, y, w[0]));
}

// Zeros between the elements of X make it a Conv of the turned weights.
void expand_conv_transpose_of_tensors(Node& node) {
  const Dims &x = node.dims(), &w = node.dims(1);
  node.require(w.size() == x.size() && w[0] == x[1], "W", text(w),
               "as many axes as X, the first of its channels");
  const std::vector<WindowAxis> axes = read_transposed_windows(node, spatial(w));
  const int64_t group = node.integer("group", 1), taps = taps_of(axes);
  node.require(group >= 1 && x[1] % group == 0, "group", std::to_string(group),
               fmt::format("divides {} channels", x[1]));
  Dims dilations, before, behind;
  for (const WindowAxis& axis : axes) {
    dilations.push_back(axis.dilation);
    before.push_back(axis.reach() - 1 - axis.before);
    behind.push_back(axis.reach() - 1 - axis.behind);
  }
  before.insert(before.end(), behind.begin(), behind.end());
  Expansion made(node);
  const std::string map = stretched(made, x, axes);
  // Turns the taps, and gives each group its outputs first.
  Dims last_first;
  for (int64_t tap = taps; tap-- > 0;) last_first.push_back(tap);
  const int64_t inputs = x[1] / group;
  std::string weights =
      made.add("Reshape", {made.in(1), made.integers({group, inputs, w[1], taps})});
  weights = made.add("Gather", {weights, made.integers(last_first)}, {{"axis", int64_t{3}}});
  weights = made.add("Transpose", {weights}, {{"perm", Dims{0, 2, 1, 3}}});
  Dims turned = w;
  turned[0] = group * w[1];
  turned[1] = inputs;
  weights = made.add("Reshape", {weights, made.integers(turned)});
  std::vector<std::string> operands{map, weights};
  if (node.has(2)) operands.push_back(made.in(2));
  made.set(
      made.add("Conv", operands, {{"group", group}, {"dilations", dilations}, {"pads", before}}));
}

void expand_computed_bias(Node& node) {
  const bool transposed = node.proto.op_type() == "ConvTranspose";
  const Dims& w = node.dims(1);
  const int64_t outputs = transposed ? w[1] * node.integer("group", 1) : w[0];
  Expansion made(node);
  const std::string y = made.add(transposed ? "ConvTranspose" : "Conv", {made.in(0), made.in(1)});
  for (const char* name : {"auto_pad", "dilations", "group", "kernel_shape", "output_padding",
                           "output_shape", "pads", "strides"})
    made.copy_attribute(name);
  made.set(with_bias(node, made, y, outputs));
}

namespace {

// A parameter of each channel, (1,C,1,...), or of the last axes as it is.
std::string of_channels(Expansion& made, const Node& node, const std::string& parameter,
                        int64_t channels) {
  Dims shape(node.dims().size(), 1);
  shape[1] = channels;
  return made.add("Reshape", {parameter, made.integers(shape)});
}

void require_values(const Node& node, size_t input, const char* name, int64_t count) {
  node.require(!node.has(input) || elements(node.dims(input)) == count, name,
               text(node.dims(input)), fmt::format("{} values", count));
}

// Adds scale * normal + offset; the offset may be missing.
void set_scaled(Expansion& made, const std::string& normal, const std::string& scale,
                const std::string& offset) {
  const std::string y = made.add("Mul", {normal, scale});
  made.set(offset.empty() ? y : made.add("Add", {y, offset}));
}

std::string constants(Expansion& made, const Dims& dims, float value) {
  return made.reals(dims, std::vector<float>(static_cast<size_t>(elements(dims)), value));
}

}  // namespace

void expand_batch_normalization(Node& node) {
  const int64_t channels = channels_of(node);
  Expansion made(node);
  std::vector<std::string> parameters;
  for (size_t input = 1; input <= 4; ++input) {
    require_values(node, input, "parameters", channels);
    parameters.push_back(of_channels(made, node, made.in(input), channels));
  }
  const std::string centered = made.add("Sub", {made.in(0), parameters[2]});
  const std::string variance =
      made.add("Add", {parameters[3], made.real(node.real("epsilon", 1e-5f))});
  const std::string normal = made.add("Div", {centered, made.add("Sqrt", {variance})});
  set_scaled(made, normal, parameters[0], parameters[1]);
}

void expand_instance_normalization(Node& node) {
  const int64_t channels = channels_of(node);
  Expansion made(node);
  for (const size_t input : {size_t{1}, size_t{2}}) require_values(node, input, "scale", channels);
  const std::string normal =
      made.add("InstanceNormalization",
               {made.in(0), constants(made, {channels}, 1), constants(made, {channels}, 0)},
               {{"epsilon", node.real("epsilon", 1e-5f)}});
  set_scaled(made, normal, of_channels(made, node, made.in(1), channels),
             of_channels(made, node, made.in(2), channels));
}

namespace {

Dims normalized_extents(const Node& node) {
  const Dims& x = node.dims();
  return {x.begin() + static_cast<std::ptrdiff_t>(node.axis(node.integer("axis", -1), x.size())),
          x.end()};
}

// Returns true if the extents, from the last one on, are those of `to` or 1.
bool broadcasts(const Dims& extents, const Dims& to) {
  for (size_t i = 0; i < extents.size(); ++i) {
    const int64_t extent = extents[extents.size() - 1 - i];
    if (extent != 1 && (i >= to.size() || extent != to[to.size() - 1 - i])) return false;
  }
  return true;
}

// Files may have (20) for (4,5), so other shapes of as many elements count as those extents if they
// mean nothing else.
bool is_broadcast(const Node& node, size_t input) {
  const Dims last = normalized_extents(node), &given = node.dims(input);
  if (!broadcasts(given, node.dims())) return false;
  return elements(given) != elements(last) || !broadcasts(given, last);
}

}  // namespace

bool any_broadcast(const Node& node, std::initializer_list<size_t> inputs) {
  return std::ranges::any_of(
      inputs, [&](size_t input) { return node.has(input) && is_broadcast(node, input); });
}

// LayerNormalization and RMSNormalization.
void expand_layer_normalization(Node& node) {
  const Dims last = normalized_extents(node);
  const auto axis = static_cast<int64_t>(node.dims().size() - last.size());
  Expansion made(node);
  const auto operand = [&](size_t input) -> std::string {
    if (!node.has(input)) return "";
    if (is_broadcast(node, input)) return made.in(input);
    node.require(elements(node.dims(input)) == elements(last), input == 1 ? "Scale" : "B",
                 text(node.dims(input)),
                 "a value for each of " + std::to_string(elements(last)) +
                     " normalized elements, or extents that broadcast to the tensor");
    return made.add("Reshape", {made.in(input), made.integers(last)});
  };
  const bool is_rms = node.proto.op_type() == "RMSNormalization";
  const std::string normal = made.add(is_rms ? "RMSNormalization" : "LayerNormalization",
                                      {made.in(0), constants(made, last, 1)},
                                      {{"axis", axis}, {"epsilon", node.real("epsilon", 1e-5f)}});
  if (is_rms) node.expansion_opset = node.opset;
  set_scaled(made, normal, operand(1), operand(2));
}

// Before opset 21 the parameters have a value for each group.
void expand_group_normalization(Node& node) {
  const int64_t channels = channels_of(node), groups = node.integer("num_groups", 0);
  node.require(groups >= 1 && channels % groups == 0, "num_groups", std::to_string(groups),
               fmt::format("it divides the {} channels", channels));
  const bool by_group = node.opset < 21;
  Expansion made(node);
  const auto operand = [&](size_t input) {
    require_values(node, input, input == 1 ? "scale" : "bias", by_group ? groups : channels);
    std::string parameter = made.in(input);
    if (by_group) {
      parameter = made.add("Reshape", {parameter, made.integers({groups, 1})});
      parameter = made.add("Tile", {parameter, made.integers({1, channels / groups})});
    }
    return of_channels(made, node, parameter, channels);
  };
  const std::string scale = operand(1), offset = operand(2);
  const std::string normal =
      made.add("GroupNormalization",
               {made.in(0), constants(made, {channels}, 1), constants(made, {channels}, 0)},
               {{"epsilon", node.real("epsilon", 1e-5f)}, {"num_groups", groups}});
  set_scaled(made, normal, scale, offset);
}

}  // namespace tputwin::net::onnx_reader
