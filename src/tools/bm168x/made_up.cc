// Follows positions back from the operators of the host that take them to the inputs of the stage.
#include "tools/bm168x/made_up.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "host/parameters.h"
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

bool has_word(const host::Operator& op, std::string_view word) {
  return op.text.find(word) != std::string::npos;
}

// Returns the inputs whose elements, or whole numbers computed of them, the results of an operator
// are.
std::vector<size_t> moved_inputs(const host::Operator& op, size_t inputs) {
  static constexpr std::array<std::string_view, 11> kFirst = {
      "expand",  "gather", "gather_elements", "gathernd", "masked_select", "reshape", "slice",
      "squeeze", "tile",   "transpose",       "unsqueeze"};
  static constexpr std::array<std::string_view, 5> kWhole = {"op=abs", "op=identity", "op=relu",
                                                             "op=round", "op=trunc"};
  static constexpr std::array<std::string_view, 8> kArithmetic = {
      "op=add", "op=sub", "op=mul", "op=max", "op=min", "op=mod", "op=trunc_div", "op=fmod"};
  const std::string_view name = name_of(op);
  const auto has = [&](std::string_view word) { return has_word(op, word); };
  if (std::ranges::find(kFirst, name) != kFirst.end()) return {0};
  if (name == "unary" && std::ranges::any_of(kWhole, has)) return {0};
  if (name == "scatternd" || name == "scatter_elements") return {0, 2};
  if (name == "where") return {1, 2};
  const bool is_all =
      name == "concat" || (name == "binary" && std::ranges::any_of(kArithmetic, has));
  std::vector<size_t> all(is_all ? inputs : 0);
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

// Returns how many numbers from 0 on operands may be so that so many are results of arithmetic.
uint64_t limit_of_operands(const host::Operator& op, uint64_t results) {
  if (has_word(op, "binary op=add")) return (results + 1) / 2;
  if (has_word(op, "binary op=mul"))
    return std::max<uint64_t>(1, static_cast<uint64_t>(std::sqrt(static_cast<double>(results))));
  return results;
}

// The operators that take regions, as their second input.
bool takes_regions(std::string_view name) {
  return name == "roi_align" || name == "roi_pooling" || name == "psroi_pooling";
}
// Operators that change extents alone.
bool keeps_order(std::string_view name) {
  return name == "reshape" || name == "squeeze" || name == "unsqueeze";
}

// Returns the factor from positions of regions to those of the maps, 1/16 for example.
float region_scale(const host::Operator& op) {
  const size_t name = std::min(op.text.size(), op.text.find(": ") + 2);
  auto parameters = host::Parameters::parse(std::string_view(op.text).substr(name));
  const float scale = parameters.ok() ? parameters->number("spatial_scale", 1) : 1;
  return scale > 0 ? scale : 1;
}

// Counts the numbers from 0 on that are valid in each tensor; 0: any number is. Tensors of regions
// have maps to be in.
class Limits {
 public:
  explicit Limits(const bmrt::SubnetProgram& program)
      : program_(program),
        limits_(program.graph.tensors.size()),
        maps_(program.graph.tensors.size()) {
    const auto& nodes = program.graph.nodes;
    for (size_t i = nodes.size(); i-- > 0;) {
      if (nodes[i].mode == SubnetMode::switch_branch && !nodes[i].inputs.empty())
        limit(nodes[i].inputs.back(), nodes[i].next.size());
      if (nodes[i].mode == SubnetMode::cpu) follow(nodes[i], program.operators[i]);
    }
  }
  uint64_t of(size_t tensor) const { return limits_[tensor]; }
  const std::optional<RegionMaps>& maps_of(size_t tensor) const { return maps_[tensor]; }

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
  void find_regions(const Node& node, const host::Operator& op) {
    const auto& extents = shape(*program_.graph.tensors[node.inputs[0]].file);
    const auto& rows = shape(*program_.graph.tensors[node.inputs[1]].file);
    if (extents.size() != 4 || rows.size() < 2) return;
    const float scale = region_scale(op);
    maps_[node.inputs[1]] = RegionMaps{.columns = static_cast<uint64_t>(rows[1]),
                                       .images = static_cast<uint64_t>(extents[0]),
                                       .height = static_cast<double>(extents[2]) / scale,
                                       .width = static_cast<double>(extents[3]) / scale};
  }
  void follow(const Node& node, const host::Operator& op) {
    const std::string_view name = name_of(op);
    if (takes_regions(name) && node.inputs.size() > 1) find_regions(node, op);
    if (keeps_order(name) && !node.inputs.empty() && !node.outputs.empty() &&
        maps_[node.outputs[0]])
      maps_[node.inputs[0]] = maps_[node.outputs[0]];
    if (const auto integers = host::integer_input(name);
        integers && *integers < node.inputs.size() && node.inputs.size() > 1)
      limit(node.inputs[*integers], least_extent(node.inputs[*integers == 0 ? 1 : 0]));
    for (const size_t output : node.outputs)
      for (const size_t input : moved_inputs(op, node.inputs.size()))
        if (limits_[output] != 0 && input < node.inputs.size())
          limit(node.inputs[input], limit_of_operands(op, limits_[output]));
  }

  const bmrt::SubnetProgram& program_;
  std::vector<uint64_t> limits_;
  std::vector<std::optional<RegionMaps>> maps_;
};

}  // namespace

std::vector<std::vector<uint8_t>> made_up_inputs(const File& file, const NetParameterT& stage,
                                                 const std::string& host_libraries) {
  std::vector<uint64_t> limits(stage.input_tensor.size());
  std::vector<std::optional<RegionMaps>> maps(limits.size());
  if (!is_tpu_chain(stage)) {
    // A stage that cannot run is reported by its run.
    if (const auto program = bmrt::SubnetProgram::make(file, stage, host_libraries); program.ok()) {
      const Limits found(*program);
      for (size_t i = 0; i < limits.size(); ++i) {
        limits[i] = found.of(program->graph.inputs[i]);
        maps[i] = found.maps_of(program->graph.inputs[i]);
      }
    }
  }
  std::vector<std::vector<uint8_t>> inputs;
  for (size_t i = 0; i < limits.size(); ++i) {
    const TensorT& tensor = *stage.input_tensor[i];
    inputs.push_back(maps[i]          ? synthetic_regions(tensor, i + 1, *maps[i])
                     : limits[i] != 0 ? synthetic_positions(tensor, i + 1, limits[i])
                                      : synthetic(tensor, i + 1));
  }
  return inputs;
}

}  // namespace tputwin::tools
