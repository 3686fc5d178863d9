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
    {"Reshape", reshape_of_host},
    {"Flatten", flatten_of_host},
    {"Squeeze", squeeze_of_host},
    {"Unsqueeze", unsqueeze_of_host},
    {"Shape", shape_of_host},
    {"Transpose", transpose_of_host},
    {"Concat", concat_of_host},
    {"Slice", slice_of_host},
    {"Expand", expand_of_host},
    {"Tile", tile_of_host},
    {"ReduceSum", [](Node& node) { reduce_of_host(node, "sum"); }},
    {"ReduceMean", [](Node& node) { reduce_of_host(node, "mean"); }},
    {"ReduceMax", [](Node& node) { reduce_of_host(node, "max"); }},
    {"ReduceMin", [](Node& node) { reduce_of_host(node, "min"); }},
    {"ReduceProd", [](Node& node) { reduce_of_host(node, "prod"); }},
    {"CumSum", cum_sum_of_host},
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
  } else if (type == "Cast" || type == "Identity" || type == "Squeeze" || type == "Unsqueeze") {
    result.largest = x;
  }
}

}  // namespace

void import_of_host(Node& node) {
  const std::string& type = node.proto.op_type();
  node.require(node.graph.has_subnets, "operator", type,
               "its inputs are not constants, and the chip has no operation for it");
  if (elements_of_host(node)) return;
  const auto* row = std::ranges::find(kRows, type, &Row::name);
  if (row == std::end(kRows))
    node.refuse("operator", type,
                "on integers, and on tensors whose extents are known at run time, the operators "
                "of docs/onnx.md#the-host compute; make the input a constant or floats");
  row->import(node);
  set_largest(node);
}

}  // namespace tputwin::net::onnx_reader
