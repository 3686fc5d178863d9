// What is in a bmodel of BM1684 or BM1684X, as text, as JSON, as commands.
#include "tools/bm168x/info168x.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/errors/bmrt.h"
#include "bmodel/bm168x/subnets.h"
#include "insight/timing/commands.h"
#include "isa/streams/stream.h"
#include "machine/program_cost.h"

namespace tputwin::tools {

using namespace bmodel::bm168x;

namespace {

using Json = nlohmann::ordered_json;
using Program = std::vector<Instruction>;

std::vector<const CmdGroupT*> groups_of(const NetParameterT& stage) {
  std::vector<const CmdGroupT*> groups;
  auto add = [&](const auto& list) {
    for (const auto& group : list) groups.push_back(group.get());
  };
  for (const auto& subnet : stage.sub_net) add(subnet->cmd_group);
  if (stage.sub_net.empty()) add(stage.cmd_group);
  return groups;
}

Result<Program> decode(const File& file, const CmdGroupT& group) {
  const Chip& chip = *chip_of(file.model);
  isa::CommandStreams streams{file.bytes(group.binary_bdc), file.bytes(group.binary_gdma)};
  if (group.bdc_cmd_byte != 0) streams.tiu = streams.tiu.first(group.bdc_cmd_byte);
  if (group.gdma_cmd_byte != 0) streams.gdma = streams.gdma.first(group.gdma_cmd_byte);
  return isa::decode_streams(streams, chip);
}

// Of all groups, which run one after the other.
Result<ProgramCost> cost_of(const File& file, const NetParameterT& stage) {
  ProgramCost total;
  const Chip& chip = *chip_of(file.model);
  Program all;
  for (const CmdGroupT* group : groups_of(stage)) {
    TW_ASSIGN_OR_RETURN(program, decode(file, *group));
    const ProgramCost part = program_cost(program, chip);
    total.compute_cycles += part.compute_cycles;
    total.dma_cycles += part.dma_cycles;
    all.insert(all.end(), program.begin(), program.end());
  }
  const ProgramCost whole = program_cost(all, chip);
  total.operations = whole.operations;
  total.instructions = whole.instructions;
  total.cost = whole.cost;
  total.elapsed_cycles = insight::predicted_cycles(all, chip);
  return total;
}

std::string tensor_line(std::string_view kind, const TensorT& tensor) {
  static constexpr std::string_view kStorage[] = {"1N", "2N", "4N"};
  return fmt::format("    {:<7} {} {}({}) at {:#x}, {} bytes, {}, scale {}, zero point {}\n", kind,
                     tensor.name, to_string(element_type(tensor)), fmt::join(shape(tensor), ","),
                     tensor.device_addr, tensor.size, kStorage[tensor.gmem_stmode], tensor.scale,
                     tensor.zero_point);
}

// The operators of a CPU subnet: numbers, and the text of ours.
std::vector<std::string> operators_of(const File& file, const SubNetT& subnet) {
  std::vector<std::string> list;
  for (const auto& param : subnet.cpu_param) {
    const auto bytes = file.bytes(param->binary_param);
    const std::string text = own_operator_text(param->op_type, bytes);
    list.push_back(text.empty() ? fmt::format("operator {}, {} bytes of parameters", param->op_type,
                                              bytes.size())
                                : text);
  }
  return list;
}

std::string subnet_text(const File& file, const SubNetT& subnet) {
  const auto names = [](const auto& tensors) {
    std::vector<std::string> list;
    for (const auto& tensor : tensors) list.push_back(tensor->name);
    return fmt::format("{}", fmt::join(list, " "));
  };
  std::string text =
      fmt::format("    subnet  {}: {}{}, {} -> {}, next {}\n", subnet.id,
                  to_string(static_cast<SubnetMode>(subnet.subnet_mode)),
                  subnet.is_dynamic != 0 ? " dynamic" : "", names(subnet.input_tensor),
                  names(subnet.output_tensor), fmt::join(subnet.next_subnet_ids, " "));
  for (const std::string& op : operators_of(file, subnet)) text += "              " + op + "\n";
  return text;
}

uint64_t weight_bytes(const NetParameterT& stage) {
  const auto& weights = stage.coeff_mem;
  return weights != nullptr && weights->binary_coeff ? weights->binary_coeff->size() : 0;
}

uint64_t command_bytes(const NetParameterT& stage) {
  uint64_t bytes = 0;
  for (const CmdGroupT* group : groups_of(stage))
    for (const auto* part : {group->binary_bdc.get(), group->binary_gdma.get()})
      bytes += part != nullptr ? part->size() : 0;
  return bytes;
}

std::string commands_text(const ProgramCost& p, const Chip& chip) {
  std::string text = fmt::format("    {:<20}{:>8}{:>14}{:>16}{:>14}\n", "operation", "count",
                                 "cycles", "macs", "bytes moved");
  for (const OperationCost& row : p.operations)
    text += fmt::format("    {:<20}{:>8}{:>14}{:>16}{:>14}\n", row.name, row.count,
                        row.cost.cycles(), row.cost.macs, row.cost.global_bytes);
  return text + fmt::format(
                    "    total   {} commands, {} macs, {} bytes to and from global memory\n"
                    "    predicted {} cycles = {:.3f} ms at {:.0f} MHz\n",
                    p.instructions, p.cost.macs, p.cost.global_bytes, p.elapsed_cycles,
                    p.milliseconds(chip), chip.clock_hz / 1e6);
}

std::string stage_text(const File& file, const NetParameterT& stage, size_t index) {
  std::string text = fmt::format("  stage {}{}\n", index, is_dynamic(stage) ? ": dynamic" : "");
  for (const auto& tensor : stage.input_tensor) text += tensor_line("input", *tensor);
  for (const auto& tensor : stage.output_tensor) text += tensor_line("output", *tensor);
  for (const auto& subnet : stage.sub_net) text += subnet_text(file, *subnet);
  text +=
      fmt::format("    memory  weights {} bytes, neurons {}, io {}, commands {}\n",
                  weight_bytes(stage), neuron_bytes(stage), stage.io_size, command_bytes(stage));
  auto p = cost_of(file, stage);
  if (p.ok()) return text + commands_text(*p, *chip_of(file.model));
  return text + fmt::format("    commands not decoded: {}\n", p.error().message());
}

Json tensor_json(const TensorT& tensor) {
  return {{"name", tensor.name},
          {"type", std::string(to_string(element_type(tensor)))},
          {"shape", tensor.shape.front()->dim},
          {"scale", tensor.scale},
          {"zero_point", tensor.zero_point},
          {"storage", tensor.gmem_stmode},
          {"address", tensor.device_addr},
          {"reserved_bytes", tensor.size},
          {"bytes", tensor_bytes(tensor)}};
}

Json tensors_json(const std::vector<std::unique_ptr<TensorT>>& tensors) {
  Json list = Json::array();
  for (const auto& tensor : tensors) list.push_back(tensor_json(*tensor));
  return list;
}

Json cost_json(const ProgramCost& p, const Chip& chip) {
  Json operations = Json::array();
  for (const OperationCost& row : p.operations)
    operations.push_back({{"operation", row.name},
                          {"engine", std::string(to_string(row.engine))},
                          {"count", row.count},
                          {"cycles", row.cost.cycles()},
                          {"macs", row.cost.macs},
                          {"global_bytes", row.cost.global_bytes}});
  return {{"count", p.instructions},
          {"macs", p.cost.macs},
          {"global_bytes", p.cost.global_bytes},
          {"operations", std::move(operations)},
          {"predicted_cycles", p.elapsed_cycles},
          {"predicted_milliseconds", p.milliseconds(chip)}};
}

Json stage_json(const File& file, const NetParameterT& stage) {
  Json subnets = Json::array();
  for (const auto& subnet : stage.sub_net)
    subnets.push_back(
        {{"id", subnet->id},
         {"mode", std::string(to_string(static_cast<SubnetMode>(subnet->subnet_mode)))},
         {"dynamic", subnet->is_dynamic != 0},
         {"inputs", tensors_json(subnet->input_tensor)},
         {"outputs", tensors_json(subnet->output_tensor)},
         {"operators", operators_of(file, *subnet)},
         {"next", subnet->next_subnet_ids}});
  Json json = {{"inputs", tensors_json(stage.input_tensor)},
               {"outputs", tensors_json(stage.output_tensor)},
               {"dynamic", is_dynamic(stage)},
               {"subnets", std::move(subnets)},
               {"weight_bytes", weight_bytes(stage)},
               {"neuron_bytes", neuron_bytes(stage)},
               {"io_bytes", stage.io_size},
               {"command_bytes", command_bytes(stage)}};
  auto p = cost_of(file, stage);
  json["commands"] =
      p.ok() ? cost_json(*p, *chip_of(file.model)) : Json{{"error", p.error().message()}};
  return json;
}

}  // namespace

std::string info_text(const File& file) {
  const ModelT& model = file.model;
  std::string text = fmt::format("model of {}, container {}, {}: {} {}, {} bytes of binaries\n",
                                 model.chip, model.version, model.time, model.net.size(),
                                 model.net.size() == 1 ? "net" : "nets", file.binary.size());
  if (model.kernel_module != nullptr)
    text += fmt::format("kernel module {}, {} bytes\n", model.kernel_module->file_name,
                        model.kernel_module->binary->size());
  for (const auto& net : model.net) {
    text += fmt::format("net {}: address mode {}\n", net->name,
                        to_string(static_cast<AddressMode>(net->addr_mode)));
    for (size_t i = 0; i < net->parameter.size(); ++i)
      text += stage_text(file, *net->parameter[i], i);
  }
  return text;
}

std::string info_json(const File& file) {
  const ModelT& model = file.model;
  Json nets = Json::array();
  for (const auto& net : model.net) {
    Json stages = Json::array();
    for (const auto& stage : net->parameter) stages.push_back(stage_json(file, *stage));
    nets.push_back(
        {{"name", net->name},
         {"address_mode", std::string(to_string(static_cast<AddressMode>(net->addr_mode)))},
         {"stages", std::move(stages)}});
  }
  const Json json = {{"chip", model.chip},
                     {"version", model.version},
                     {"time", model.time},
                     {"binary_bytes", file.binary.size()},
                     {"nets", std::move(nets)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::vector<StageProgram>> programs_of(const File& file) {
  std::vector<StageProgram> programs;
  for (const auto& net : file.model.net)
    for (size_t i = 0; i < net->parameter.size(); ++i) {
      StageProgram& stage = programs.emplace_back();
      stage.name = fmt::format("{} stage {}", net->name, i);
      stage.chip = chip_of(file.model);
      for (const CmdGroupT* group : groups_of(*net->parameter[i])) {
        TW_ASSIGN_OR_RETURN(program, decode(file, *group));
        stage.commands.insert(stage.commands.end(), program.begin(), program.end());
      }
    }
  return programs;
}

Result<std::string> disassemble(const File& file, const Disasm168xOptions& options) {
  std::string text;
  for (const auto& net : file.model.net) {
    if (options.net && net->name != *options.net) continue;
    for (size_t i = 0; i < net->parameter.size(); ++i) {
      if (options.stage && i != *options.stage) continue;
      size_t number = 0;
      for (const CmdGroupT* group : groups_of(*net->parameter[i])) {
        auto program = decode(file, *group);
        if (!program.ok()) {
          Error error = program.error();
          error.set_call_if_empty(fmt::format("net {} stage {}", net->name, i));
          return error;
        }
        text += fmt::format("; net {} stage {} group {}\n", net->name, i, number++);
        for (const Instruction& instruction : *program)
          text += isa::stream_text(instruction, *chip_of(file.model)) + "\n";
      }
    }
  }
  if (text.empty())
    return Error(errors::brt_net)
        .argument("--net", options.net.value_or("any"))
        .detail("no such net or stage, or none with commands");
  return text;
}

}  // namespace tputwin::tools
