// The graph of subnets, made from ids and names.
#include "bmodel/bm168x/subnets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/errors/bmrt.h"
#include "bmodel/bm168x/dynamic.h"

namespace tputwin::bmodel::bm168x {
namespace {

using Tensors = std::vector<std::unique_ptr<TensorT>>;

// A file can request a result of any size. Sizes that no host has are refused before allocation.
constexpr uint64_t kMostHostElements = uint64_t{1} << 30;

class GraphBuilder {
 public:
  explicit GraphBuilder(const NetParameterT& stage) : stage_(stage) {}

  Result<SubnetGraph> make() {
    graph_.stage = &stage_;
    TW_ASSIGN_OR_RETURN(inputs, tensors("input_tensor", stage_.input_tensor));
    TW_ASSIGN_OR_RETURN(outputs, tensors("output_tensor", stage_.output_tensor));
    graph_.inputs = std::move(inputs);
    graph_.outputs = std::move(outputs);
    for (size_t i = 0; i < stage_.sub_net.size(); ++i) positions_[stage_.sub_net[i]->id] = i;
    for (size_t i = 0; i < stage_.sub_net.size(); ++i) TW_RETURN_IF_ERROR(add_node(i));
    if (graph_.nodes.empty()) return std::move(graph_);
    TW_RETURN_IF_ERROR(check_ends());
    TW_RETURN_IF_ERROR(check_written());
    return std::move(graph_);
  }

 private:
  using Node = SubnetGraph::Node;

  static Error error(size_t node, std::string_view field, std::string value, std::string rule) {
    return Error(errors::brt_subnet_graph)
        .argument(fmt::format("sub_net[{}].{}", node, field), std::move(value))
        .detail(std::move(rule));
  }

  Result<std::vector<size_t>> tensors(const std::string& field, const Tensors& list);
  Status add_node(size_t index);
  Status add_followers(size_t index, Node& node) const;
  static Status check_cpu(size_t index, const Node& node);
  Status check_switch(size_t index, const Node& node) const;
  Status check_merge(size_t index, const Node& node) const;
  void visit(size_t node);
  Status check_ends();
  Status check_written() const;
  bool is_weight(const TensorT& tensor) const;

  const NetParameterT& stage_;
  SubnetGraph graph_{};
  std::map<int32_t, size_t> positions_;       // positions of subnets, by id
  std::map<std::string_view, size_t> names_;  // positions of tensors, by name
  std::set<size_t> reached_;                  // nodes that a run can reach
};

bool GraphBuilder::is_weight(const TensorT& tensor) const {
  const CoeffMemT* memory = stage_.coeff_mem.get();
  if (memory == nullptr || memory->binary_coeff == nullptr) return false;
  const uint64_t bytes = memory->binary_coeff->size(),
                 inside = tensor.device_addr - memory->address;
  return inside < bytes && tensor_bytes(tensor) <= bytes - inside;
}

Result<std::vector<size_t>> GraphBuilder::tensors(const std::string& field, const Tensors& list) {
  std::vector<size_t> result;
  for (size_t i = 0; i < list.size(); ++i) {
    const TensorT& tensor = *list[i];
    const auto [place, is_new] = names_.try_emplace(tensor.name, graph_.tensors.size());
    if (is_new) graph_.tensors.push_back({&tensor, is_weight(tensor)});
    const TensorT& first = *graph_.tensors[place->second].file;
    if (first.data_type != tensor.data_type)
      return Error(errors::brt_subnet_graph)
          .argument(fmt::format("{}[{}]", field, i),
                    fmt::format("{} {}", to_string(element_type(tensor)), tensor.name))
          .detail(fmt::format("elsewhere it is {}", to_string(element_type(first))));
    result.push_back(place->second);
  }
  return result;
}

Status GraphBuilder::add_node(size_t index) {
  const SubNetT& subnet = *stage_.sub_net[index];
  Node node{.subnet = &subnet, .mode = static_cast<SubnetMode>(subnet.subnet_mode)};
  const std::string place = fmt::format("sub_net[{}].", index);
  TW_ASSIGN_OR_RETURN(inputs, tensors(place + "input_tensor", subnet.input_tensor));
  TW_ASSIGN_OR_RETURN(outputs, tensors(place + "output_tensor", subnet.output_tensor));
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  TW_RETURN_IF_ERROR(add_followers(index, node));
  if (node.mode == SubnetMode::cpu) TW_RETURN_IF_ERROR(check_cpu(index, node));
  if (node.mode == SubnetMode::switch_branch) TW_RETURN_IF_ERROR(check_switch(index, node));
  if (node.mode == SubnetMode::merge) TW_RETURN_IF_ERROR(check_merge(index, node));
  graph_.nodes.push_back(std::move(node));
  return {};
}

Status GraphBuilder::add_followers(size_t index, Node& node) const {
  for (int32_t id : node.subnet->next_subnet_ids) {
    const auto found = positions_.find(id);
    if (id != -1 && found == positions_.end())
      return error(index, "next_subnet_ids", fmt::format("{}", id), "no subnet has this id");
    node.next.push_back(id == -1 ? SubnetGraph::kEnd : found->second);
  }
  const bool chooses = node.mode == SubnetMode::switch_branch;
  if (chooses ? node.next.empty() : node.next.size() > 1)
    return error(index, "next_subnet_ids", fmt::format("{} of them", node.next.size()),
                 chooses ? "a switch has branches" : "only a switch has several followers");
  if (node.next.empty()) node.next.push_back(SubnetGraph::kEnd);
  return {};
}

Status GraphBuilder::check_cpu(size_t index, const Node& node) {
  if (node.subnet->cpu_param.size() != 1)
    return error(index, "cpu_param", fmt::format("{} of them", node.subnet->cpu_param.size()),
                 "a CPU subnet has one");
  for (const auto* list : {&node.subnet->input_tensor, &node.subnet->output_tensor})
    for (const auto& listed : *list) {
      const TensorT& tensor = *listed;
      const ElementType type = element_type(tensor);
      if (type != ElementType::f32 && type != ElementType::i32)
        return error(index, tensor.name, std::string(to_string(type)),
                     "the host's arrays are fp32 or int32");
      if (element_count(tensor) > kMostHostElements)
        return error(index, tensor.name, fmt::format("{} elements", element_count(tensor)),
                     "the host's arrays have at most 2^30");
    }
  return {};
}

bool all_below(const std::vector<int32_t>& list, size_t end) {
  return std::ranges::all_of(list,
                             [&](int32_t i) { return i >= 0 && static_cast<size_t>(i) < end; });
}

Status GraphBuilder::check_switch(size_t index, const Node& node) const {
  const SwitchParamT* p = node.subnet->switch_param.get();
  if (p == nullptr || node.inputs.empty())
    return error(index, "switch_param", p == nullptr ? "none" : "no input",
                 "a switch has it, and an input that chooses");
  if (p->output_from.size() != node.outputs.size() ||
      !all_below(p->output_from, node.inputs.size()))
    return error(index, "switch_param.output_from", fmt::format("{}", p->output_from.size()),
                 "an input for each output");
  if (p->output_branch.size() != node.outputs.size() ||
      !all_below(p->output_branch, node.next.size()))
    return error(index, "switch_param.output_branch", fmt::format("{}", p->output_branch.size()),
                 "a branch for each output");
  const ElementType choice = element_type(*graph_.tensors[node.inputs.back()].file);
  const bool number =
      choice == ElementType::f32 || (choice >= ElementType::i8 && choice <= ElementType::u32);
  if (!number)
    return error(index, "input_tensor", std::string(to_string(choice)),
                 "what chooses is fp32 or an integer of 8 to 32 bits");
  for (size_t i = 0; i < node.outputs.size(); ++i)
    if (graph_.tensors[node.outputs[i]].file->data_type !=
        graph_.tensors[node.inputs[static_cast<size_t>(p->output_from[i])]].file->data_type)
      return error(index, "switch_param.output_from", fmt::format("{}", p->output_from[i]),
                   "an output has the type of its input");
  return {};
}

Status GraphBuilder::check_merge(size_t index, const Node& node) const {
  const MergeParamT* p = node.subnet->merge_param.get();
  if (p == nullptr || p->output_from.size() != node.outputs.size())
    return error(index, "merge_param", p == nullptr ? "none" : "another number",
                 "a merge has inputs for each output");
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const auto& from = p->output_from[i]->indice;
    if (from.empty() || !all_below(from, node.inputs.size()))
      return error(index, fmt::format("merge_param.output_from[{}]", i),
                   fmt::format("{} inputs", from.size()), "at least one, all of which are there");
    for (int32_t input : from)
      if (graph_.tensors[node.outputs[i]].file->data_type !=
          graph_.tensors[node.inputs[static_cast<size_t>(input)]].file->data_type)
        return error(index, fmt::format("merge_param.output_from[{}]", i), fmt::format("{}", input),
                     "an output has the type of its inputs");
  }
  return {};
}

// Iterative, because chains may be long.
void GraphBuilder::visit(size_t node) {
  std::vector<size_t> open{node};
  while (!open.empty()) {
    const size_t at = open.back();
    open.pop_back();
    if (at == SubnetGraph::kEnd || !reached_.insert(at).second) continue;
    open.insert(open.end(), graph_.nodes[at].next.begin(), graph_.nodes[at].next.end());
  }
}

// Checks that every loop has an exit.
Status GraphBuilder::check_ends() {
  visit(0);
  std::vector<std::vector<size_t>> before(graph_.nodes.size());
  std::vector<size_t> open;
  std::set<size_t> reaches_end;
  for (size_t i : reached_)
    for (size_t next : graph_.nodes[i].next) {
      if (next != SubnetGraph::kEnd)
        before[next].push_back(i);
      else if (reaches_end.insert(i).second)
        open.push_back(i);
    }
  while (!open.empty()) {
    const size_t at = open.back();
    open.pop_back();
    for (size_t i : before[at])
      if (reaches_end.insert(i).second) open.push_back(i);
  }
  for (size_t i : reached_)
    if (!reaches_end.contains(i))
      return error(i, "next_subnet_ids", fmt::format("subnet {}", graph_.nodes[i].subnet->id),
                   "no way leads from it to the end");
  return {};
}

Status GraphBuilder::check_written() const {
  std::set<size_t> written(graph_.inputs.begin(), graph_.inputs.end());
  for (size_t i : reached_)
    written.insert(graph_.nodes[i].outputs.begin(), graph_.nodes[i].outputs.end());
  auto is_there = [&](size_t tensor) {
    return graph_.tensors[tensor].is_constant || written.contains(tensor);
  };
  for (size_t i : reached_)
    for (size_t tensor : graph_.nodes[i].inputs)
      if (!is_there(tensor))
        return error(i, "input_tensor", graph_.tensors[tensor].file->name,
                     "no subnet writes it, and it is no input");
  for (size_t tensor : graph_.outputs)
    if (!is_there(tensor))
      return Error(errors::brt_subnet_graph)
          .argument("output_tensor", graph_.tensors[tensor].file->name)
          .detail("no subnet writes it, and it is no input");
  return {};
}

}  // namespace

bool is_tpu_chain(const NetParameterT& stage) {
  return std::ranges::all_of(stage.sub_net, [](const auto& subnet) {
    return static_cast<SubnetMode>(subnet->subnet_mode) == SubnetMode::tpu;
  });
}

std::string own_operator_text(int32_t op_type, std::span<const uint8_t> parameters) {
  constexpr std::string_view kMarker = "tputwin-host-operator-1 ";
  std::string_view text(reinterpret_cast<const char*>(parameters.data()), parameters.size());
  if (op_type < kFirstUserNumber || !text.starts_with(kMarker)) return "";
  text.remove_prefix(kMarker.size());
  return std::string(text.substr(0, text.find('\0')));
}

Result<SubnetGraph> subnet_graph(const NetParameterT& stage) {
  TW_RETURN_IF_ERROR(check_static(stage, "the stage"));
  return GraphBuilder(stage).make();
}

}  // namespace tputwin::bmodel::bm168x
