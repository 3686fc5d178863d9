// Decodes the commands of stages, and prices them.
#include "tools/bm168x/stage_programs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "base/errors/bmrt.h"
#include "base/errors/tools.h"
#include "base/last_error.h"
#include "bmodel/bm168x/dynamic.h"
#include "insight/timing/commands.h"
#include "isa/streams/stream.h"

namespace tputwin::tools {

using namespace bmodel::bm168x;

namespace {

using Program = std::vector<Instruction>;

Result<Program> decode(const File& file, const CmdGroupT& group,
                       isa::UnconfirmedForms& unconfirmed) {
  const Chip& chip = *chip_of(file.model);
  isa::CommandStreams streams{file.bytes(group.binary_bdc), file.bytes(group.binary_gdma)};
  if (group.bdc_cmd_byte != 0) streams.tiu = streams.tiu.first(group.bdc_cmd_byte);
  if (group.gdma_cmd_byte != 0) streams.gdma = streams.gdma.first(group.gdma_cmd_byte);
  return isa::decode_streams(streams, chip, {.unconfirmed = &unconfirmed});
}

}  // namespace

std::vector<const CmdGroupT*> groups_of(const NetParameterT& stage) {
  std::vector<const CmdGroupT*> groups;
  auto add = [&](const auto& list) {
    for (const auto& group : list) groups.push_back(group.get());
  };
  for (const auto& subnet : stage.sub_net) add(subnet->cmd_group);
  if (stage.sub_net.empty()) add(stage.cmd_group);
  return groups;
}

namespace {

// Sums the costs of commands by the layers that the file names.
std::vector<OperationCost> prices_of_layers(const StageGroups& decoded, const Chip& chip) {
  std::vector<OperationCost> rows;
  std::map<std::string_view, size_t> row_of;
  for (size_t i = 0; i < decoded.groups.size(); ++i)
    for (const Instruction& instruction : decoded.groups[i]) {
      const std::string_view layer = decoded.layers[i].of(instruction);
      if (layer.empty()) continue;
      const auto [found, is_new] = row_of.try_emplace(layer, rows.size());
      if (is_new) rows.push_back({.name = std::string(layer), .engine = {}});
      OperationCost& row = rows[found->second];
      ++row.count;
      add(row.cost, cost(instruction.op, chip));
    }
  return rows;
}

}  // namespace

Result<StageGroups> decode_stage(const File& file, const NetT& net, size_t index) {
  const NetParameterT& stage = *net.parameter[index];
  TW_RETURN_IF_ERROR(check_static(stage, stage_name(net, index)));
  StageGroups decoded;
  for (const CmdGroupT* group : groups_of(stage)) {
    auto program = decode(file, *group, decoded.unconfirmed);
    if (!program.ok()) return in_call(program.error(), stage_name(net, index));
    decoded.groups.push_back(std::move(*program));
    decoded.layers.emplace_back(*group);
  }
  return decoded;
}

Result<StagePrice> price_of(const File& file, const NetT& net, size_t index) {
  const Chip& chip = *chip_of(file.model);
  TW_ASSIGN_OR_RETURN(decoded, decode_stage(file, net, index));
  StagePrice price{.cost = {},
                   .layers = prices_of_layers(decoded, chip),
                   .unconfirmed = std::move(decoded.unconfirmed)};
  Program all;
  for (const Program& program : decoded.groups)
    all.insert(all.end(), program.begin(), program.end());
  price.cost = program_cost(all, chip);
  price.cost.elapsed_cycles = insight::predicted_cycles(all, chip);
  return price;
}

Status check_strictly(const File& file) {
  for (const auto& net : file.model.net)
    for (size_t i = 0; i < net->parameter.size(); ++i) {
      if (is_dynamic(*net->parameter[i])) continue;
      TW_ASSIGN_OR_RETURN(decoded, decode_stage(file, *net, i));
      TW_RETURN_IF_ERROR(isa::refuse(decoded.unconfirmed, stage_name(*net, i)));
    }
  return {};
}

bool StageChoice::includes(const NetT& of, size_t index) const {
  return (!net || of.name == *net) && (!stage || fmt::format("{}", index) == *stage);
}

Error no_such_net(const File& file, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& net : file.model.net) names.push_back(net->name);
  return Error(errors::brt_net)
      .argument("--net", name.empty() ? "not given" : name)
      .detail(names.empty() ? "the file has no nets"
                            : fmt::format("the file has {}", fmt::join(names, ", ")));
}

Error no_such_stage(const NetT& net, std::string stage) {
  std::string has;
  for (size_t i = 0; i < net.parameter.size(); ++i) {
    has += fmt::format("{}stage {} for", i == 0 ? "" : "; ", i);
    for (const auto& tensor : net.parameter[i]->input_tensor)
      has += fmt::format(" ({})", fmt::join(shape(*tensor), ","));
  }
  return Error(errors::cli_stage)
      .argument("--net " + net.name, std::move(stage))
      .detail("it has " + (has.empty() ? "no stages" : has));
}

Status check_choice(const File& file, const StageChoice& choice) {
  const NetT* chosen = nullptr;
  for (const auto& net : file.model.net) {
    if (choice.net && net->name != *choice.net) continue;
    chosen = net.get();
    for (size_t i = 0; i < net->parameter.size(); ++i)
      if (choice.includes(*net, i)) return {};
  }
  if (chosen == nullptr) return no_such_net(file, choice.net.value_or(""));
  return no_such_stage(*chosen, "stage " + choice.stage.value_or("not given"));
}

Result<FilePrograms> programs_of(const File& file, const StageChoice& choice) {
  TW_RETURN_IF_ERROR(check_choice(file, choice));
  FilePrograms programs;
  for (const auto& net : file.model.net)
    for (size_t i = 0; i < net->parameter.size(); ++i) {
      if (!choice.includes(*net, i)) continue;
      auto decoded = decode_stage(file, *net, i);
      if (!decoded.ok()) {
        programs.not_priced.push_back(decoded.error());
        continue;
      }
      StageProgram& stage = programs.stages.emplace_back();
      stage.name = fmt::format("{} stage {}", net->name, i);
      stage.chip = chip_of(file.model);
      for (size_t g = 0; g < decoded->groups.size(); ++g)
        for (Instruction& command : decoded->groups[g]) {
          stage.layers.push_back(decoded->layers[g].of(command));
          stage.commands.push_back(std::move(command));
        }
    }
  if (programs.stages.empty() && !programs.not_priced.empty()) return programs.not_priced.front();
  return programs;
}

}  // namespace tputwin::tools
