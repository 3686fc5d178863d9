// Nodes that become operators of the host: those with no other form, and those that compute with
// integers or with tensors whose extents are known at run time.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bmnet/onnx/reader/operators/host.h"

namespace tputwin::net::onnx_reader {
namespace {

struct Row {
  std::string_view name;
  void (*import)(Node&);
};
constexpr Row kRows[] = {
    {"Cast", cast_of_host},
    {"Clip", clip_of_host},
    {"Where", where_of_host},
    {"Gather", gather_of_host},
    {"GatherElements", gather_elements_of_host},
    {"GatherND", gather_nd_of_host},
    {"ScatterND", scatter_nd_of_host},
    {"ScatterElements", import_scatter_elements},
    {"OneHot", import_one_hot},
    {"NonZero", non_zero_of_host},
    {"TopK", top_k_of_host},
    {"NonMaxSuppression", non_max_suppression_of_host},
    {"GridSample", grid_sample_of_host},
    {"RoiAlign", roi_align_of_host},
    {"DeformConv", deform_conv_of_host},
    {"Reshape", reshape_of_host},
    {"Flatten", flatten_of_host},
    {"Squeeze", squeeze_of_host},
    {"Unsqueeze", unsqueeze_of_host},
    {"Shape", shape_of_host},
    {"Transpose", transpose_of_host},
    {"Concat", concat_of_host},
    {"Slice", slice_of_host},
    {"Split", split_of_host},
    {"If", if_of_host},
    {"Choose", import_choose},
    {"ConstantOfShape", constant_of_shape_of_host},
    {"Expand", expand_of_host},
    {"Tile", tile_of_host},
    {"Pad", pad_of_host},
    {"ReduceSum", [](Node& node) { reduce_of_host(node, "sum"); }},
    {"ReduceMean", [](Node& node) { reduce_of_host(node, "mean"); }},
    {"ReduceMax", [](Node& node) { reduce_of_host(node, "max"); }},
    {"ReduceMin", [](Node& node) { reduce_of_host(node, "min"); }},
    {"ReduceProd", [](Node& node) { reduce_of_host(node, "prod"); }},
    {"CumSum", cum_sum_of_host},
    {"Sum", [](Node& node) { operands_of_host(node, "Sum"); }},
    {"Mean", [](Node& node) { operands_of_host(node, "Mean"); }},
    {"Max", [](Node& node) { operands_of_host(node, "Max"); }},
    {"Min", [](Node& node) { operands_of_host(node, "Min"); }},
    {"Softmax", [](Node& node) { softmax_of_host(node, false); }},
    {"LogSoftmax", [](Node& node) { softmax_of_host(node, true); }},
    {"Hardmax", hardmax_of_host},
    {"Gelu", gelu_of_host},
    {"IsInf", is_inf_of_host},
    {"BitShift", bit_shift_of_host},
    {"BitwiseNot", import_bitwise_not},
    {"Size", size_of_host},
    {"Compress", compress_of_host},
    {"Dropout", import_dropout},
    {"CastLike", expand_cast_like},
    {"Range", range_of_host},
    {"ArgMax", [](Node& node) { arg_of_host(node, false); }},
    {"ArgMin", [](Node& node) { arg_of_host(node, true); }},
};

// Returns the largest values of an input of a few integers; empty if they are not known.
Dims largest_of(const Node& node, size_t input) {
  constexpr size_t kFew = 16;
  if (!node.has(input)) return {};
  const Constant* constant = node.constant(input);
  if (constant == nullptr) return node.in(input).largest;
  return constant->is_integer() && constant->size() <= kFew ? constant->whole() : Dims();
}

// Returns the larger of each two, one of which may stand for several; empty if they do not match.
Dims larger_of(Dims a, Dims b) {
  if (a.size() == 1) a.resize(b.size(), a[0]);
  if (b.size() == 1) b.resize(a.size(), b[0]);
  if (a.size() != b.size()) return {};
  for (size_t i = 0; i < a.size(); ++i) a[i] = std::max(a[i], b[i]);
  return a;
}

// Returns the values of a slice of a few integers by constant bounds with the step 1.
Dims sliced_largest(const Node& node, const Dims& x) {
  const auto bound = [&](size_t input, const char* name) {
    const Dims values = node.has(input) ? largest_of(node, input) : node.integers(name);
    const bool is_known =
        values.size() == 1 && (!node.has(input) || node.constant(input) != nullptr);
    return is_known ? std::optional(values[0]) : std::nullopt;
  };
  const auto start = bound(1, "starts"), end = bound(2, "ends");
  const Constant* step = node.constant(4);
  if (x.empty() || !start || !end || (node.has(4) && (step == nullptr || step->at(0) != 1)))
    return {};
  const auto count = static_cast<int64_t>(x.size());
  const auto at = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + count : i, 0, count); };
  return at(*start) < at(*end) ? Dims(x.begin() + at(*start), x.begin() + at(*end)) : Dims();
}

// Returns the largest values of sums, and of products, differences and quotients with a constant
// that is not negative; empty for others.
Dims computed_largest(const Node& node, const std::string& type) {
  Dims a = largest_of(node, 0), b = node.inputs() == 2 ? largest_of(node, 1) : Dims();
  if (a.size() == 1) a.resize(b.size(), a[0]);
  if (b.size() == 1) b.resize(a.size(), b[0]);
  // Two differences may both be negative: their product is then above that of the largest values.
  const bool has_constant =
      node.constant(1) != nullptr || (type == "Mul" && node.constant(0) != nullptr);
  if (a.size() != b.size() || (type != "Add" && !has_constant)) return {};
  constexpr int64_t kMost = int64_t{1} << 31;
  for (size_t i = 0; i < a.size(); ++i) {
    const bool fits = a[i] >= 0 && a[i] < kMost && b[i] >= 0 && b[i] < kMost;
    if (!fits || (type == "Div" && b[i] == 0)) return {};
    a[i] = type == "Add"   ? a[i] + b[i]
           : type == "Sub" ? a[i] - b[i]
           : type == "Mul" ? a[i] * b[i]
                           : a[i] / b[i];
  }
  return a;
}

// Follows the extents of tensors through the nodes that compute shapes with them.
void set_largest(Node& node) {
  if (node.outputs().empty() || !node.outputs()[0]) return;
  Value& result = *node.outputs()[0];
  const std::string& type = node.proto.op_type();
  const Dims x = type == "Shape" ? node.dims() : largest_of(node, 0);
  if (type == "Shape") {
    const auto rank = static_cast<int64_t>(x.size());
    const auto at = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank); };
    result.largest.assign(x.begin() + at(node.integer("start", 0)),
                          x.begin() + at(node.integer("end", rank)));
  } else if (type == "Gather") {
    const Constant* positions = node.constant(1);
    for (const int64_t i : positions == nullptr || x.empty() ? Dims() : positions->whole())
      result.largest.push_back(x[node.axis(i, x.size())]);
  } else if (type == "Concat") {
    for (size_t i = 0; i < node.inputs(); ++i) {
      const Dims part = largest_of(node, i);
      if (part.empty()) return result.largest.clear();
      result.largest.insert(result.largest.end(), part.begin(), part.end());
    }
  } else if (type == "Slice") {
    result.largest = sliced_largest(node, x);
  } else if (type == "Where") {
    result.largest = larger_of(largest_of(node, 1), largest_of(node, 2));
  } else if (type == "Add" || type == "Sub" || type == "Mul" || type == "Div") {
    result.largest = computed_largest(node, type);
  } else if (type == "ReduceProd" && !x.empty() && !node.has("axes") && !node.has(1)) {
    result.largest = {1};
    for (const int64_t extent : x) {
      const bool fits =
          extent >= 0 && !__builtin_mul_overflow(result.largest[0], extent, &result.largest[0]);
      if (!fits) return result.largest.clear();
    }
  } else if (type == "Max" || type == "Min") {
    if (node.inputs() == 2) result.largest = larger_of(x, largest_of(node, 1));
  } else if (type == "Cast" || type == "Identity" || type == "Squeeze" || type == "Unsqueeze" ||
             type == "Reshape") {
    result.largest = x;
  }
}

// Returns what the result says of the extents of a tensor, for conditions that guard empty tensors
// and axes of one element.
std::optional<ExtentFact> extent_fact(const Node& node) {
  using Kind = ExtentFact::Kind;
  const std::string& type = node.proto.op_type();
  if (type == "Shape" && !node.has("start") && !node.has("end"))
    return ExtentFact{Kind::extents, node.dims(), node.in(0).varies, node.in(0).tensor};
  if (!node.has(0) || !node.in(0).extents) return {};
  ExtentFact fact = *node.in(0).extents;
  const Constant* other = node.inputs() > 1 ? node.constant(1) : nullptr;
  const bool has_one = other != nullptr && other->size() == 1;
  if (type == "Cast" || type == "Identity" || type == "Squeeze" || type == "Unsqueeze") return fact;
  if (type == "Gather" && fact.kind == Kind::extents && has_one) {
    fact.kind = Kind::extent;
    fact.axis = node.axis(static_cast<int64_t>(other->at(0)), fact.dims.size());
    return fact;
  }
  if (type == "ReduceProd" && fact.kind == Kind::extents) {
    fact.kind = Kind::count;
    return fact;
  }
  if (type != "Equal" || !has_one) return {};
  if (fact.kind == Kind::extent && other->at(0) == 1) {
    fact.kind = Kind::is_one;
    return fact;
  }
  if (fact.kind != Kind::count || other->at(0) != 0) return {};
  fact.kind = Kind::is_empty;
  return fact;
}

// Returns the layer of the host that the extents of a tensor depend on: one without such inputs.
std::string source_of_extents(const Graph& graph, std::string tensor) {
  for (;;) {
    const TensorOp* maker = graph.network.producer(tensor);
    if (maker == nullptr) return tensor;
    const auto varies = [&](const std::string& bottom) {
      const TensorOp* before = graph.network.producer(bottom);
      return before != nullptr && is(*before, Op::host) && before->tg_host_param().varies();
    };
    const auto bottom = std::ranges::find_if(maker->bottom(), varies);
    if (bottom == maker->bottom().end()) return maker->name();
    tensor = *bottom;
  }
}

[[noreturn]] void refuse_on_host(const Node& node) {
  constexpr std::string_view kList =
      "on such tensors the operators of docs/onnx.md#the-host compute; ";
  const std::string& type = node.proto.op_type();
  for (size_t i = 0; i < node.inputs(); ++i) {
    if (!node.has(i) || !node.in(i).varies) continue;
    const std::string source = source_of_extents(node.graph, node.in(i).tensor);
    node.refuse(
        "operator", type,
        fmt::format("the extents of its input {} are known at run time only, after {}; "
                    "{}cut the net before {} (--output-names), and let the program do the rest",
                    node.proto.input(static_cast<int>(i)), source, kList, node.label()));
  }
  node.refuse(
      "operator", type,
      fmt::format("its inputs are integers or booleans that the host computes; {}put a Cast "
                  "to floats before it",
                  kList));
}

}  // namespace

bool has_host_form(const Node& node) {
  const std::string& type = node.proto.op_type();
  return is_arithmetic_of_host(type) || is_function_of_host(type) ||
         std::ranges::find(kRows, type, &Row::name) != std::end(kRows);
}

void import_of_host(Node& node) {
  const std::string& type = node.proto.op_type();
  node.require(node.graph.has_subnets, "operator", type,
               "its inputs are not constants, and the chip has no operation for it");
  const auto keep_fact = [&] {
    if (!node.outputs().empty() && node.outputs()[0])
      node.outputs()[0]->extents = extent_fact(node);
  };
  if (elements_of_host(node) || function_of_host(node)) return set_largest(node), keep_fact();
  const auto* row = std::ranges::find(kRows, type, &Row::name);
  if (row == std::end(kRows)) refuse_on_host(node);
  row->import(node);
  set_largest(node);
  keep_fact();
}

}  // namespace tputwin::net::onnx_reader
