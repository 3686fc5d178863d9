// Sequences of tensors: lists of names, of which nodes take tensors by constant positions.
#include <fmt/format.h>

#include <algorithm>

#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/model_importer.h"
#include "bmnet/onnx/reader/opsets.h"

namespace tputwin::net::onnx_reader {
namespace {

constexpr int64_t kMostParts = 1024;

// A position counted from the end if it is negative. `size` itself is a position if `at_end`.
size_t position_of(const Node& node, size_t input, size_t size, bool at_end) {
  const int64_t given = node.whole(input, "position"), count = static_cast<int64_t>(size);
  const int64_t position = given < 0 ? given + count : given;
  node.require(position >= 0 && position < count + (at_end ? 1 : 0), "position",
               std::to_string(given), fmt::format("within a sequence of {}", size));
  return static_cast<size_t>(position);
}

// The extents of the parts of a SplitToSequence.
Dims parts_of(const Node& node, int64_t extent) {
  if (!node.has(1)) return Dims(static_cast<size_t>(std::min(extent, kMostParts + 1)), 1);
  const Constant& split = node.weights(1, "split");
  if (!split.dims.empty()) return split.whole();
  const int64_t size = node.whole(1, "split");
  node.require(size >= 1, "split", std::to_string(size), "at least 1");
  Dims parts;
  for (int64_t begin = 0; begin < extent && parts.size() <= kMostParts; begin += size)
    parts.push_back(std::min(size, extent - begin));
  return parts;
}

std::vector<std::string> split_to_list(Node& node) {
  const Dims& x = node.dims();
  const size_t axis = node.axis(node.integer("axis", 0), x.size());
  const Dims parts = parts_of(node, x[axis]);
  node.require(parts.size() >= 1 && parts.size() <= kMostParts, "split",
               std::to_string(parts.size()), fmt::format("1 to {} parts", kMostParts));
  Expansion made(node);
  const auto along = static_cast<int64_t>(axis);
  std::vector<std::string> names =
      made.add_many("Split", {made.in(0), made.integers(parts)}, parts.size(), {{"axis", along}});
  if (!node.has(1) && node.integer("keepdims", 1) == 0)
    for (std::string& name : names) name = made.add("Squeeze", {name, made.integers({along})});
  return names;
}

void concat_list(Node& node, const std::vector<std::string>& list) {
  node.require(!list.empty(), "input_sequence", "empty", "at least one tensor");
  const int64_t axis = node.integer("axis", 0);
  Expansion made(node);
  std::vector<std::string> parts = list;
  if (node.integer("new_axis", 0) != 0)
    for (std::string& part : parts) part = made.add("Unsqueeze", {part, made.integers({axis})});
  made.set(made.add("Concat", parts, {{"axis", axis}}));
}

}  // namespace

bool ModelImporter::is_of_lists(const onnx::NodeProto& proto) const {
  const std::string& type = proto.op_type();
  const bool reads_list = proto.input_size() > 0 && lists_.contains(proto.input(0));
  return type == "SequenceConstruct" || type == "SequenceEmpty" || type == "SplitToSequence" ||
         (reads_list &&
          (type.starts_with("Sequence") || type == "ConcatFromSequence" || type == "Identity"));
}

// Makes the list of a node's output, or the nodes that take tensors of a list.
void ModelImporter::import_list(Node& node) {
  const std::string& type = node.proto.op_type();
  verify_form(node, OperatorRow{"", type, 11, kLastOpset, nullptr, nullptr, true});
  std::vector<std::string> list;
  if (const auto found = lists_.find(node.proto.input_size() > 0 ? node.proto.input(0) : "");
      found != lists_.end())
    list = found->second;
  Expansion made(node);
  if (type == "SequenceAt")
    return made.set(made.add("Identity", {list[position_of(node, 1, list.size(), false)]}));
  if (type == "SequenceLength")
    return node.set(make_integers({}, {static_cast<int64_t>(list.size())}));
  if (type == "ConcatFromSequence") return concat_list(node, list);
  if (type == "SequenceConstruct")
    list.assign(node.proto.input().begin(), node.proto.input().end());
  else if (type == "SplitToSequence")
    list = split_to_list(node);
  else if (type == "SequenceInsert")
    list.insert(
        list.begin() + static_cast<std::ptrdiff_t>(
                           node.has(2) ? position_of(node, 2, list.size(), true) : list.size()),
        node.proto.input(1));
  else if (type == "SequenceErase" && !node.has(1) && !list.empty())
    list.pop_back();
  else if (type == "SequenceErase")
    list.erase(list.begin() +
               static_cast<std::ptrdiff_t>(position_of(node, 1, list.size(), false)));
  else
    node.require(type == "SequenceEmpty" || type == "Identity", "operator", type,
                 "SequenceAt, SequenceInsert, SequenceErase, SequenceLength or ConcatFromSequence");
  wanted_.insert(list.begin(), list.end());
  lists_[node.proto.output(0)] = std::move(list);
}

}  // namespace tputwin::net::onnx_reader
