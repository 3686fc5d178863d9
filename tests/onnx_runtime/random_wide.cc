// Random models of what the other kinds draw seldom or never: one and three axes of windows,
// tensors of one to six axes, long axes, unusual values, indices that are tensors.
#include <cmath>

#include "onnx_runtime/draft_extents.h"

namespace tputwin::test {
namespace {

Dims axes_of(Draft& d, size_t rank) {
  Dims axes;
  for (size_t i = 0; i < rank; ++i)
    if (d.rng.coin())
      axes.push_back(static_cast<int64_t>(i) - (d.rng.coin() ? static_cast<int64_t>(rank) : 0));
  if (axes.empty()) axes.push_back(d.axis(rank));
  return axes;
}

// ---- Windows ----

// Pads below the kernels, or automatic ones.
void set_pads(Draft& d, onnx::NodeProto& node, const Dims& kernel) {
  if (d.rng.chance(1, 5))
    return set(node, "auto_pad", std::string(d.rng.pick({"SAME_UPPER", "SAME_LOWER", "VALID"})));
  Dims pads;
  for (int side = 0; side < 2; ++side)
    for (const int64_t k : kernel) pads.push_back(d.range(0, k - 1));
  set(node, "pads", pads);
}

void conv(Draft& d) {
  const auto axes = static_cast<size_t>(d.range(1, 3));
  const int64_t groups = d.rng.pick({int64_t{1}, int64_t{2}, int64_t{5}, int64_t{65}});
  const int64_t in = d.rng.coin() ? 1 : d.range(1, 4), out = d.rng.coin() ? 1 : d.range(1, 3);
  const Dims kernel = several(d, axes, 1, axes == 3 ? 3 : 5);
  Dims x{d.range(1, 3), groups * in}, w{groups * out, in};
  const Dims dilations = several(d, axes, 1, d.rng.coin() ? 1 : 3);
  for (size_t i = 0; i < axes; ++i)
    x.push_back((kernel[i] - 1) * dilations[i] + d.range(1, 6)), w.push_back(kernel[i]);
  std::vector<std::string> names{d.input("x", x), d.weights("w", w)};
  if (d.rng.coin()) names.push_back(d.weights("b", {w[0]}));
  auto& node = d.builder.node("Conv", names, {"y"});
  set(node, "group", groups);
  set(node, "strides", several(d, axes, 1, d.rng.chance(1, 4) ? 17 : 3));
  set(node, "dilations", dilations);
  set_pads(d, node, kernel);
}

void conv_transpose(Draft& d) {
  const auto axes = static_cast<size_t>(d.range(1, 2));
  const int64_t groups = d.range(1, 3), in = d.range(1, 3), out = d.range(1, 3);
  const Dims kernel = several(d, axes, 1, 4), strides = several(d, axes, 1, d.range(1, 18));
  const Dims dilations = several(d, axes, 1, d.rng.coin() ? 1 : d.rng.chance(1, 3) ? 20 : 3);
  Dims x{d.range(1, 3), groups * in}, w{groups * in, out}, more, pads;
  for (size_t i = 0; i < axes; ++i) {
    x.push_back(d.range(1, 6)), w.push_back(kernel[i]);
    more.push_back(d.range(0, std::max(strides[i], dilations[i]) - 1));
  }
  for (int side = 0; side < 2; ++side)
    for (const int64_t k : kernel) pads.push_back(d.range(0, k - 1) / 2);
  std::vector<std::string> names{d.input("x", x), d.weights("w", w)};
  if (d.rng.coin()) names.push_back(d.weights("b", {groups * out}));
  auto& node = d.builder.node("ConvTranspose", names, {"y"});
  set(node, "group", groups);
  set(node, "strides", strides);
  set(node, "dilations", dilations);
  if (d.rng.coin()) set(node, "output_padding", more);
  if (d.rng.coin()) set(node, "pads", pads);
}

Kind pool(const char* type, int64_t first) {
  return {type, first, [=](Draft& d) {
            const auto axes = static_cast<size_t>(d.range(1, 3));
            const Dims kernel = several(d, axes, 1, 4);
            Dims x{d.range(1, 3), d.rng.chance(1, 4) ? 70 : d.range(1, 5)};
            for (const int64_t k : kernel) x.push_back(2 * k + d.range(0, 5));
            auto& node = d.builder.node(type, {d.input("x", x)}, {"y"});
            set(node, "kernel_shape", kernel);
            set(node, "strides", several(d, axes, 1, 4));
            set_pads(d, node, kernel);
            if (std::string(type) == "LpPool") return set(node, "p", d.range(1, 2));
            if (d.rng.coin()) set(node, "ceil_mode", int64_t{1});
            if (std::string(type) == "AveragePool")
              set(node, "count_include_pad", int64_t{d.rng.coin()});
            if (d.opset >= 19 && d.rng.coin()) set(node, "dilations", several(d, axes, 1, 2));
          }};
}

// ---- Functions ----

Kind unary(const char* type, int64_t first, float least, float most) {
  return {type, first,
          [=](Draft& d) { d.builder.node(type, {d.input("x", extents(d), least, most)}, {"y"}); }};
}

// Zeros of both signs, infinities, ties, the least normal number, and one that is subnormal.
void unusual(Draft& d) {
  const Dims dims = extents(d, 1, 4);
  const std::string x = d.input("x", dims, -4, 4);
  for (float& value : d.inputs["x"].data)
    if (d.rng.coin())
      value = d.rng.pick({0.0f, -0.0f, INFINITY, -INFINITY, 0.5f, 1.5f, -2.5f, 1.17549435e-38f,
                          1e-40f, 3.0e38f, -3.0e38f, 6e4f});
  static constexpr const char* kTypes[] = {
      "Relu", "Abs",     "Neg",  "Floor",     "Ceil", "Sign",        "Sqrt",      "Reciprocal",
      "Exp",  "Sigmoid", "Tanh", "LeakyRelu", "Log",  "GlobalMax",   "Identity",  "Max",
      "Min",  "Mul",     "Add",  "Softplus",  "Elu",  "ReduceMax",   "ReduceMin", "Where",
      "Clip", "Round",   "Erf",  "Equal",     "Less", "HardSigmoid", "IsNaN",     "IsInf"};
  std::string type = kTypes[d.rng.below(std::size(kTypes))];
  d.shape = " " + type + d.shape;
  if (type == "GlobalMax") type = "ReduceMax";
  if (type == "Max" || type == "Min" || type == "Mul" || type == "Add") {
    d.builder.node(type, {x, d.rng.coin() ? d.weights("w", {dims.back()}) : x}, {"y"});
  } else if (type == "Where") {
    d.builder.weights("zero", {}, {0});
    d.builder.node("Greater", {x, "zero"}, {"c"});
    d.builder.node("Where", {"c", x, "zero"}, {"y"});
  } else if (type == "Equal" || type == "Less" || type == "IsNaN" || type == "IsInf") {
    d.builder.weights("half", {}, {0.5f});
    d.builder.node(type, type[0] == 'I' ? std::vector{x} : std::vector<std::string>{x, "half"},
                   {"c"});
    set(d.builder.node("Cast", {"c"}, {"y"}), "to", int64_t{onnx::TensorProto::FLOAT});
  } else if (type == "Clip") {
    d.builder.weights("low", {}, {-1});
    d.builder.weights("high", {}, {1});
    d.builder.node("Clip",
                   d.rng.coin() ? std::vector<std::string>{x, "low"}
                                : std::vector<std::string>{x, "low", "high"},
                   {"y"});
  } else {
    d.builder.node(type, {x}, {"y"});
  }
}

Kind binary(const char* type) {
  return {type, 13, [=](Draft& d) {
            const Dims dims = extents(d);
            const auto part = [&] {
              Dims other = dims;
              for (int64_t& extent : other)
                if (d.rng.chance(1, 3)) extent = 1;
              return other;
            };
            const bool positive = std::string(type) == "Pow";
            const std::string a = d.input("a", part(), positive ? 0.2f : -3, 3);
            const Dims other = part();
            const std::string b =
                d.rng.chance(1, 3) ? d.weights("b", other, 0.5f, 2) : d.input("b", other, 0.5f, 2);
            d.builder.node(type, {a, b}, {"y"});
          }};
}

void clip(Draft& d) {
  d.builder.weights("low", {}, {d.real(-2, 1)});
  d.builder.weights("high", {}, {d.real(-1, 2)});
  d.builder.node("Clip",
                 {d.input("x", extents(d)), d.rng.coin() ? "low" : "", d.rng.coin() ? "high" : ""},
                 {"y"});
}

// ---- Along axes ----

Kind reduction(const char* type, float least = -3, float most = 3) {
  return {type, 18, [=](Draft& d) {
            const Dims x = extents(d);
            std::vector<std::string> names{d.input("x", x, least, most)};
            const bool all = d.rng.chance(1, 5);
            if (!all) names.push_back(d.integers("axes", axes_of(d, x.size())));
            auto& node = d.builder.node(type, names, {"y"});
            set(node, "keepdims", int64_t{d.rng.coin()});
            if (all && d.rng.coin()) set(node, "noop_with_empty_axes", int64_t{1});
          }};
}

Kind along_axis(const char* type) {
  return {type, 13, [=](Draft& d) {
            const Dims x = extents(d);
            set(d.builder.node(type, {d.input("x", x)}, {"y"}), "axis", d.axis(x.size()));
          }};
}

void normalization(Draft& d) {
  Dims x = extents(d, 2);
  x.back() += 3;
  const int64_t axis = d.axis(x.size());
  const Dims rest(x.begin() + static_cast<int64_t>(at(axis, x)), x.end());
  // Parameters may be broadcast to the tensor.
  const auto parameter = [&](const char* name) {
    Dims extents = d.rng.below(4) == 0 ? x : rest;
    if (d.rng.below(4) == 0)
      for (int64_t& extent : extents)
        if (d.rng.coin()) extent = 1;
    return d.weights(name, extents);
  };
  std::vector<std::string> names{d.input("x", x), parameter("s")};
  if (d.rng.coin()) names.push_back(parameter("b"));
  set(d.builder.node("LayerNormalization", names, {"y"}), "axis", axis);
}

void mean_variance(Draft& d) {
  Dims x = extents(d, 4, 4);
  x[0] += 1, x[3] += 2;
  auto& node = d.builder.node("MeanVarianceNormalization", {d.input("x", x)}, {"y"});
  if (d.rng.coin()) set(node, "axes", Dims{d.rng.coin() ? 1 : 0, 2, 3});
}

Kind best(const char* type) {
  return {type, 12, [=](Draft& d) {
            const Dims x = extents(d, 1, 4);
            auto& node = d.builder.node(type, {d.input("x", x)}, {"i"});
            set(node, "axis", d.axis(x.size()));
            set(node, "keepdims", int64_t{d.rng.coin()});
            set(node, "select_last_index", int64_t{d.rng.coin()});
            set(d.builder.node("Cast", {"i"}, {"y"}), "to", int64_t{onnx::TensorProto::FLOAT});
          }};
}

void top_k(Draft& d) {
  const Dims x = extents(d, 1, 4);
  const int64_t axis = d.axis(x.size());
  const std::string k = d.integers("k", {d.range(1, std::min<int64_t>(x[at(axis, x)], 9))});
  auto& node = d.builder.node("TopK", {d.input("x", x), k}, {"y", "i"});
  set(node, "axis", axis);
  set(node, "largest", int64_t{d.rng.coin()});
  if (d.rng.coin()) {
    set(d.builder.node("Cast", {"i"}, {"z"}), "to", int64_t{onnx::TensorProto::FLOAT});
    d.builder.output("z");
  }
}

}  // namespace

std::vector<Kind> kinds_of_width() {
  return {{"Conv-wide", 11, conv},
          {"ConvTranspose-wide", 11, conv_transpose},
          pool("MaxPool", 12),
          pool("AveragePool", 11),
          pool("LpPool", 11),
          {"unusual", 13, unusual},
          {"unusual", 13, unusual},
          {"Clip", 13, clip},
          unary("Tan", 7, -1.2f, 1.2f),
          unary("Asin", 7, -1, 1),
          unary("Acos", 7, -1, 1),
          unary("Acosh", 9, 1, 9),
          unary("Atanh", 9, -0.9f, 0.9f),
          unary("Shrink", 9, -2, 2),
          unary("Exp", 13, -20, 20),
          unary("Erf", 13, -5, 5),
          unary("Softplus", 7, -30, 30),
          unary("Sigmoid", 13, -30, 30),
          binary("Add"),
          binary("Sub"),
          binary("Mul"),
          binary("Div"),
          binary("Pow"),
          binary("Max"),
          binary("Min"),
          binary("PRelu"),
          reduction("ReduceMean"),
          reduction("ReduceSum"),
          reduction("ReduceMax"),
          reduction("ReduceMin"),
          reduction("ReduceProd", 0.9f, 1.1f),
          reduction("ReduceLogSum", 0.1f, 2),
          reduction("ReduceLogSumExp"),
          reduction("ReduceL1"),
          reduction("ReduceL2"),
          reduction("ReduceSumSquare"),
          along_axis("Softmax"),
          along_axis("LogSoftmax"),
          {"LayerNormalization-wide", 17, normalization},
          {"MeanVarianceNormalization", 13, mean_variance},
          best("ArgMax"),
          best("ArgMin"),
          {"TopK", 11, top_k}};
}

}  // namespace tputwin::test
