// If and Loop: the nodes of the branch that a constant takes, or of both; and those of every
// iteration, where conditions and counts are constants.
#include <fmt/format.h>

#include <algorithm>

#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/model_importer.h"
#include "bmnet/onnx/reader/operators/host.h"

namespace tputwin::net::onnx_reader {
namespace {

constexpr int64_t kMostIterations = 1024;

const onnx::GraphProto& subgraph(const Node& node, const char* attribute) {
  const auto* found = node.find(attribute);
  node.require(found != nullptr && found->has_g(), attribute, "none", "a graph");
  return found->g();
}

bool is_true(const Node& node, const Constant& condition, std::string_view what) {
  node.require(condition.size() == 1, what, text(condition.dims), "one value");
  return condition.at(0) != 0;
}

std::vector<std::string> outputs_of(const onnx::GraphProto& graph) {
  std::vector<std::string> names;
  for (const auto& output : graph.output()) names.push_back(output.name());
  return names;
}

}  // namespace

namespace {

// The nodes of both branches, and a choice between their outputs.
void expand_both_branches(Node& node) {
  node.require(node.opset >= 9, "cond", node.proto.input(0),
               "a constant before opset 9, which has no Where");
  Expansion made(node);
  std::vector<std::string> names[2];
  for (const bool taken : {true, false}) {
    const onnx::GraphProto& graph = subgraph(node, taken ? "then_branch" : "else_branch");
    node.require(graph.output_size() == node.proto.output_size(), "outputs",
                 std::to_string(graph.output_size()),
                 fmt::format("as many as the node, which has {}", node.proto.output_size()));
    Use use{
        fmt::format("{}/{}/", node.label(), taken ? "then" : "else"), {}, outputs_of(graph), {}};
    for (int i = 0; i < graph.output_size(); ++i)
      use.outer.push_back(fmt::format("{}output{}", use.prefix, i));
    names[taken] = use.outer;
    for (onnx::NodeProto& inner : nodes_of(graph, use)) made.nodes().push_back(std::move(inner));
  }
  std::string condition = made.in(0);
  if (!node.dims(0).empty()) condition = made.add("Squeeze", {condition});
  for (size_t i = 0; i < names[0].size(); ++i)
    if (node.wants(i)) made.set(made.choose(condition, names[1][i], names[0][i]), i);
  node.expansion_opset = node.opset;
}

}  // namespace

namespace {

void expand_branch(Node& node, bool taken) {
  const onnx::GraphProto& graph = subgraph(node, taken ? "then_branch" : "else_branch");
  node.require(graph.output_size() == node.proto.output_size(), "outputs",
               std::to_string(graph.output_size()),
               fmt::format("as many as the node, which has {}", node.proto.output_size()));
  Use use{fmt::format("{}/{}/", node.label(), taken ? "then" : "else"), {}, outputs_of(graph), {}};
  use.outer.assign(node.proto.output().begin(), node.proto.output().end());
  node.expansion() = nodes_of(graph, use);
  node.expansion_opset = node.opset;
}

// Returns true if the branch returns tensors without elements.
bool is_empty(const onnx::GraphProto& branch) {
  const auto is_empty_constant = [](const onnx::NodeProto& node) {
    return node.op_type() == "Constant" && node.attribute_size() == 1 &&
           std::ranges::find(node.attribute(0).t().dims(), 0) != node.attribute(0).t().dims().end();
  };
  return branch.node_size() > 0 && std::ranges::all_of(branch.node(), is_empty_constant);
}

}  // namespace

void expand_if(Node& node) {
  if (node.constant(0) == nullptr) return expand_both_branches(node);
  expand_branch(node, is_true(node, node.weights(0, "cond"), "cond"));
}

// Branches that guard an operator, as PyTorch's exporter writes them: without elements the other
// branch gives none either, and an axis of at most one element is squeezed.
void if_of_host(Node& node) {
  using Kind = ExtentFact::Kind;
  const auto& fact = node.in(0).extents;
  if (fact && fact->kind == Kind::is_empty && is_empty(subgraph(node, "then_branch")))
    return expand_branch(node, false);
  const bool tests_axis = fact && fact->kind == Kind::is_one;
  if (tests_axis && fact->dims[fact->axis] == 1) return expand_branch(node, true);
  if (tests_axis && !fact->varies) return expand_branch(node, false);
  if (!node.in(0).varies && !tests_axis) return expand_both_branches(node);
  node.refuse("cond", node.proto.input(0),
              "a constant, or of one element; of extents known at run time it may ask whether a "
              "tensor has elements, and none is the result, or whether an axis has one");
}

void expand_loop(Node& node) {
  node.refuse("operator", "Loop", "in the graph of the model, not in an expansion");
}

namespace {

// One Loop that is unrolled.
struct Unrolling {
  Node& node;
  const onnx::GraphProto& body;
  size_t carried;                  // tensors that each iteration takes from the one before
  std::vector<std::string> state;  // their names now
  std::vector<std::vector<std::string>> scans;
  std::string prefix(int64_t iteration) const {
    return fmt::format("{}/{}/", node.label(), iteration);
  }
};

Unrolling unrolling_of(Node& node) {
  const onnx::GraphProto& body = subgraph(node, "body");
  const auto carried = static_cast<size_t>(std::max(node.proto.input_size() - 2, 0));
  const size_t outputs = static_cast<size_t>(body.output_size());
  node.require(static_cast<size_t>(body.input_size()) == carried + 2 && outputs >= carried + 1 &&
                   static_cast<size_t>(node.proto.output_size()) == outputs - 1,
               "body", body.name(), "a number, a condition and every carried tensor as inputs");
  Unrolling result{node, body, carried, {}, {}};
  for (size_t i = 0; i < carried; ++i)
    result.state.push_back(node.proto.input(static_cast<int>(i) + 2));
  result.scans.resize(outputs - 1 - carried);
  return result;
}

// Returns the nodes of an iteration, and the name of its condition.
std::pair<Nodes, std::string> iteration_of(Unrolling& loop, int64_t iteration) {
  Use use{loop.prefix(iteration), {}, {}, {}};
  Expansion constants(loop.node);
  const std::string number = constants.integer(iteration), condition = constants.integers({1});
  use.names[loop.body.input(0).name()] = number;
  use.names[loop.body.input(1).name()] = condition;
  for (size_t i = 0; i < loop.carried; ++i)
    use.names[loop.body.input(static_cast<int>(i) + 2).name()] = loop.state[i];
  Nodes nodes = std::move(loop.node.expansion());
  loop.node.expansion().clear();
  for (onnx::NodeProto& inner : nodes_of(loop.body, use)) nodes.push_back(std::move(inner));
  const auto name = [&](size_t output) {
    const std::string& inner = loop.body.output(static_cast<int>(output)).name();
    const auto found = use.names.find(inner);
    return found == use.names.end() ? inner : found->second;
  };
  for (size_t i = 0; i < loop.carried; ++i) loop.state[i] = name(i + 1);
  for (size_t i = 0; i < loop.scans.size(); ++i)
    loop.scans[i].push_back(name(loop.carried + 1 + i));
  return {std::move(nodes), name(0)};
}

// The values that no iteration collects: a constant without elements, whose other extents are those
// of the body's output.
std::string no_values(Unrolling& loop, Expansion& made, size_t scan) {
  const auto& output = loop.body.output(static_cast<int>(loop.carried + 1 + scan));
  const auto& type = output.type().tensor_type();
  Dims dims{0};
  bool is_known = type.has_shape();
  for (const auto& dim : type.shape().dim()) {
    is_known = is_known && dim.has_dim_value();
    dims.push_back(dim.dim_value());
  }
  loop.node.require(is_known && (type.elem_type() == onnx::TensorProto::FLOAT ||
                                 type.elem_type() == onnx::TensorProto::INT64),
                    "iterations", "0",
                    "at least one where values are collected, unless the body's output has a "
                    "static shape of float or int64");
  return made.empty(dims, type.elem_type());
}

// The loop's outputs: what the last iteration carries, and the values of all iterations joined.
void set_outputs(Unrolling& loop) {
  Expansion made(loop.node);
  const auto join = [&](size_t scan) {
    if (loop.scans[scan].empty()) return no_values(loop, made, scan);
    std::vector<std::string> parts;
    for (const std::string& value : loop.scans[scan])
      parts.push_back(made.add("Unsqueeze", {value, made.integers({0})}));
    return made.add("Concat", parts, {{"axis", int64_t{0}}});
  };
  for (size_t i = 0; i < loop.carried; ++i) made.set(made.add("Identity", {loop.state[i]}), i);
  for (size_t i = 0; i < loop.scans.size(); ++i)
    if (loop.node.wants(loop.carried + i)) made.set(join(i), loop.carried + i);
}

}  // namespace

// Imports the nodes of each iteration: the condition of the next one must then be a constant.
void ModelImporter::loop(Node& node) {
  Unrolling loop = unrolling_of(node);
  const int64_t count = node.has(0) ? node.whole(0, "M") : INT64_MAX;
  bool goes_on = !node.has(1) || is_true(node, node.weights(1, "cond"), "cond");
  for (int64_t i = 0; i < count && goes_on; ++i) {
    node.require(i < kMostIterations, "iterations", fmt::format("more than {}", kMostIterations),
                 fmt::format("at most {}", kMostIterations));
    const auto [nodes, condition] = iteration_of(loop, i);
    wanted_.insert(loop.state.begin(), loop.state.end());
    wanted_.insert(condition);
    for (const auto& scan : loop.scans) wanted_.insert(scan.back());
    const size_t problems = problems_.size();
    import_all(nodes, node.opset);
    if (problems_.size() > problems) return;
    const auto known = values_.find(condition);
    node.require(known != values_.end() && known->second.constant != nullptr, "cond",
                 condition.empty() ? "none" : condition,
                 "a constant in every iteration: the net has no branches");
    goes_on = is_true(node, *known->second.constant, "cond");
  }
  set_outputs(loop);
}

}  // namespace tputwin::net::onnx_reader
