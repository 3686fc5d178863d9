// Copies of nodes with other names, and what nodes with subgraphs read.
#include "bmnet/onnx/reader/subgraphs.h"

namespace tputwin::net::onnx_reader {
namespace {

std::string renamed(const std::string& name, const NewNames& names) {
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

// Returns the new name of an input, an initializer or an output of a node. A name that is known
// already is that of an output outside.
std::string added(const std::string& name, const std::string& prefix, NewNames& names) {
  return name.empty() ? name : names.emplace(name, prefix + name).first->second;
}

void rename(onnx::GraphProto& graph, const std::string& prefix, NewNames names);

void rename(onnx::NodeProto& node, const std::string& prefix, NewNames& names) {
  if (!node.name().empty()) node.set_name(prefix + node.name());
  for (std::string& input : *node.mutable_input()) input = renamed(input, names);
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_g()) rename(*attribute.mutable_g(), prefix, names);
    for (auto& graph : *attribute.mutable_graphs()) rename(graph, prefix, names);
  }
  for (std::string& output : *node.mutable_output()) output = added(output, prefix, names);
}

void rename(onnx::GraphProto& graph, const std::string& prefix, NewNames names) {
  for (auto& input : *graph.mutable_input()) input.set_name(added(input.name(), prefix, names));
  for (auto& tensor : *graph.mutable_initializer())
    tensor.set_name(added(tensor.name(), prefix, names));
  for (auto& node : *graph.mutable_node()) rename(node, prefix, names);
  for (auto& output : *graph.mutable_output()) output.set_name(renamed(output.name(), names));
}

void add_read(const onnx::GraphProto& graph, std::set<std::string>& names) {
  for (const auto& node : graph.node()) onnx_reader::add_read(node, names);
  for (const auto& output : graph.output()) names.insert(output.name());
}

onnx::NodeProto identity(const std::string& name, const std::string& from, const std::string& to) {
  onnx::NodeProto node;
  node.set_op_type("Identity");
  node.set_name(name);
  node.add_input(from);
  node.add_output(to);
  return node;
}

// Gives the outputs that the nodes produce their names outside, and adds copies for the others:
// inputs that are outputs as well, and outputs that appear twice.
void rename_with_outputs(Nodes& nodes, Use& use) {
  std::set<std::string> produced;
  for (const onnx::NodeProto& node : nodes)
    produced.insert(node.output().begin(), node.output().end());
  std::vector<size_t> copied;
  for (size_t i = 0; i < use.inner.size() && i < use.outer.size(); ++i)
    if (use.outer[i].empty())
      continue;
    else if (!produced.contains(use.inner[i]) ||
             !use.names.emplace(use.inner[i], use.outer[i]).second)
      copied.push_back(i);
  for (onnx::NodeProto& node : nodes) rename(node, use.prefix, use.names);
  for (const size_t i : copied)
    nodes.push_back(identity(use.prefix + "copy" + std::to_string(i),
                             renamed(use.inner[i], use.names), use.outer[i]));
}

}  // namespace

Nodes nodes_of(const onnx::FunctionProto& function, Use& use) {
  Nodes nodes(function.node().begin(), function.node().end());
  rename_with_outputs(nodes, use);
  return nodes;
}

Nodes nodes_of(const onnx::GraphProto& graph, Use& use) {
  Nodes nodes;
  for (const auto& tensor : graph.initializer()) {
    onnx::NodeProto& node = nodes.emplace_back();
    node.set_op_type("Constant");
    node.add_output(tensor.name());
    auto& value = *node.add_attribute();
    value.set_name("value");
    value.set_type(onnx::AttributeProto::TENSOR);
    *value.mutable_t() = tensor;
  }
  nodes.insert(nodes.end(), graph.node().begin(), graph.node().end());
  rename_with_outputs(nodes, use);
  return nodes;
}

void add_read(const onnx::NodeProto& node, std::set<std::string>& names) {
  names.insert(node.input().begin(), node.input().end());
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) add_read(attribute.g(), names);
    for (const auto& graph : attribute.graphs()) add_read(graph, names);
  }
}

}  // namespace tputwin::net::onnx_reader
