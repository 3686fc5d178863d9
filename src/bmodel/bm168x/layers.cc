// The layers of a group are stored by stream: the order in which engines execute commands may be
// another than that in which the compiler emitted them.
#include "bmodel/bm168x/layers.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tputwin::bmodel::bm168x {
namespace {

using Runs = std::vector<LayerRun>;

std::vector<std::string_view> by_number(const std::vector<std::string>& names, const Runs& runs) {
  std::vector<std::string_view> all;
  for (const LayerRun& run : runs) all.insert(all.end(), run.commands(), names[run.layer()]);
  return all;
}

void append(Runs& runs, uint32_t layer) {
  if (runs.empty() || runs.back().layer() != layer)
    runs.emplace_back(layer, 1);
  else
    runs.back() = LayerRun(layer, runs.back().commands() + 1);
}

// Returns a text as UTF-8, which files have: other bytes become U+FFFD.
std::string as_utf8(const std::string& text) {
  using nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace))
      .get<std::string>();
}

}  // namespace

CommandLayers::CommandLayers(const CmdGroupT& group) {
  if (group.layers == nullptr) return;
  const LayersT& layers = *group.layers;
  names_ = {by_number(layers.name, layers.bdc), by_number(layers.name, layers.gdma)};
}

std::string_view CommandLayers::of(const Instruction& instruction) const {
  const auto& names = names_[instruction.engine == Engine::dma];
  const size_t index = size_t{instruction.id} - 1;
  return index < names.size() ? names[index] : std::string_view();
}

std::unique_ptr<LayersT> layers_of(std::span<const Instruction> program, const LayerRuns& layers) {
  if (layers.empty()) return nullptr;
  auto field = std::make_unique<LayersT>();
  for (const std::string& name : layers.names) field->name.push_back(as_utf8(name));
  size_t at = 0;
  for (const LayerRuns::Run& run : layers.runs)
    for (uint32_t i = 0; i < run.commands && at < program.size(); ++i, ++at)
      append(program[at].engine == Engine::dma ? field->gdma : field->bdc, run.layer);
  return field;
}

bool names_layers(const NetParameterT& stage) {
  const auto named = [](const auto& groups) {
    return std::ranges::any_of(groups, [](const auto& g) { return g->layers != nullptr; });
  };
  return named(stage.cmd_group) ||
         std::ranges::any_of(stage.sub_net, [&](const auto& s) { return named(s->cmd_group); });
}

}  // namespace tputwin::bmodel::bm168x
