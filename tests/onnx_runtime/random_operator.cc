// Random models of one operator.
#include "onnx_runtime/random_operator.h"

#include <algorithm>
#include <cmath>

#include "onnx_runtime/draft.h"

namespace tputwin::test {
namespace {

constexpr int64_t kLastOpset = 26;

// ---- The operators ----

Kind unary(const char* type, int64_t first, float least = -3, float most = 3) {
  return {type, first,
          [=](Draft& d) { d.builder.node(type, {d.input("x", d.any(), least, most)}, {"y"}); }};
}

Kind unary_with(const char* type, int64_t first, const char* attribute, float least, float most) {
  return {type, first, [=](Draft& d) {
            auto& node = d.builder.node(type, {d.input("x", d.any())}, {"y"});
            if (d.rng.coin()) set(node, attribute, d.real(least, most));
          }};
}

// The other operand has the same shape or one that is repeated; it is a constant or an input.
Kind binary(const char* type, float least = -3, float most = 3, float from = -3, float to = 3) {
  return {type, 7, [=](Draft& d) {
            const Dims dims = d.any();
            Dims other = dims;
            for (int64_t& extent : other)
              if (d.rng.chance(1, 3)) extent = 1;
            if (d.rng.coin())
              while (!other.empty() && d.rng.coin()) other.erase(other.begin());
            const std::string x = d.input("x", dims, least, most);
            const std::string c = d.rng.coin()
                                      ? d.weights("c", other, from, to)
                                      : d.input("c", other.empty() ? Dims{1} : other, from, to);
            const bool swapped = d.rng.coin() && from == least && to == most;
            d.builder.node(type, swapped ? std::vector{c, x} : std::vector{x, c}, {"y"});
          }};
}

void set_window(Draft& d, onnx::NodeProto& node, int64_t kernel_h, int64_t kernel_w, bool dilates) {
  set(node, "strides", Dims{d.range(1, 3), d.range(1, 3)});
  if (dilates && d.rng.coin()) set(node, "dilations", Dims{d.range(1, 2), d.range(1, 2)});
  if (d.rng.chance(1, 4)) {
    set(node, "auto_pad", std::string(d.rng.coin() ? "SAME_UPPER" : "SAME_LOWER"));
  } else {
    Dims pads;
    for (const int64_t kernel : {kernel_h, kernel_w, kernel_h, kernel_w})
      pads.push_back(d.range(0, kernel - 1));
    set(node, "pads", pads);
  }
}

void conv(Draft& d) {
  const int64_t groups = d.range(1, 3), in = d.range(1, 3), out = d.range(1, 3);
  const int64_t kh = d.range(1, 3), kw = d.range(1, 3);
  Dims x = d.map(groups * in);
  x[2] += 5, x[3] += 5;
  std::vector<std::string> names{d.input("x", x), d.weights("w", {groups * out, in, kh, kw})};
  if (d.rng.coin()) names.push_back(d.weights("b", {groups * out}));
  auto& node = d.builder.node("Conv", names, {"y"});
  set(node, "group", groups);
  set_window(d, node, kh, kw, true);
}

void conv_transpose(Draft& d) {
  const int64_t groups = d.range(1, 2), in = d.range(1, 3), out = d.range(1, 3);
  const int64_t kh = d.range(1, 3), kw = d.range(1, 3);
  std::vector<std::string> names{d.input("x", d.map(groups * in)),
                                 d.weights("w", {groups * in, out, kh, kw})};
  if (d.rng.coin()) names.push_back(d.weights("b", {groups * out}));
  auto& node = d.builder.node("ConvTranspose", names, {"y"});
  set(node, "group", groups);
  set(node, "strides", Dims{d.range(1, 3), d.range(1, 3)});
}

// ONNX Runtime's automatic pads of pools ignore dilations
// (findings/ort-pool-same-ignores-dilations.sh) and are negative where a window is smaller than its
// stride (findings/ort-pool-same-negative-pads.sh).
void avoid_own_automatic_pads(onnx::NodeProto& node, const Dims& kernel) {
  auto& attributes = *node.mutable_attribute();
  const auto find = [&](const char* name) {
    return std::ranges::find_if(attributes,
                                [=](const onnx::AttributeProto& a) { return a.name() == name; });
  };
  if (find("auto_pad") == attributes.end()) return;
  const auto strides = find("strides");
  for (int axis = 0; axis < 2; ++axis)
    strides->set_ints(axis, std::min(strides->ints(axis), kernel[axis]));
  if (const auto dilations = find("dilations"); dilations != attributes.end())
    attributes.erase(dilations);
}

Draw pool(const char* type) {
  return [=](Draft& d) {
    const int64_t kh = d.range(1, 3), kw = d.range(1, 3);
    Dims x = d.map();
    x[2] += 5, x[3] += 5;
    auto& node = d.builder.node(type, {d.input("x", x)}, {"y"});
    set(node, "kernel_shape", Dims{kh, kw});
    const bool is_average = std::string(type) == "AveragePool";
    const bool dilates = d.opset >= (is_average ? 19 : 10);
    set_window(d, node, kh, kw, dilates);
    avoid_own_automatic_pads(node, {kh, kw});
    if (d.opset >= 10 && d.rng.coin()) set(node, "ceil_mode", int64_t{1});
    if (is_average && d.rng.coin()) set(node, "count_include_pad", int64_t{1});
  };
}

Kind global(const char* type) {
  return {type, 7, [=](Draft& d) { d.builder.node(type, {d.input("x", d.map())}, {"y"}); }};
}

void batch_normalization(Draft& d) {
  const Dims x = d.map();
  d.builder.node("BatchNormalization",
                 {d.input("x", x), d.weights("s", {x[1]}), d.weights("b", {x[1]}),
                  d.weights("m", {x[1]}), d.weights("v", {x[1]}, 0.1f, 2)},
                 {"y"});
}
void instance_normalization(Draft& d) {
  Dims x = d.map();
  x[2] += 2;
  d.builder.node("InstanceNormalization",
                 {d.input("x", x), d.weights("s", {x[1]}), d.weights("b", {x[1]})}, {"y"});
}
void layer_normalization(Draft& d) {
  Dims x = d.any(2);
  x.back() += 3;
  auto& node = d.builder.node(
      "LayerNormalization",
      {d.input("x", x), d.weights("s", {x.back()}), d.weights("b", {x.back()})}, {"y"});
  set(node, "axis", int64_t{-1});
}
void rms_normalization(Draft& d) {
  Dims x = d.any(2);
  x.back() += 3;
  d.builder.node("RMSNormalization", {d.input("x", x), d.weights("s", {x.back()})}, {"y"});
}
void group_normalization(Draft& d) {
  const int64_t groups = d.range(1, 3), channels = groups * d.range(1, 3);
  Dims x = d.map(channels);
  x[2] += 2;
  auto& node = d.builder.node(
      "GroupNormalization",
      {d.input("x", x), d.weights("s", {channels}), d.weights("b", {channels})}, {"y"});
  set(node, "num_groups", groups);
}
void lrn(Draft& d) {
  auto& node = d.builder.node("LRN", {d.input("x", d.map())}, {"y"});
  set(node, "size", 2 * d.range(0, 2) + 1);
  set(node, "alpha", d.real(1e-4f, 0.1f));
}
void prelu(Draft& d) {
  const Dims x = d.map();
  d.builder.node("PRelu", {d.input("x", x), d.weights("s", {x[1], 1, 1})}, {"y"});
}

Kind along_axis(const char* type) {
  return {type, 7, [=](Draft& d) {
            const Dims x = d.any(2);
            auto& node = d.builder.node(type, {d.input("x", x)}, {"y"});
            const int64_t axis = d.axis(x.size());
            // negative axes of Softmax came with opset 11
            set(node, "axis", d.opset >= 11 || axis >= 0 ? axis : int64_t{1});
          }};
}

void matmul(Draft& d) {
  const int64_t k = d.range(1, 7), n = d.range(1, 7);
  Dims x = d.any(1, 3);
  x.back() = k;
  const std::string left = d.input("x", x);
  const bool is_constant = d.rng.coin() || x.size() == 1;
  Dims right{k, n};
  if (!is_constant && x.size() == 3) right.insert(right.begin(), x[0]);
  d.builder.node("MatMul", {left, is_constant ? d.weights("w", {k, n}) : d.input("w", right)},
                 {"y"});
}
void gemm(Draft& d) {
  const int64_t m = d.range(1, 4), k = d.range(1, 7), n = d.range(1, 7);
  const bool transposes_b = d.rng.coin();
  auto& node =
      d.builder.node("Gemm",
                     {d.input("x", {m, k}), d.weights("w", transposes_b ? Dims{n, k} : Dims{k, n}),
                      d.weights("c", d.rng.coin() ? Dims{n} : Dims{1, n})},
                     {"y"});
  set(node, "transB", int64_t{transposes_b});
  if (d.rng.coin()) set(node, "alpha", d.real(0.5f, 2));
  if (d.rng.coin()) set(node, "beta", d.real(0.5f, 2));
}

// ---- Moves ----

void transpose(Draft& d) {
  const Dims x = d.any(2, 5);
  Dims order;
  for (size_t i = 0; i < x.size(); ++i) order.push_back(static_cast<int64_t>(i));
  for (size_t i = order.size(); i-- > 1;) std::swap(order[i], order[d.rng.below(i + 1)]);
  set(d.builder.node("Transpose", {d.input("x", x)}, {"y"}), "perm", order);
}
void reshape(Draft& d) {
  const Dims x = d.any(2);
  d.builder.node("Reshape", {d.input("x", x), d.integers("s", {x[0], -1})}, {"y"});
}
void flatten(Draft& d) {
  const Dims x = d.any(2);
  set(d.builder.node("Flatten", {d.input("x", x)}, {"y"}), "axis",
      d.range(0, static_cast<int64_t>(x.size())));
}
void concat(Draft& d) {
  const Dims x = d.any(2);
  const auto axis = d.rng.below(x.size());
  Dims other = x;
  other[axis] = d.range(1, 4);
  auto& node = d.builder.node("Concat", {d.input("x", x), d.input("z", other)}, {"y"});
  set(node, "axis", static_cast<int64_t>(axis));
}
void split(Draft& d) {
  Dims x = d.any(2);
  const auto axis = d.rng.below(x.size());
  x[axis] = 2 * d.range(1, 3);
  const std::string in = d.input("x", x);
  auto& node = d.builder.node("Split", {in}, {"y", "z"});
  set(node, "axis", static_cast<int64_t>(axis));
  if (d.opset >= 18) set(node, "num_outputs", int64_t{2});
  d.builder.output("z");
}
void slice(Draft& d) {
  Dims x = d.any(2);
  for (int64_t& extent : x) extent += 2;
  const auto axis = static_cast<int64_t>(d.rng.below(x.size()));
  const int64_t begin = d.range(0, 1), end = x[static_cast<size_t>(axis)] - d.range(0, 1);
  const std::string in = d.input("x", x);
  if (d.opset < 10) {
    auto& node = d.builder.node("Slice", {in}, {"y"});
    set(node, "axes", Dims{axis});
    set(node, "starts", Dims{begin});
    set(node, "ends", Dims{end});
    return;
  }
  d.builder.node("Slice",
                 {in, d.integers("b", {begin}), d.integers("e", {end}), d.integers("a", {axis}),
                  d.integers("s", {d.range(1, 2)})},
                 {"y"});
}
void gather(Draft& d) {
  const Dims x = d.any(2);
  const auto axis = d.rng.below(x.size());
  Dims indices;
  for (int64_t i = d.range(1, 4); i > 0; --i) indices.push_back(d.range(0, x[axis] - 1));
  auto& node = d.builder.node("Gather", {d.input("x", x), d.integers("i", indices)}, {"y"});
  set(node, "axis", static_cast<int64_t>(axis));
}
void pad(Draft& d) {
  Dims x = d.map();
  x[2] += 3, x[3] += 3;
  const Dims pads{0, 0, d.range(0, 2), d.range(0, 2), 0, 0, d.range(0, 2), d.range(0, 2)};
  const std::string mode = d.rng.pick({"constant", "edge", "reflect"});
  const std::string in = d.input("x", x);
  if (d.opset < 11) {
    auto& node = d.builder.node("Pad", {in}, {"y"});
    set(node, "pads", pads);
    return set(node, "mode", mode);
  }
  const bool some = d.opset >= 18 && d.rng.coin();
  const Dims given = some ? Dims{pads[2], pads[3], pads[6], pads[7]} : pads;
  std::vector<std::string> names{in, d.integers("p", given)};
  if (some) {
    names.push_back("");
    names.push_back(d.integers("a", {2, 3}));
  }
  set(d.builder.node("Pad", names, {"y"}), "mode",
      d.opset >= 19 && d.rng.chance(1, 3) ? std::string("wrap") : mode);
}
void tile(Draft& d) {
  const Dims x = d.any();
  Dims repeats;
  for (size_t i = 0; i < x.size(); ++i) repeats.push_back(d.range(1, 3));
  d.builder.node("Tile", {d.input("x", x), d.integers("r", repeats)}, {"y"});
}
void depth_to_space(Draft& d) {
  const int64_t block = d.range(1, 3);
  auto& node =
      d.builder.node("DepthToSpace", {d.input("x", d.map(block * block * d.range(1, 2)))}, {"y"});
  set(node, "blocksize", block);
  if (d.opset >= 11 && d.rng.coin()) set(node, "mode", std::string("CRD"));
}
void resize(Draft& d) {
  const Dims x = d.map();
  const std::string in = d.input("x", x);
  const std::string mode = d.rng.pick({"nearest", "linear", "cubic"});
  const bool by_size = d.rng.coin();
  std::vector<std::string> names{in, "", ""};
  if (by_size)
    names.push_back(d.integers("sizes", {x[0], x[1], d.range(1, 14), d.range(1, 14)}));
  else
    names[2] = d.weights("scales", {4}),
    d.builder.model.mutable_graph()->mutable_initializer()->rbegin()->mutable_float_data()->Clear();
  if (!by_size) {
    auto& scales = *d.builder.model.mutable_graph()->mutable_initializer()->rbegin();
    for (const float s :
         {1.0f, 1.0f, static_cast<float>(d.range(1, 3)), d.rng.coin() ? 1.5f : 2.0f})
      scales.add_float_data(s);
  }
  auto& node = d.builder.node("Resize", names, {"y"});
  set(node, "mode", mode);
  set(node, "coordinate_transformation_mode",
      std::string(d.rng.pick({"half_pixel", "asymmetric", "pytorch_half_pixel"})));
  if (mode == "nearest")
    set(node, "nearest_mode",
        std::string(d.rng.pick({"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})));
}

Kind reduction(const char* type, float least = -3, float most = 3) {
  return {type, 7, [=](Draft& d) {
            const Dims x = d.any(2);
            Dims axes;
            for (size_t i = 0; i < x.size(); ++i)
              if (d.rng.coin()) axes.push_back(static_cast<int64_t>(i));
            if (axes.empty()) axes.push_back(0);
            const bool is_input = d.opset >= (std::string(type) == "ReduceSum" ? 13 : 18);
            std::vector<std::string> names{d.input("x", x, least, most)};
            if (is_input) names.push_back(d.integers("axes", axes));
            auto& node = d.builder.node(type, names, {"y"});
            if (!is_input) set(node, "axes", axes);
            set(node, "keepdims", int64_t{d.rng.coin()});
          }};
}

const std::vector<Kind> kKinds = {unary("Relu", 7),
                                  unary("Sigmoid", 7),
                                  unary("Tanh", 7),
                                  unary("Abs", 7),
                                  unary("Softplus", 7),
                                  unary("Softsign", 7),
                                  unary("Exp", 7),
                                  unary("Log", 7, 0.1f, 5),
                                  unary("Sqrt", 7, 0, 5),
                                  unary("Reciprocal", 7, 0.2f, 3),
                                  unary("Neg", 7),
                                  unary("Erf", 9),
                                  unary("Floor", 7),
                                  unary("Ceil", 7),
                                  unary("Round", 11),
                                  unary("Sign", 9),
                                  unary("Sin", 7),
                                  unary("Cos", 7),
                                  unary("Atan", 7),
                                  unary("Sinh", 9),
                                  unary("Cosh", 9),
                                  unary("Asinh", 9),
                                  unary("HardSwish", 14),
                                  unary("Gelu", 20),
                                  unary("Mish", 18),
                                  unary("Identity", 7),
                                  unary_with("LeakyRelu", 7, "alpha", 0, 0.9f),
                                  unary_with("Elu", 7, "alpha", 0.1f, 2),
                                  unary_with("Selu", 7, "alpha", 0.5f, 2),
                                  unary_with("Celu", 12, "alpha", 0.5f, 2),
                                  unary_with("HardSigmoid", 7, "alpha", 0.1f, 0.5f),
                                  unary_with("ThresholdedRelu", 10, "alpha", 0.1f, 2),
                                  unary_with("Swish", 24, "alpha", 0.5f, 2),
                                  binary("Add"),
                                  binary("Sub"),
                                  binary("Mul"),
                                  binary("Div", -3, 3, 0.5f, 3),
                                  {"Conv", 7, conv},
                                  {"ConvTranspose", 7, conv_transpose},
                                  {"MaxPool", 8, pool("MaxPool")},
                                  {"AveragePool", 7, pool("AveragePool")},
                                  global("GlobalAveragePool"),
                                  global("GlobalMaxPool"),
                                  {"BatchNormalization", 9, batch_normalization},
                                  {"InstanceNormalization", 7, instance_normalization},
                                  {"LayerNormalization", 17, layer_normalization},
                                  {"GroupNormalization", 21, group_normalization},
                                  {"RMSNormalization", 23, rms_normalization},
                                  {"LRN", 7, lrn},
                                  {"PRelu", 7, prelu},
                                  along_axis("Softmax"),
                                  along_axis("LogSoftmax"),
                                  {"MatMul", 7, matmul},
                                  {"Gemm", 11, gemm},
                                  {"Transpose", 7, transpose},
                                  {"Reshape", 7, reshape},
                                  {"Flatten", 9, flatten},
                                  {"Concat", 7, concat},
                                  {"Split", 18, split},
                                  {"Slice", 7, slice},
                                  {"Gather", 7, gather},
                                  {"Pad", 7, pad},
                                  {"Tile", 7, tile},
                                  {"DepthToSpace", 7, depth_to_space},
                                  {"Resize", 13, resize},
                                  reduction("ReduceMean"),
                                  reduction("ReduceSum"),
                                  reduction("ReduceMax"),
                                  reduction("ReduceMin"),
                                  reduction("ReduceProd", 0.5f, 1.5f),
                                  reduction("ReduceL1"),
                                  reduction("ReduceL2"),
                                  reduction("ReduceSumSquare"),
                                  reduction("ReduceLogSumExp")};

}  // namespace

namespace {

RandomOperator draw_one(Rng& rng, const Kind& kind) {
  Draft draft{rng, kind.first_opset + static_cast<int64_t>(rng.below(static_cast<uint64_t>(
                                          kLastOpset - kind.first_opset + 1)))};
  kind.draw(draft);
  draft.builder.output("y");
  return {std::move(draft.builder.model), std::move(draft.inputs),
          fmt::format("{} opset {}{}", kind.type, draft.opset, draft.shape)};
}

}  // namespace

RandomOperator random_operator(Rng& rng) {
  static const std::vector<Kind> kinds = [] {
    std::vector<Kind> all = kKinds;
    for (const auto& more :
         {kinds_of_parts(), kinds_of_constants(), kinds_of_transformers(), kinds_of_computed()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return draw_one(rng, kinds[rng.below(kinds.size())]);
}

RandomOperator random_wide_operator(Rng& rng) {
  static const std::vector<Kind> graphs = kinds_of_graphs(), kinds = [] {
    std::vector<Kind> all = kinds_of_width();
    for (const Kind& kind : kinds_of_moves()) all.push_back(kind);
    return all;
  }();
  return draw_one(rng, rng.chance(1, 3) ? graphs.front() : kinds[rng.below(kinds.size())]);
}

}  // namespace tputwin::test
