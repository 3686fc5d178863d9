// Nodes of subgraphs and of local functions, under names of their own.
#pragma once

#include <bmnet/tputwin_onnx.pb.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tputwin::net::onnx_reader {

using Nodes = std::vector<onnx::NodeProto>;
// The new name of each tensor, by its name in the subgraph.
using NewNames = std::map<std::string, std::string>;

// Where a subgraph, or a function, is used: the names that its inputs have there are in `names`.
struct Use {
  std::string prefix;  // of the names of its nodes and of the tensors that they produce
  NewNames names;
  std::vector<std::string> inner, outer;  // names of its outputs, inside and outside
};

// Returns the nodes of a function under new names. Adds the names to `use.names`.
Nodes nodes_of(const onnx::FunctionProto& function, Use& use);
// Returns the nodes of a subgraph under new names, after Constant nodes for its initializers.
Nodes nodes_of(const onnx::GraphProto& graph, Use& use);
// Adds the tensors that a node or its subgraphs read.
void add_read(const onnx::NodeProto& node, std::set<std::string>& names);

// Returns the nodes that the `wanted` tensors need. Adds to `wanted` what those nodes read.
template <class List>
std::vector<bool> needed_nodes(const List& nodes, std::set<std::string>& wanted) {
  std::vector<bool> needed(static_cast<size_t>(nodes.size()), false);
  for (size_t i = needed.size(); i-- > 0;) {
    const onnx::NodeProto& node = *(nodes.begin() + static_cast<std::ptrdiff_t>(i));
    for (const std::string& output : node.output())
      needed[i] = needed[i] || wanted.contains(output);
    if (needed[i]) add_read(node, wanted);
  }
  return needed;
}

// Replaces the nodes that call a function of the model by the function's nodes.
void inline_functions(onnx::ModelProto& model);
// Returns the opset of an inlined node whose function has another one than the model.
int64_t opset_of(const onnx::NodeProto& node, int64_t otherwise);

}  // namespace tputwin::net::onnx_reader
