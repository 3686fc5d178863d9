// Conversion between the message of container 2.1 and Model.
#include "bmodel/message.h"

#include <algorithm>

namespace tputwin::bmodel {
namespace {

std::vector<uint8_t> to_bytes(const std::string& text) { return {text.begin(), text.end()}; }
std::string to_text(const std::vector<uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

std::vector<uint32_t> to_vector(const ::bmodel::Shape& shape) {
  return {shape.dim().begin(), shape.dim().end()};
}

::bmodel::Shape to_message(const std::vector<uint32_t>& shape) {
  ::bmodel::Shape message;
  message.mutable_dim()->Add(shape.begin(), shape.end());
  return message;
}

// Returns the offset of an input that has no offset of its own: after the previous input.
uint64_t next_offset(std::span<const Input> before) {
  if (before.empty()) return 0;
  uint64_t end;
  bool overflow = __builtin_add_overflow(before.back().offset, before.back().bytes(), &end);
  return overflow ? UINT64_MAX : end;
}

constexpr uint32_t kNoLayer = UINT32_MAX;  // validate() refuses it

Variety variety_of(const ::bmodel::Command& command) {
  Variety variety;
  for (const auto& input : command.input())
    variety.inputs.push_back(
        {.shape = to_vector(input.shape()),
         .threshold = input.threshold(),
         .fmt = input.has_fmt() ? input.fmt() : kFormatI8,
         .offset = input.has_offset() ? input.offset() : next_offset(variety.inputs)});
  variety.cmdbuf = to_bytes(command.cmdbuf());
  variety.neuron_size = command.neuron_size();
  for (const auto& output : command.output())
    variety.outputs.push_back({.name = output.name(),
                               .shape = to_vector(output.shape()),
                               .offset = output.offset(),
                               .threshold = output.threshold(),
                               .fmt = output.has_fmt() ? output.fmt() : kFormatI8});
  variety.weight_index = command.weight_index();
  const ::bmodel::Layers& layers = command.layers();
  for (int i = 0; i < std::max(layers.layer_size(), layers.command_size()); ++i)
    variety.layers.runs.push_back({i < layers.layer_size() ? layers.layer(i) : kNoLayer,
                                   i < layers.command_size() ? layers.command(i) : 0});
  if (!variety.layers.empty())  // names without runs have no meaning
    variety.layers.names.assign(layers.name().begin(), layers.name().end());
  return variety;
}

void fill(const Variety& variety, ::bmodel::Command& command) {
  std::span<const Input> inputs(variety.inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Input& input = inputs[i];
    auto& message = *command.add_input();
    *message.mutable_shape() = to_message(input.shape);
    message.set_threshold(input.threshold);
    message.set_fmt(input.fmt);
    // SDKs before 1.1.4 do not know the field, so it is written only if it is needed.
    if (input.offset != next_offset(inputs.first(i))) message.set_offset(input.offset);
  }
  command.set_cmdbuf(to_text(variety.cmdbuf));
  command.set_neuron_size(variety.neuron_size);
  for (const Output& output : variety.outputs) {
    auto& message = *command.add_output();
    message.set_name(output.name);
    *message.mutable_shape() = to_message(output.shape);
    message.set_offset(output.offset);
    message.set_threshold(output.threshold);
    message.set_fmt(output.fmt);
  }
  command.set_weight_index(variety.weight_index);
  if (variety.layers.empty()) return;
  auto& layers = *command.mutable_layers();
  for (const std::string& name : variety.layers.names) layers.add_name(name);
  for (const LayerRuns::Run& run : variety.layers.runs) {
    layers.add_layer(run.layer);
    layers.add_command(run.commands);
  }
}

}  // namespace

namespace {

// Converts everything except the weights.
Model without_weights(const ::bmodel::Model& message) {
  Model model{.name = message.net_name(),
              .version = message.version().empty() ? std::string(to_string(Container::v2_1))
                                                   : message.version(),
              .container = Container::v2_1,
              .chip = message.chip(),
              .node_num = message.node_num(),
              .fmt = message.fmt(),
              .type = message.type()};
  for (const auto& command : message.command()) model.varieties.push_back(variety_of(command));
  for (const auto& library : message.library())
    model.libraries.push_back({.name = library.name(),
                               .x86_64 = to_bytes(library.lib_x86_64()),
                               .armv8 = to_bytes(library.lib_armv8())});
  return model;
}

}  // namespace

Model from_message(const ::bmodel::Model& message) {
  Model model = without_weights(message);
  for (const auto& weight : message.weight()) model.weights.push_back(to_bytes(weight));
  return model;
}

Model from_message(::bmodel::Model&& message) {
  Model model = without_weights(message);
  for (std::string& weight : *message.mutable_weight()) {
    model.weights.push_back(to_bytes(weight));
    std::string().swap(weight);
  }
  return model;
}

::bmodel::Model to_message(const Model& model) {
  ::bmodel::Model message;
  message.set_net_name(model.name);
  message.set_chip(model.chip);
  message.set_node_num(model.node_num);
  message.set_fmt(model.fmt);
  for (const Variety& variety : model.varieties) fill(variety, *message.add_command());
  for (const auto& weight : model.weights) message.add_weight(to_text(weight));
  for (const Library& library : model.libraries) {
    auto& entry = *message.add_library();
    entry.set_name(library.name);
    entry.set_lib_x86_64(to_text(library.x86_64));
    entry.set_lib_armv8(to_text(library.armv8));
  }
  message.set_type(model.type);
  bool native = model.container == Container::v2_1 && !model.version.empty();
  message.set_version(native ? model.version : std::string(to_string(Container::v2_1)));
  return message;
}

}  // namespace tputwin::bmodel
