// Follows positions back from the operators of the host that take them to the inputs of the stage.
#include "tools/bm168x/made_up.h"

#include <algorithm>
#include <array>

#include "sdk/bmrt/subnet_run.h"
#include "tools/bm168x/tensor_values.h"

namespace tputwin::tools {

using namespace bmodel::bm168x;

namespace {

// The name in the text of an operator, "subnet 1: gather axis=0".
std::string_view name_of(const host::Operator& op) {
  std::string_view text = op.text;
  text.remove_prefix(std::min(text.size(), text.find(": ") + 2));
  return text.substr(0, text.find(' '));
}

// Returns true for operators whose results are elements of their inputs.
bool moves_elements(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kMoves = {
      "concat", "masked_select", "reshape",   "slice", "squeeze",
      "tile",   "transpose",     "unsqueeze", "where"};
  return std::ranges::find(kMoves, name) != kMoves.end();
}

// Counts the numbers from 0 on that are valid in each tensor; 0: any number is.
class Limits {
 public:
  explicit Limits(const bmrt::SubnetProgram& program)
      : program_(program), limits_(program.graph.tensors.size()) {
    const auto& nodes = program.graph.nodes;
    for (size_t i = nodes.size(); i-- > 0;) {
      if (nodes[i].mode == SubnetMode::switch_branch && !nodes[i].inputs.empty())
        limit(nodes[i].inputs.back(), nodes[i].next.size());
      if (nodes[i].mode == SubnetMode::cpu) follow(nodes[i], name_of(program.operators[i]));
    }
  }
  uint64_t of(size_t tensor) const { return limits_[tensor]; }

 private:
  using Node = SubnetGraph::Node;

  void limit(size_t tensor, uint64_t most) {
    uint64_t& known = limits_[tensor];
    known = known == 0 ? most : std::min(known, most);
  }
  // Returns the least extent, so that a position is valid on every axis.
  uint64_t least_extent(size_t tensor) const {
    const auto& extents = shape(*program_.graph.tensors[tensor].file);
    return extents.empty() ? 1 : std::max<uint64_t>(1, *std::ranges::min_element(extents));
  }
  void follow(const Node& node, std::string_view name) {
    if (const auto integers = host::integer_input(name);
        integers && *integers < node.inputs.size() && node.inputs.size() > 1)
      limit(node.inputs[*integers], least_extent(node.inputs[*integers == 0 ? 1 : 0]));
    if (!moves_elements(name)) return;
    for (const size_t output : node.outputs)
      for (const size_t input : node.inputs)
        if (limits_[output] != 0) limit(input, limits_[output]);
  }

  const bmrt::SubnetProgram& program_;
  std::vector<uint64_t> limits_;
};

}  // namespace

std::vector<std::vector<uint8_t>> made_up_inputs(const File& file, const NetParameterT& stage,
                                                 const std::string& host_libraries) {
  std::vector<uint64_t> limits(stage.input_tensor.size());
  if (!is_tpu_chain(stage)) {
    // A stage that cannot run is reported by its run.
    if (const auto program = bmrt::SubnetProgram::make(file, stage, host_libraries); program.ok()) {
      const Limits found(*program);
      for (size_t i = 0; i < limits.size(); ++i) limits[i] = found.of(program->graph.inputs[i]);
    }
  }
  std::vector<std::vector<uint8_t>> inputs;
  for (size_t i = 0; i < limits.size(); ++i) {
    const TensorT& tensor = *stage.input_tensor[i];
    inputs.push_back(limits[i] != 0 ? synthetic_positions(tensor, i + 1, limits[i])
                                    : synthetic(tensor, i + 1));
  }
  return inputs;
}

}  // namespace tputwin::tools
