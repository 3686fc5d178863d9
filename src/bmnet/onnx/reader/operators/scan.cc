// Scan: the nodes of its body for each slice of its inputs.
#include <fmt/format.h>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

constexpr int64_t kMostSlices = 1024;

struct Scan {
  Node& node;
  Expansion made;
  const onnx::GraphProto& body;
  size_t inputs, states, outputs;  // outputs: those that collect the values of all steps
};

int64_t listed(const Node& node, const char* attribute, size_t i) {
  const Dims values = node.integers(attribute);
  return i < values.size() ? values[i] : 0;
}

Scan scan_of(Node& node) {
  const auto* found = node.find("body");
  node.require(found != nullptr && found->has_g(), "body", "none", "a graph");
  const onnx::GraphProto& body = found->g();
  const int64_t inputs = node.integer("num_scan_inputs", 0);
  node.require(inputs >= 1 && inputs <= static_cast<int64_t>(node.inputs()) &&
                   static_cast<size_t>(body.input_size()) == node.inputs(),
               "num_scan_inputs", std::to_string(inputs), "at least 1 of the inputs");
  const size_t states = node.inputs() - static_cast<size_t>(inputs);
  const int outputs = node.proto.output_size();
  node.require(body.output_size() == outputs && static_cast<size_t>(outputs) >= states, "body",
               body.name(), "every state and every collected value as an output");
  return {node,   Expansion(node),
          body,   static_cast<size_t>(inputs),
          states, static_cast<size_t>(outputs) - states};
}

// The slices of an input, one for each step, in the order of the steps.
std::vector<std::string> slices_of(Scan& scan, size_t i, int64_t& steps) {
  const size_t input = scan.states + i;
  const Dims& x = scan.node.dims(input);
  const size_t axis = scan.node.axis(listed(scan.node, "scan_input_axes", i), x.size());
  if (steps == 0) steps = x[axis];
  scan.node.require(x[axis] == steps && steps >= 1 && steps <= kMostSlices, "steps",
                    std::to_string(x[axis]),
                    fmt::format("1 to {}, the same for all inputs", kMostSlices));
  std::vector<std::string> parts =
      steps == 1
          ? std::vector{scan.made.in(input)}
          : scan.made.add_many("Split", {scan.made.in(input)}, static_cast<size_t>(steps),
                               {{"axis", static_cast<int64_t>(axis)}, {"num_outputs", steps}});
  const std::string axes = scan.made.integers({static_cast<int64_t>(axis)});
  for (std::string& part : parts) part = scan.made.add("Squeeze", {part, axes});
  if (listed(scan.node, "scan_input_directions", i) != 0) std::ranges::reverse(parts);
  return parts;
}

// Adds the nodes of a step. Returns the names of its outputs.
std::vector<std::string> add_step(Scan& scan, int64_t step,
                                  const std::vector<std::string>& inputs) {
  Use use{fmt::format("{}/{}/", scan.node.label(), step), {}, {}, {}};
  for (size_t i = 0; i < inputs.size(); ++i)
    use.names[scan.body.input(static_cast<int>(i)).name()] = inputs[i];
  for (onnx::NodeProto& inner : nodes_of(scan.body, use)) {
    inner.set_inlined_opset(opset_of(inner, scan.node.opset));
    scan.made.nodes().push_back(std::move(inner));
  }
  std::vector<std::string> names;
  for (const auto& output : scan.body.output()) {
    const auto found = use.names.find(output.name());
    names.push_back(found == use.names.end() ? output.name() : found->second);
  }
  return names;
}

}  // namespace

void expand_scan(Node& node) {
  Scan scan = scan_of(node);
  int64_t steps = 0;
  std::vector<std::vector<std::string>> slices, collected(scan.outputs);
  for (size_t i = 0; i < scan.inputs; ++i) slices.push_back(slices_of(scan, i, steps));
  std::vector<std::string> state;
  for (size_t i = 0; i < scan.states; ++i) state.push_back(scan.made.in(i));
  for (int64_t step = 0; step < steps; ++step) {
    std::vector<std::string> inputs = state;
    for (const auto& parts : slices) inputs.push_back(parts[static_cast<size_t>(step)]);
    const std::vector<std::string> results = add_step(scan, step, inputs);
    state.assign(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(scan.states));
    for (size_t i = 0; i < scan.outputs; ++i) collected[i].push_back(results[scan.states + i]);
  }
  for (size_t i = 0; i < scan.states; ++i)
    if (node.wants(i)) scan.made.set(scan.made.add("Identity", {state[i]}), i);
  for (size_t i = 0; i < scan.outputs; ++i) {
    if (!node.wants(scan.states + i)) continue;
    if (listed(node, "scan_output_directions", i) != 0) std::ranges::reverse(collected[i]);
    const int64_t axis = listed(node, "scan_output_axes", i);
    std::vector<std::string> parts;
    for (const std::string& value : collected[i])
      parts.push_back(scan.made.add("Unsqueeze", {value, scan.made.integers({axis})}));
    scan.made.set(scan.made.add("Concat", parts, {{"axis", axis}}), scan.states + i);
  }
}

}  // namespace tputwin::net::onnx_reader
