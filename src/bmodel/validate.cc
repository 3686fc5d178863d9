// Rules that a model of any container must meet before use.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/errors/bmodel.h"
#include "bmodel/bmodel.h"
#include "chip/chip.h"

namespace tputwin::bmodel {
namespace {

Status check_name(const std::string& name, const std::string& field) {
  try {
    (void)nlohmann::json(name).dump();  // throws on text that is not UTF-8
    return {};
  } catch (const nlohmann::json::type_error& error) {
    return Error(errors::mod_name)
        .argument(field, fmt::format("{} bytes", name.size()))
        .detail(error.what());
  }
}

Status check_threshold(float threshold, const std::string& field) {
  if (std::isfinite(threshold)) return {};
  return Error(errors::mod_threshold).argument(field + ".threshold", fmt::format("{}", threshold));
}

// Checks of inputs and outputs: a shape of a known format inside the neuron memory.
template <class Tensor>
Status check_tensor(const Tensor& tensor, uint64_t neuron_size, const std::string& field) {
  if (tensor.shape.empty() || tensor.shape.size() > 4 || element_count(tensor.shape) == 0)
    return Error(errors::mod_shape).argument(field + ".shape", to_string(tensor.shape));
  if (element_bytes(tensor.fmt) == 0)
    return Error(errors::mod_format).argument(field + ".fmt", std::to_string(tensor.fmt));
  TW_RETURN_IF_ERROR(check_threshold(tensor.threshold, field));
  uint64_t bytes = tensor.bytes();
  if (tensor.offset <= neuron_size && bytes <= neuron_size - tensor.offset) return {};
  return Error(errors::mod_neuron_range)
      .argument(field, fmt::format("{} bytes at {}", bytes, tensor.offset))
      .detail(fmt::format("neuron_size is {}", neuron_size));
}

// Checks that runs name existing layers, and have no more commands than the buffer has bytes.
Status check_layers(const Variety& variety, const std::string& field) {
  for (size_t i = 0; i < variety.layers.names.size(); ++i)
    TW_RETURN_IF_ERROR(
        check_name(variety.layers.names[i], fmt::format("{}.layers.names[{}]", field, i)));
  uint64_t commands = 0;
  for (const LayerRuns::Run& run : variety.layers.runs) {
    commands += run.commands;
    if (run.layer >= variety.layers.names.size() || run.commands == 0 ||
        commands > variety.cmdbuf.size())
      return Error(errors::mod_layers)
          .argument(field + ".layers",
                    fmt::format("{} commands of layer {}", run.commands, run.layer))
          .detail(fmt::format("there are {} layers", variety.layers.names.size()));
  }
  return {};
}

Status check_variety(const Variety& variety, const Model& model, const std::string& field) {
  // For a chip that this build does not know, the size of global memory is unknown.
  const Chip* chip = find_chip(std::to_string(model.chip));
  if (chip != nullptr && variety.neuron_size > chip->global_bytes)
    return Error(errors::mod_neuron_size)
        .argument(field + ".neuron_size", std::to_string(variety.neuron_size))
        .detail(fmt::format("global memory has {} bytes", chip->global_bytes));
  for (size_t i = 0; i < variety.inputs.size(); ++i)
    TW_RETURN_IF_ERROR(check_tensor(variety.inputs[i], variety.neuron_size,
                                    fmt::format("{}.inputs[{}]", field, i)));
  for (size_t i = 0; i < variety.outputs.size(); ++i) {
    std::string output = fmt::format("{}.outputs[{}]", field, i);
    TW_RETURN_IF_ERROR(check_name(variety.outputs[i].name, output + ".name"));
    TW_RETURN_IF_ERROR(check_tensor(variety.outputs[i], variety.neuron_size, output));
  }
  if (variety.weight_index != 0 && variety.weight_index >= model.weights.size())
    return Error(errors::mod_weight_index)
        .argument(field + ".weight_index", std::to_string(variety.weight_index))
        .detail(fmt::format("the model has {}", model.weights.size()));
  return check_layers(variety, field);
}

}  // namespace

Status validate(const Model& model) {
  TW_RETURN_IF_ERROR(check_name(model.name, "name"));
  TW_RETURN_IF_ERROR(check_name(model.version, "version"));
  TW_RETURN_IF_ERROR(check_name(model.type, "type"));
  if (model.varieties.empty()) return Error(errors::mod_no_variety).argument("varieties", "none");
  for (size_t i = 0; i < model.varieties.size(); ++i)
    TW_RETURN_IF_ERROR(check_variety(model.varieties[i], model, fmt::format("varieties[{}]", i)));
  for (size_t i = 0; i < model.libraries.size(); ++i)
    TW_RETURN_IF_ERROR(check_name(model.libraries[i].name, fmt::format("libraries[{}].name", i)));
  return {};
}

}  // namespace tputwin::bmodel
