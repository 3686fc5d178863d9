// tputwin info: tensors, memory, instructions and predicted time of each variety, as text and JSON.
#include "tools/info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "insight/timing/commands.h"
#include "isa/bm1880_codec.h"
#include "machine/program_cost.h"
#include "tools/model_chip.h"

namespace tputwin::tools {
namespace {

using Json = nlohmann::ordered_json;

// Prices of one variety.
struct Prices {
  ProgramCost all;
  std::vector<OperationCost> layers;  // in the order of the model; without engines
};

std::vector<OperationCost> prices_of_layers(const bmodel::LayerRuns& layers,
                                            std::span<const Instruction> program,
                                            const Chip& chip) {
  std::vector<OperationCost> rows;
  for (const std::string& name : layers.names) rows.push_back({.name = name, .engine = {}});
  size_t at = 0;
  for (const auto& [layer, commands] : layers.runs) {
    const size_t count = std::min<size_t>(commands, program.size() - at);
    rows[layer].count += count;
    add(rows[layer].cost, program_cost(program.subspan(at, count), chip).cost);
    at += count;
  }
  return rows;
}

Result<Prices> prices_of(const bmodel::Model& model, size_t index, const Chip& chip) {
  const bmodel::Variety& variety = model.varieties[index];
  auto program = isa::decode_program(variety.cmdbuf, chip);
  if (program.ok()) {
    Prices prices{program_cost(*program, chip), prices_of_layers(variety.layers, *program, chip)};
    const insight::RunCycles run = insight::run_cycles(*program, chip);
    prices.all.elapsed_cycles = run.all + insight::launch_cycles(chip);
    prices.all.compute_cycles = run.compute;
    prices.all.dma_cycles = run.dma;
    return prices;
  }
  Error error = program.error();
  error.set_call_if_empty(fmt::format("varieties[{}].cmdbuf", index));
  return error;
}

uint64_t total_size(const std::vector<std::vector<uint8_t>>& blobs) {
  uint64_t total = 0;
  for (const auto& blob : blobs) total += blob.size();
  return total;
}

std::string tensor_line(std::string_view kind, std::string_view label, const auto& tensor) {
  return fmt::format("  {:<8}{}{} {} at {}, {} bytes, threshold {}\n", kind, label,
                     bmodel::to_string(tensor.shape), format_name(tensor.fmt), tensor.offset,
                     tensor.bytes(), tensor.threshold);
}

std::string price_table(std::string_view title, std::span<const OperationCost> rows) {
  std::string text = fmt::format("  {:<20}{:>8}{:>14}{:>14}{:>16}{:>14}\n", title, "count", "price",
                                 "conflicts", "macs", "bytes moved");
  for (const OperationCost& row : rows)
    text += fmt::format("  {:<20}{:>8}{:>14}{:>14}{:>16}{:>14}\n", row.name, row.count,
                        row.cost.cycles(), row.cost.conflict_cycles, row.cost.macs,
                        row.cost.global_bytes);
  return text;
}

std::string variety_text(const bmodel::Model& model, size_t index, const Prices& prices,
                         const Chip& chip) {
  const ProgramCost& p = prices.all;
  const bmodel::Variety& variety = model.varieties[index];
  std::string text = fmt::format("variety {}\n", index);
  for (const auto& input : variety.inputs) text += tensor_line("input", "", input);
  for (const auto& output : variety.outputs)
    text += tensor_line("output", output.name + " ", output);
  text += fmt::format("  memory  neurons {} bytes, weights {} bytes, commands {} bytes\n",
                      variety.neuron_size, model.weight_of(variety).size(), variety.cmdbuf.size());
  text += price_table("operation", p.operations);
  if (!prices.layers.empty()) text += price_table("layer", prices.layers);
  text += fmt::format(
      "  total   {} instructions, {} macs, {} bytes to and from global memory\n"
      "  predicted {} cycles = {:.3f} ms at {:.0f} MHz (compute busy {}, dma busy {})\n",
      p.instructions, p.cost.macs, p.cost.global_bytes, p.elapsed_cycles, p.milliseconds(chip),
      chip.clock_hz / 1e6, p.compute_cycles, p.dma_cycles);
  if (!p.cpu_operators.empty())
    text += fmt::format("  CPU operators (not priced): {}\n", fmt::join(p.cpu_operators, ", "));
  return text;
}

Json cost_json(const Cost& cost) {
  return {{"cycles", cost.cycles()},
          {"conflict_cycles", cost.conflict_cycles},
          {"macs", cost.macs},
          {"local_bytes", cost.local_bytes},
          {"global_bytes", cost.global_bytes}};
}

Json tensor_json(const auto& tensor) {
  return {{"shape", tensor.shape},
          {"format", format_name(tensor.fmt)},
          {"offset", tensor.offset},
          {"bytes", tensor.bytes()},
          {"threshold", tensor.threshold}};
}

Json variety_json(const bmodel::Model& model, size_t index, const Prices& prices,
                  const Chip& chip) {
  const bmodel::Variety& variety = model.varieties[index];
  const ProgramCost& p = prices.all;
  Json inputs = Json::array(), outputs = Json::array(), operations = Json::array(),
       layers = Json::array();
  for (const auto& input : variety.inputs) inputs.push_back(tensor_json(input));
  for (const auto& output : variety.outputs) {
    Json json = {{"name", output.name}};
    json.update(tensor_json(output));
    outputs.push_back(std::move(json));
  }
  for (const OperationCost& row : p.operations) {
    Json json = {{"operation", row.name},
                 {"engine", std::string(to_string(row.engine))},
                 {"count", row.count}};
    json.update(cost_json(row.cost));
    operations.push_back(std::move(json));
  }
  for (const OperationCost& row : prices.layers) {
    Json json = {{"layer", row.name}, {"count", row.count}};
    json.update(cost_json(row.cost));
    layers.push_back(std::move(json));
  }
  Json json = {{"inputs", std::move(inputs)},
               {"outputs", std::move(outputs)},
               {"neuron_bytes", variety.neuron_size},
               {"weight_bytes", model.weight_of(variety).size()},
               {"command_bytes", variety.cmdbuf.size()},
               {"instructions", p.instructions},
               {"operations", std::move(operations)},
               {"total", cost_json(p.cost)},
               {"cpu_operators", p.cpu_operators},
               {"compute_cycles", p.compute_cycles},
               {"dma_cycles", p.dma_cycles},
               {"predicted_cycles", p.elapsed_cycles},
               {"predicted_milliseconds", p.milliseconds(chip)}};
  if (!layers.empty()) json["layers"] = std::move(layers);
  return json;
}

}  // namespace

std::string format_name(uint32_t fmt) {
  static constexpr std::string_view kNames[] = {"fp32", "fp16", "int32", "int16",  "int8",
                                                "int4", "int2", "int1",  "uint16", "uint8"};
  return fmt < std::size(kNames) ? std::string(kNames[fmt]) : fmt::format("format {}", fmt);
}

Result<std::string> info_text(const bmodel::Model& model) {
  TW_ASSIGN_OR_RETURN(chip, chip_of(model));
  std::string text = fmt::format(
      "model {}\n  container {} (version {}), chip {}, {} {}, {} bytes of weights\n", model.name,
      to_string(model.container), model.version, model.chip, model.varieties.size(),
      model.varieties.size() == 1 ? "variety" : "varieties", total_size(model.weights));
  for (const bmodel::Library& library : model.libraries)
    text += fmt::format("  library {}: x86_64 {} bytes, armv8 {} bytes\n", library.name,
                        library.x86_64.size(), library.armv8.size());
  for (size_t i = 0; i < model.varieties.size(); ++i) {
    auto p = prices_of(model, i, *chip);
    if (!p.ok()) return p.error();
    text += variety_text(model, i, *p, *chip);
  }
  return text;
}

Result<std::string> info_json(const bmodel::Model& model) {
  TW_ASSIGN_OR_RETURN(chip, chip_of(model));
  Json varieties = Json::array(), libraries = Json::array();
  for (size_t i = 0; i < model.varieties.size(); ++i) {
    auto p = prices_of(model, i, *chip);
    if (!p.ok()) return p.error();
    varieties.push_back(variety_json(model, i, *p, *chip));
  }
  for (const bmodel::Library& library : model.libraries)
    libraries.push_back({{"name", library.name},
                         {"x86_64_bytes", library.x86_64.size()},
                         {"armv8_bytes", library.armv8.size()}});
  Json json = {{"name", model.name},
               {"container", std::string(to_string(model.container))},
               {"version", model.version},
               {"chip", model.chip},
               {"weight_bytes", total_size(model.weights)},
               {"libraries", std::move(libraries)},
               {"varieties", std::move(varieties)}};
  return json.dump(2) + "\n";
}

}  // namespace tputwin::tools
