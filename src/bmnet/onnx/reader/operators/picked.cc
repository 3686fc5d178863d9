// Elements that constant positions pick from tensors: a Gather from all elements in one row.
#include <algorithm>
#include <numeric>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

// A value whose elements are the whole numbers from `first` on.
Value numbered(const Dims& dims, int64_t first) {
  std::vector<int64_t> values(static_cast<size_t>(elements(dims)));
  std::iota(values.begin(), values.end(), first);
  return {dims, make_integers(dims, std::move(values)), "", {}};
}

// Folds the node for numbered elements, which gives the number of the element that each result is.
ConstantPtr sources(const Node& node, Fold* fold) {
  const Value data = numbered(node.dims(), 0);
  const Value updates = node.has(2) ? numbered(node.dims(2), elements(data.dims)) : Value{};
  std::vector<const Value*> inputs = node.values();
  inputs[0] = &data;
  if (inputs.size() > 2) inputs[2] = &updates;
  return fold(
      Node(node.graph, node.proto, node.opset, std::move(inputs), node.folder(), node.wanted()));
}

void pick(Node& node, Fold* fold) {
  if (node.constant(1) == nullptr) return import_of_host(node);
  const std::string reduction = node.text("reduction", "none");
  node.require(reduction == "none", "reduction", reduction,
               "none for tensors: add to, or multiply, what a Gather of the same positions reads");
  const ConstantPtr from = sources(node, fold);
  Expansion made(node);
  const auto row = [&](size_t input) {
    return made.add("Reshape", {made.in(input), made.integers({-1})});
  };
  std::string all = row(0);
  if (node.has(2)) all = made.add("Concat", {all, row(2)}, {{"axis", int64_t{0}}});
  const std::string positions =
      made.add("Reshape", {made.integers(from->integers), made.integers(from->dims)});
  made.set(made.add("Gather", {all, positions}, {{"axis", int64_t{0}}}));
}

}  // namespace

// Chips with parts on the host have operators for these.
void import_gather_elements(Node& node) {
  node.graph.has_subnets ? import_of_host(node) : pick(node, fold_gather_elements);
}
void import_gather_nd(Node& node) {
  node.graph.has_subnets ? import_of_host(node) : pick(node, fold_gather_nd);
}
void import_scatter_nd(Node& node) {
  node.graph.has_subnets ? import_of_host(node) : pick(node, fold_scatter_nd);
}
void import_scatter_elements(Node& node) { pick(node, fold_scatter_elements); }

}  // namespace tputwin::net::onnx_reader
