// Models whose binaries move to other positions.
#include "bmodel/bm168x/parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/errors/bmodel.h"

namespace tputwin::bmodel::bm168x {
namespace {

using Visit = std::function<void(Binary&)>;

void visit_binary(const std::unique_ptr<Binary>& part, const Visit& visit) {
  if (part != nullptr) visit(*part);
}

void visit_groups(const std::vector<std::unique_ptr<CmdGroupT>>& groups, const Visit& visit) {
  for (const auto& group : groups) {
    visit_binary(group->binary_bdc, visit);
    visit_binary(group->binary_gdma, visit);
  }
}

void visit_stage(const NetParameterT& stage, const Visit& visit) {
  if (stage.coeff_mem != nullptr) visit_binary(stage.coeff_mem->binary_coeff, visit);
  visit_groups(stage.cmd_group, visit);
  for (const auto* part :
       {&stage.net_profile, &stage.binary_ir, &stage.net_stat, &stage.tensor_loc})
    visit_binary(*part, visit);
  for (const auto& subnet : stage.sub_net) {
    visit_groups(subnet->cmd_group, visit);
    for (const auto& parameters : subnet->cpu_param) {
      visit_binary(parameters->binary_param, visit);
      for (const auto& constant : parameters->cpu_const) visit_binary(constant->const_data, visit);
    }
  }
}

// Appends binaries in the order in which the model names them. Equal ranges are appended once.
void move_binaries(OwnFile& file, std::span<const uint8_t> from) {
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> positions;
  for_each_binary(file.model, [&](Binary& part) {
    const auto [place, is_new] =
        positions.try_emplace({part.start(), part.size()}, file.binary.size());
    if (is_new) {
      const auto bytes = from.subspan(part.start(), part.size());
      file.binary.insert(file.binary.end(), bytes.begin(), bytes.end());
    }
    part = Binary(place->second, part.size());
  });
}

Status check_same(const ModelT& first, const ModelT& other, size_t index) {
  if (chip_of(first) == chip_of(other)) return {};
  return Error(errors::mod_combine).argument(fmt::format("models[{}].chip", index), other.chip);
}

using Tensors = std::vector<std::unique_ptr<TensorT>>;

std::string shapes_of(const NetParameterT& stage) {
  std::string text;
  for (const auto& tensor : stage.input_tensor)
    text += fmt::format("{}({})", text.empty() ? "" : " ", fmt::join(shape(*tensor), ","));
  return text;
}

bool have_same_types(const Tensors& a, const Tensors& b) {
  return std::ranges::equal(a, b, {}, &TensorT::data_type, &TensorT::data_type);
}

// A launch chooses the stage by the shapes of its inputs, and a program asks the net, not the
// stage, for types.
Status check_stages(const NetT& net, const NetT& more, size_t index) {
  const auto differs = [&](std::string detail) {
    return Error(errors::mod_combine)
        .argument(fmt::format("models[{}].net", index), net.name)
        .detail(detail +
                "; give nets that are not the same names of their own (tputwin compile "
                "--name)");
  };
  for (const auto& added : more.parameter)
    for (const auto& known : net.parameter) {
      if (!have_same_types(known->input_tensor, added->input_tensor) ||
          !have_same_types(known->output_tensor, added->output_tensor))
        return differs("its inputs or outputs have other types than those of the models before it");
      if (shapes_of(*known) == shapes_of(*added))
        return differs("a model before it has inputs of " + shapes_of(*added) +
                       ", so that no launch could choose this one");
    }
  return {};
}

Status add_stages(NetT& net, NetT& more, size_t index) {
  const NetParameterT &one = *net.parameter[0], &other = *more.parameter[0];
  if (net.addr_mode != more.addr_mode || one.input_tensor.size() != other.input_tensor.size() ||
      one.output_tensor.size() != other.output_tensor.size())
    return Error(errors::mod_combine)
        .argument(fmt::format("models[{}].net", index), net.name)
        .detail("its address mode, or how many inputs and outputs it has, is another");
  TW_RETURN_IF_ERROR(check_stages(net, more, index));
  std::ranges::move(more.parameter, std::back_inserter(net.parameter));
  return {};
}

}  // namespace

void for_each_binary(ModelT& model, const Visit& visit) {
  for (const auto& net : model.net)
    for (const auto& stage : net->parameter) visit_stage(*stage, visit);
  if (model.kernel_module != nullptr) visit_binary(model.kernel_module->binary, visit);
  if (model.cpuop_module != nullptr) visit_binary(model.cpuop_module->binary, visit);
  visit_binary(model.lib_backend, visit);
}

OwnFile stage_alone(const File& file, size_t net, size_t stage) {
  OwnFile result{file.model, {}};
  auto& nets = result.model.net;
  std::swap(nets[0], nets[net]);
  nets.resize(1);
  auto& stages = nets[0]->parameter;
  std::swap(stages[0], stages[stage]);
  stages.resize(1);
  result.model.neuron_size = neuron_bytes(*stages[0]);
  move_binaries(result, file.binary);
  return result;
}

Result<OwnFile> combine(std::span<const File* const> files) {
  OwnFile result{files.front()->model, {}};
  result.binary.assign(files.front()->binary.begin(), files.front()->binary.end());
  auto& nets = result.model.net;
  for (size_t i = 1; i < files.size(); ++i) {
    ModelT more = files[i]->model;
    TW_RETURN_IF_ERROR(check_same(result.model, more, i));
    const uint64_t offset = result.binary.size();
    for_each_binary(more, [&](Binary& part) { part = Binary(part.start() + offset, part.size()); });
    result.binary.insert(result.binary.end(), files[i]->binary.begin(), files[i]->binary.end());
    for (auto& net : more.net) {
      const auto same = std::ranges::find(nets, net->name, [](const auto& n) { return n->name; });
      if (same == nets.end())
        nets.push_back(std::move(net));
      else
        TW_RETURN_IF_ERROR(add_stages(**same, *net, i));
    }
    result.model.neuron_size = std::max(result.model.neuron_size, more.neuron_size);
  }
  return result;
}

}  // namespace tputwin::bmodel::bm168x
