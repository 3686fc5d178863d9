// Random models: parameters that the net computes, transforms of sound, rows that constants choose,
// updates that combine.
#include <algorithm>

#include "onnx_runtime/draft.h"

namespace tputwin::test {
namespace {

Dims of_axes(Draft& d, size_t axes, int64_t least, int64_t most) {
  Dims dims;
  for (size_t i = 0; i < axes; ++i) dims.push_back(d.range(least, most));
  return dims;
}

void clip(Draft& d) {
  const std::string x = d.input("x", d.any());
  const std::string least = d.rng.chance(3, 4) ? d.input("least", {1}, -2, 1) : "";
  std::vector<std::string> operands{x, least};
  if (least.empty() || d.rng.coin()) operands.push_back(d.input("most", {1}, -1, 2));
  d.builder.node("Clip", operands, {"y"});
}

// Weights, or a bias alone, that are an input.
std::string parameter(Draft& d, const std::string& name, const Dims& dims, bool computed) {
  return computed ? d.input(name, dims, -1, 1) : d.weights(name, dims);
}

void conv(Draft& d, bool transposed) {
  const size_t axes = static_cast<size_t>(d.range(1, d.rng.chance(1, 4) ? 3 : 2));
  const int64_t group = d.rng.pick({1, 1, 2, 3}), in = d.range(1, 3), out = d.range(1, 3);
  const Dims kernel = of_axes(d, axes, 1, 3), strides = of_axes(d, axes, 1, 3);
  const Dims dilations = of_axes(d, axes, 1, 2);
  Dims x{d.range(1, 2), group * in}, pads;
  Dims w = transposed ? Dims{group * in, out} : Dims{group * out, in};
  for (size_t i = 0; i < axes; ++i) {
    x.push_back(d.range(5, 8));
    w.push_back(kernel[i]);
  }
  for (size_t i = 0; i < 2 * axes; ++i) pads.push_back(d.range(0, kernel[i % axes] - 1));
  const bool computes_weights = d.rng.chance(3, 4);
  std::vector<std::string> operands{d.input("x", x), parameter(d, "w", w, computes_weights)};
  if (!computes_weights || d.rng.coin())
    operands.push_back(parameter(d, "b", {group * out}, !computes_weights || d.rng.coin()));
  auto& node = d.builder.node(transposed ? "ConvTranspose" : "Conv", operands, {"y"});
  set(node, "group", group);
  set(node, "strides", strides);
  set(node, "dilations", dilations);
  set(node, "pads", pads);
}

void normalization(Draft& d) {
  const std::string type = d.rng.pick(
      {"InstanceNormalization", "LayerNormalization", "BatchNormalization", "GroupNormalization"});
  if (type == "LayerNormalization") {
    const Dims x = d.any(2, 4);
    const auto axis = d.range(0, static_cast<int64_t>(x.size()) - 1);
    const Dims last(x.begin() + axis, x.end());
    std::vector<std::string> operands{d.input("x", x), d.input("scale", last)};
    if (d.rng.coin()) operands.push_back(parameter(d, "b", last, d.rng.coin()));
    set(d.builder.node(type, operands, {"y"}), "axis", axis);
    return;
  }
  const int64_t groups = d.range(1, 2), channels = groups * d.range(1, 3);
  const Dims x{d.range(1, 2), channels, d.range(2, 5), d.range(2, 5)};
  const bool by_group = type == "GroupNormalization" && d.opset < 21;
  const Dims values{by_group ? groups : channels};
  std::vector<std::string> operands{d.input("x", x), d.input("scale", values),
                                    parameter(d, "b", values, d.rng.coin())};
  if (type == "BatchNormalization") {
    operands.push_back(parameter(d, "mean", values, d.rng.coin()));
    operands.push_back(d.input("variance", values, 0.5f, 2));
  }
  auto& node = d.builder.node(type, operands, {"y"});
  if (type == "GroupNormalization") set(node, "num_groups", groups);
}

void hardmax(Draft& d) {
  const Dims x = d.any();
  const std::string values = d.input("x", x);
  if (d.opset >= 11) d.builder.node("Round", {values}, {"r"});  // ties
  set(d.builder.node("Hardmax", {d.opset < 11 || d.rng.coin() ? "x" : "r"}, {"y"}), "axis",
      d.axis(x.size()));
}

void one_hot(Draft& d) {
  const Dims x = d.any(1, 3);
  d.builder.node("Round", {d.input("x", x, -6, 6)}, {"r"});
  d.builder.weights("depth", {}, {static_cast<float>(d.range(1, 6))});
  auto& node = d.builder.node("OneHot", {"r", "depth", d.weights("values", {2})}, {"y"});
  set(node, "axis", d.axis(x.size() + 1));
}

// The divisor has few digits: a rest jumps where the divisor is rounded.
void mod(Draft& d) {
  const Dims x = d.any();
  std::string y = "z";
  if (d.rng.coin())
    y = d.input("z", x, 0.5f, 2);
  else
    d.builder.weights("z", {1}, {static_cast<float>(d.range(8, 32)) / 16});
  set(d.builder.node("Mod", {d.input("x", x), y}, {"y"}), "fmod", int64_t{1});
}

void scatter(Draft& d) {
  const Dims x = of_axes(d, static_cast<size_t>(d.range(1, 3)), 2, 5);
  const int64_t axis = d.range(0, static_cast<int64_t>(x.size()) - 1);
  Dims indices;
  for (const int64_t extent : x) indices.push_back(d.range(1, extent));
  const int64_t extent = x[static_cast<size_t>(axis)];
  Dims positions;
  for (int64_t i = count(indices); i > 0; --i)
    positions.push_back(d.range(0, 2 * extent - 1) - extent);
  d.builder.integers("indices", indices, positions);
  auto& node = d.builder.node("ScatterElements",
                              {d.input("x", x), "indices", d.input("updates", indices)}, {"y"});
  set(node, "axis", axis);
  if (d.opset >= 18)
    set(node, "reduction", std::string(d.rng.pick({"add", "mul", "max", "min"})));
  else if (d.opset >= 16)
    set(node, "reduction", std::string(d.rng.pick({"add", "mul"})));
}

void dft(Draft& d) {
  Dims x = of_axes(d, static_cast<size_t>(d.range(2, 3)), 1, 7);
  const int64_t axis = d.range(0, static_cast<int64_t>(x.size()) - 1);
  const bool is_complex = d.rng.coin(), is_inverse = is_complex && d.rng.coin();
  x.push_back(is_complex ? 2 : 1);
  std::vector<std::string> operands{d.input("x", x)};
  if (d.rng.coin()) {
    d.builder.integers("length", {}, {d.range(1, 9)});
    operands.push_back("length");
  }
  if (d.opset >= 20) {
    operands.resize(2);
    d.builder.integers("axis", {}, {axis});
    operands.push_back("axis");
  }
  auto& node = d.builder.node("DFT", operands, {"y"});
  if (d.opset < 20) set(node, "axis", axis);
  set(node, "inverse", int64_t{is_inverse});
  set(node, "onesided", int64_t{!is_complex && d.rng.coin()});
}

void stft(Draft& d) {
  const int64_t length = d.range(2, 9), points = length + d.range(0, 20);
  d.builder.integers("step", {}, {d.range(1, 5)});
  d.builder.integers("length", {}, {length});
  const std::string window = d.rng.coin() ? d.weights("window", {length}) : "";
  auto& node = d.builder.node(
      "STFT", {d.input("x", {d.range(1, 2), points, 1}), "step", window, "length"}, {"y"});
  set(node, "onesided", int64_t{d.rng.coin()});
}

void resize(Draft& d) {
  const Dims x{d.range(1, 2), d.range(1, 3), d.range(1, 4), d.range(1, 4), d.range(1, 4)};
  std::vector<float> scales{1, 1};
  for (int i = 0; i < 3; ++i) scales.push_back(d.rng.pick({1.0f, 1.5f, 2.0f, 3.0f}));
  d.builder.weights("scales", {5}, scales);
  auto& node = d.builder.node("Resize", {d.input("x", x), "", "scales"}, {"y"});
  set(node, "mode", std::string(d.rng.pick({"nearest", "linear"})));
  set(node, "coordinate_transformation_mode",
      std::string(d.rng.pick({"half_pixel", "asymmetric", "align_corners"})));
}

void compress(Draft& d) {
  const Dims x = d.any();
  const bool is_flat = d.rng.chance(1, 3);
  const int64_t axis = d.axis(x.size());
  const auto at = static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(x.size()) : axis);
  Dims condition(static_cast<size_t>(d.range(1, is_flat ? count(x) : x[at])));
  for (int64_t& each : condition) each = d.rng.coin();
  condition.front() = 1;
  d.builder.integers("condition", {static_cast<int64_t>(condition.size())}, condition,
                     onnx::TensorProto::BOOL);
  auto& node = d.builder.node("Compress", {d.input("x", x), "condition"}, {"y"});
  if (!is_flat) set(node, "axis", axis);
}

void reverse_sequence(Draft& d) {
  const Dims x = d.any(2, 4);
  const int64_t batch = d.range(0, 1);
  Dims lengths;
  for (int64_t i = 0; i < x[static_cast<size_t>(batch)]; ++i)
    lengths.push_back(d.range(0, x[static_cast<size_t>(1 - batch)]));
  auto& node =
      d.builder.node("ReverseSequence", {d.input("x", x), d.integers("lengths", lengths)}, {"y"});
  set(node, "batch_axis", batch);
  set(node, "time_axis", 1 - batch);
}

}  // namespace

std::vector<Kind> kinds_of_computed() {
  return {{"Clip-computed", 11, clip},
          {"Conv-computed", 11, [](Draft& d) { conv(d, false); }},
          {"ConvTranspose-computed", 11, [](Draft& d) { conv(d, true); }},
          {"normalization-computed", 18, normalization},
          {"Hardmax", 7, hardmax},
          {"OneHot-computed", 11, one_hot},
          {"Mod-computed", 10, mod},
          {"ScatterElements-computed", 11, scatter},
          {"DFT", 17, dft},
          {"STFT", 17, stft},
          {"Resize-deep", 13, resize},
          {"Compress", 11, compress},
          {"ReverseSequence", 10, reverse_sequence}};
}

}  // namespace tputwin::test
