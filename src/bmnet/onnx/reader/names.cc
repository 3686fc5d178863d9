// Check before the nodes are imported: every tensor of a model has one producer.
#include <map>

#include "base/errors/bmnet.h"
#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {
namespace {

// Returns the name of a node for messages.
std::string called(const onnx::NodeProto& node) {
  const std::string name =
      node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
  return "node " + name + " (" + node.op_type() + ")";
}

}  // namespace

std::vector<Error> repeated_names(const onnx::GraphProto& graph) {
  std::vector<Error> problems;
  std::map<std::string, std::string> makers;
  const auto make = [&](const std::string& tensor, const std::string& maker) {
    const auto [known, is_first] = makers.emplace(tensor, maker);
    if (tensor.empty() || is_first) return;
    problems.push_back(Error(errors::net_onnx)
                           .in(maker)
                           .argument("tensor", tensor)
                           .detail("a tensor has one maker, and " + known->second +
                                   " makes it as well; give one of them another name"));
  };
  for (const auto& constant : graph.initializer()) make(constant.name(), "an initializer");
  std::map<std::string, std::string> constants;
  constants.swap(makers);
  for (const auto& input : graph.input()) make(input.name(), "an input of the model");
  // An input may have an initializer, which is its value.
  makers.merge(constants);
  for (const auto& node : graph.node())
    for (const std::string& output : node.output()) make(output, called(node));
  return problems;
}

}  // namespace tputwin::net::onnx_reader
