// Contents of a bmodel of BM1684 or BM1684X, as text, as JSON, as commands.
#include "tools/bm168x/info168x.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/errors/bmrt.h"
#include "bmodel/bm168x/dynamic.h"
#include "bmodel/bm168x/subnets.h"
#include "isa/streams/stream.h"
#include "tools/bm168x/stage_programs.h"

namespace tputwin::tools {

using namespace bmodel::bm168x;

namespace {

using Json = nlohmann::ordered_json;

std::string tensor_line(std::string_view kind, const TensorT& tensor) {
  static constexpr std::string_view kStorage[] = {"1N", "2N", "4N"};
  return fmt::format("    {:<7} {} {}({}) at {:#x}, {} bytes, {}, scale {}, zero point {}\n", kind,
                     tensor.name, to_string(element_type(tensor)), fmt::join(shape(tensor), ","),
                     tensor.device_addr, tensor.size, kStorage[tensor.gmem_stmode], tensor.scale,
                     tensor.zero_point);
}

// Returns the operators of a CPU subnet: numbers, and the text of the simulator's own.
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

// Returns text of a file without its control characters: some compilers end a date with a line
// break.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  text.erase(std::min(text.find_last_not_of(' ') + 1, text.size()));
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

std::string price_table(std::string_view title, std::span<const OperationCost> rows) {
  std::string text = fmt::format("    {:<20}{:>8}{:>14}{:>16}{:>14}\n", title, "count", "price",
                                 "macs", "bytes moved");
  for (const OperationCost& row : rows)
    text += fmt::format("    {:<20}{:>8}{:>14}{:>16}{:>14}\n", one_line(row.name), row.count,
                        row.cost.cycles(), row.cost.macs, row.cost.global_bytes);
  return text;
}

std::string commands_text(const StagePrice& price, const Chip& chip) {
  const ProgramCost& p = price.cost;
  std::string text = price_table("operation", p.operations);
  if (!price.layers.empty()) text += price_table("layer", price.layers);
  return text + fmt::format(
                    "    total   {} commands, {} macs, {} bytes to and from global memory\n"
                    "    predicted {} cycles = {:.3f} ms at {:.0f} MHz\n",
                    p.instructions, p.cost.macs, p.cost.global_bytes, p.elapsed_cycles,
                    p.milliseconds(chip), chip.clock_hz / 1e6);
}

std::string unconfirmed_text(const isa::UnconfirmedForms& unconfirmed) {
  if (unconfirmed.empty()) return "";
  std::string text = fmt::format("    {}:\n", isa::summary(unconfirmed));
  for (const isa::UnconfirmedForm& form : unconfirmed.list())
    text += fmt::format("    {}\n", isa::text(form));
  return text;
}

std::string stage_text(const File& file, const NetT& net, size_t index) {
  const NetParameterT& stage = *net.parameter[index];
  std::string text = fmt::format("  stage {}{}\n", index, is_dynamic(stage) ? ": dynamic" : "");
  for (const auto& tensor : stage.input_tensor) text += tensor_line("input", *tensor);
  for (const auto& tensor : stage.output_tensor) text += tensor_line("output", *tensor);
  for (const auto& subnet : stage.sub_net) text += subnet_text(file, *subnet);
  text +=
      fmt::format("    memory  weights {} bytes, neurons {}, io {}, commands {}\n",
                  weight_bytes(stage), neuron_bytes(stage), stage.io_size, command_bytes(stage));
  text += fmt::format("    names   the file {} the layers of the commands\n",
                      names_layers(stage) ? "has" : "does not have");
  if (const std::string why = dynamic_reason(stage); !why.empty())
    return text + fmt::format("    not priced: dynamic; {}\n", why);
  auto price = price_of(file, net, index);
  if (price.ok())
    return text + commands_text(*price, *chip_of(file.model)) +
           unconfirmed_text(price->unconfirmed);
  return text + fmt::format("    commands not decoded: {}\n", price.error().message());
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

Json unconfirmed_json(const isa::UnconfirmedForms& unconfirmed) {
  Json list = Json::array();
  for (const isa::UnconfirmedForm& form : unconfirmed.list())
    list.push_back({{"command", form.command},
                    {"field", form.field},
                    {"value", form.value},
                    {"meaning", form.meaning},
                    {"commands", form.commands},
                    {"first", form.first}});
  return list;
}

// Returns the price of the commands of a stage, or the reason why it has none.
Json commands_json(const File& file, const NetT& net, size_t index) {
  if (const std::string why = dynamic_reason(*net.parameter[index]); !why.empty())
    return {{"not_priced", "dynamic"}, {"error", why}};
  auto price = price_of(file, net, index);
  if (!price.ok()) return {{"error", price.error().message()}};
  Json json = cost_json(price->cost, *chip_of(file.model));
  for (const OperationCost& row : price->layers)
    json["layers"].push_back({{"layer", row.name},
                              {"count", row.count},
                              {"cycles", row.cost.cycles()},
                              {"macs", row.cost.macs},
                              {"global_bytes", row.cost.global_bytes}});
  if (!price->unconfirmed.empty()) json["unconfirmed_forms"] = unconfirmed_json(price->unconfirmed);
  return json;
}

Json stage_json(const File& file, const NetT& net, size_t index) {
  const NetParameterT& stage = *net.parameter[index];
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
               {"command_bytes", command_bytes(stage)},
               {"names_layers", names_layers(stage)}};
  json["commands"] = commands_json(file, net, index);
  return json;
}

}  // namespace

std::string info_text(const File& file) {
  const ModelT& model = file.model;
  std::string text = fmt::format("model of {}, container {}, {}: {} {}, {} bytes of binaries\n",
                                 model.chip, model.version, one_line(model.time), model.net.size(),
                                 model.net.size() == 1 ? "net" : "nets", file.binary.size());
  if (model.kernel_module != nullptr)
    text += fmt::format("kernel module {}, {} bytes\n", one_line(model.kernel_module->file_name),
                        model.kernel_module->binary->size());
  for (const auto& net : model.net) {
    text += fmt::format("net {}: address mode {}\n", net->name,
                        to_string(static_cast<AddressMode>(net->addr_mode)));
    for (size_t i = 0; i < net->parameter.size(); ++i) text += stage_text(file, *net, i);
  }
  return text;
}

std::string info_json(const File& file) {
  const ModelT& model = file.model;
  Json nets = Json::array();
  for (const auto& net : model.net) {
    Json stages = Json::array();
    for (size_t i = 0; i < net->parameter.size(); ++i) stages.push_back(stage_json(file, *net, i));
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

namespace {

// Returns one line per command of the groups. Forms that no recording confirms precede them as
// comments.
std::string stage_commands(const StageGroups& decoded, const std::string& name, const Chip& chip) {
  std::string text;
  if (!decoded.unconfirmed.empty())
    text = fmt::format("; {}: {}\n", name, isa::summary(decoded.unconfirmed));
  for (const isa::UnconfirmedForm& form : decoded.unconfirmed.list())
    text += fmt::format("; {}\n", isa::text(form));
  for (size_t i = 0; i < decoded.groups.size(); ++i) {
    text += fmt::format("; {} group {}\n", name, i);
    for (const Instruction& instruction : decoded.groups[i])
      text += isa::stream_text(instruction, chip) + "\n";
  }
  return text;
}

}  // namespace

Disassembly disassemble(const File& file, const Disasm168xOptions& options) {
  StageChoice choice{.net = options.net, .stage = {}};
  if (options.stage) choice.stage = fmt::format("{}", *options.stage);
  if (Status none = check_choice(file, choice); !none.ok()) return {"", std::move(none)};
  std::string text, notes;
  Status first_dynamic, first_error;
  for (const auto& net : file.model.net) {
    for (size_t i = 0; i < net->parameter.size(); ++i) {
      if (!choice.includes(*net, i)) continue;
      Status is_static = check_static(*net->parameter[i], stage_name(*net, i));
      if (!is_static.ok()) {
        notes += fmt::format("; {}: {}\n", stage_name(*net, i), dynamic_reason(*net->parameter[i]));
        if (first_dynamic.ok()) first_dynamic = std::move(is_static);
        continue;
      }
      auto decoded = decode_stage(file, *net, i);
      Status status = !decoded.ok()    ? Status(decoded.error())
                      : options.strict ? isa::refuse(decoded->unconfirmed, stage_name(*net, i))
                                       : Status();
      if (status.ok()) {
        text += stage_commands(*decoded, stage_name(*net, i), *chip_of(file.model));
        continue;
      }
      notes += fmt::format("; {}: {}\n", stage_name(*net, i), status.message());
      if (first_error.ok()) first_error = std::move(status);
    }
  }
  if (!text.empty()) return {notes + text, std::move(first_error)};
  if (!first_error.ok()) return {"", std::move(first_error)};
  if (!first_dynamic.ok()) return {"", std::move(first_dynamic)};
  return {"", Error(errors::brt_net)
                  .argument("--net", options.net.value_or("any"))
                  .detail("it has no commands")};
}

}  // namespace tputwin::tools
