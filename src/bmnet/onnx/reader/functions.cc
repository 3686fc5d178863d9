// Local functions of the model: their nodes in place of each call.
#include <fmt/format.h>

#include "base/errors/bmnet.h"
#include "bmnet/onnx/reader/constant.h"
#include "bmnet/onnx/reader/opsets.h"
#include "bmnet/onnx/reader/subgraphs.h"

namespace tputwin::net::onnx_reader {
namespace {

constexpr int kMostDepth = 64;  // of calls in calls

std::string domain_of(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

// Returns the last of several versions of the domain, as ONNX Runtime does.
int64_t opset_of(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports) {
  int64_t opset = 0;
  for (const auto& import : imports)
    if (domain_of(import.domain()).empty()) opset = import.version();
  return opset;
}

using Attributes = std::map<std::string, onnx::AttributeProto>;

// Gives nodes the values of attributes that refer to an attribute of the call.
void set_attributes(onnx::NodeProto& node, const Attributes& of_call) {
  google::protobuf::RepeatedPtrField<onnx::AttributeProto> result;
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_g())
      for (auto& inner : *attribute.mutable_g()->mutable_node()) set_attributes(inner, of_call);
    if (attribute.ref_attr_name().empty()) {
      *result.Add() = attribute;
      continue;
    }
    const auto value = of_call.find(attribute.ref_attr_name());
    if (value == of_call.end()) continue;  // the operator's own default
    onnx::AttributeProto& copy = *result.Add();
    copy = value->second;
    copy.set_name(attribute.name());
  }
  node.mutable_attribute()->Swap(&result);
}

// Clears the reader's own field: a file must not set it. Nodes of functions get it when inlined.
void clear_opsets(onnx::GraphProto& graph) {
  for (auto& node : *graph.mutable_node()) {
    node.clear_inlined_opset();
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) clear_opsets(*attribute.mutable_g());
      for (auto& inner : *attribute.mutable_graphs()) clear_opsets(inner);
    }
  }
}

// Limits the nodes of all functions together: calls that double at each level grow without it.
constexpr size_t kMostNodes = 200000;

class Inliner {
 public:
  explicit Inliner(const onnx::ModelProto& model) : opset_(opset_of(model.opset_import())) {
    for (const auto& function : model.functions())
      if (!functions_
               .emplace(key_of(function.domain(), function.name(), function.overload()), &function)
               .second)
        throw Refusal{
            Error(errors::net_onnx)
                .in("function " + function.name())
                .argument("overload", function.overload())
                .detail("two functions have this domain, name and overload; keep one of them")};
  }

  void run(onnx::GraphProto& graph) { run(graph, opset_, 0); }

 private:
  // Domain, name and overload of a function.
  using Key = std::tuple<std::string, std::string, std::string>;
  static Key key_of(const std::string& domain, const std::string& name,
                    const std::string& overload) {
    return {domain_of(domain), name, overload};
  }

  using List = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

  void run(onnx::GraphProto& graph, int64_t opset, int depth) {
    List result;
    for (const auto& node : graph.node()) add(node, opset, result, depth);
    graph.mutable_node()->Swap(&result);
  }

  void add(onnx::NodeProto node, int64_t opset, List& result, int depth) {
    if (depth > kMostDepth)
      throw Refusal{Error(errors::net_onnx)
                        .in("node " + node.name() + " (" + node.op_type() + ")")
                        .detail(fmt::format("functions call each other more than {} deep; a "
                                            "function must not call itself",
                                            kMostDepth))};
    if (++added_ > kMostNodes)
      throw Refusal{Error(errors::net_onnx)
                        .in("node " + node.name() + " (" + node.op_type() + ")")
                        .detail(fmt::format("functions stand for more than {} nodes", kMostNodes))};
    const auto function = functions_.find(key_of(node.domain(), node.op_type(), node.overload()));
    if (function != functions_.end()) return call(node, *function->second, result, depth);
    for (auto& attribute : *node.mutable_attribute())
      if (attribute.has_g()) run(*attribute.mutable_g(), opset, depth + 1);
    // Nodes of the model's opset have it as well: a body of another opset may hold them. The field
    // stays with the node when a subgraph is copied and its names change.
    node.set_inlined_opset(opset);
    *result.Add() = std::move(node);
  }

  void call(const onnx::NodeProto& node, const onnx::FunctionProto& function, List& result,
            int depth) {
    Attributes attributes;
    for (const auto& attribute : node.attribute()) attributes[attribute.name()] = attribute;
    for (const auto& attribute : function.attribute_proto())
      attributes.emplace(attribute.name(), attribute);
    const std::string label = node.name().empty() ? node.op_type() : node.name();
    Use use{fmt::format("{}/{}/", label, ++calls_), {}, {}, {}};
    for (int i = 0; i < function.input_size(); ++i)
      use.names[function.input(i)] = i < node.input_size() ? node.input(i) : "";
    use.inner.assign(function.output().begin(), function.output().end());
    use.outer.assign(node.output().begin(), node.output().end());
    const int64_t given = opset_of(function.opset_import()), opset = given == 0 ? opset_ : given;
    if (opset < kFirstOpset || opset > kLastOpset)
      throw Refusal{Error(errors::net_onnx_opset)
                        .in("function " + function.name())
                        .argument("opset of ai.onnx", std::to_string(opset))
                        .detail(fmt::format("{} to {}", kFirstOpset, kLastOpset))};
    for (onnx::NodeProto& inner : nodes_of(function, use)) {
      set_attributes(inner, attributes);
      add(std::move(inner), opset, result, depth + 1);
    }
  }

  const int64_t opset_;
  std::map<Key, const onnx::FunctionProto*> functions_;
  int calls_ = 0;
  size_t added_ = 0;
};

}  // namespace

void inline_functions(onnx::ModelProto& model) {
  clear_opsets(*model.mutable_graph());
  if (model.functions().empty()) return;
  Inliner(model).run(*model.mutable_graph());
}

int64_t opset_of(const onnx::NodeProto& node, int64_t otherwise) {
  return node.has_inlined_opset() ? node.inlined_opset() : otherwise;
}

}  // namespace tputwin::net::onnx_reader
