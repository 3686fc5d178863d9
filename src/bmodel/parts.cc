// Models as JSON and separate files, and models of one net merged into one.
#include "bmodel/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/errors/bmodel.h"
#include "base/file.h"

namespace tputwin::bmodel {
namespace {

using Json = nlohmann::ordered_json;

Json input_json(const Input& input) {
  return {{"shape", input.shape},
          {"threshold", input.threshold},
          {"fmt", input.fmt},
          {"offset", input.offset}};
}

Json output_json(const Output& output) {
  return {{"name", output.name},
          {"shape", output.shape},
          {"offset", output.offset},
          {"threshold", output.threshold},
          {"fmt", output.fmt}};
}

template <class T>
Json array_of(const std::vector<T>& values, Json (*json_of)(const T&)) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(json_of(value));
  return array;
}

Json run_json(const LayerRuns::Run& run) { return {run.layer, run.commands}; }

Json variety_json(const Variety& variety) {
  Json json = {{"input", array_of(variety.inputs, input_json)},
               {"cmdbuf", variety.cmdbuf.size()},
               {"neuron_size", variety.neuron_size},
               {"output", array_of(variety.outputs, output_json)},
               {"weight_index", variety.weight_index}};
  if (!variety.layers.empty())
    json["layers"] = {{"name", variety.layers.names},
                      {"runs", array_of(variety.layers.runs, run_json)}};
  return json;
}

Json library_json(const Library& library) {
  return {{"name", library.name},
          {"lib_x86_64", library.x86_64.size()},
          {"lib_armv8", library.armv8.size()}};
}

Json size_json(const std::vector<uint8_t>& blob) { return blob.size(); }

std::string file_name(const std::string& wanted) {
  std::string name = wanted;
  auto allowed = [](unsigned char c) {
    return std::isalnum(c) || c == '-' || c == '_' || c == '.';
  };
  std::ranges::replace_if(
      name, [&](char c) { return !allowed(c); }, '_');
  if (!name.empty() && name[0] == '.') name[0] = '_';
  return name;
}

std::vector<std::vector<uint32_t>> input_shapes(const Variety& variety) {
  std::vector<std::vector<uint32_t>> shapes;
  for (const Input& input : variety.inputs) shapes.push_back(input.shape);
  return shapes;
}

Status check_same_net(const Model& first, const Model& other, size_t index) {
  auto differs = [index](const char* what, std::string value) {
    return Error(errors::mod_combine)
        .argument(fmt::format("models[{}].{}", index, what), std::move(value));
  };
  if (other.name != first.name) return differs("name", other.name);
  if (other.chip != first.chip) return differs("chip", std::to_string(other.chip));
  if (other.fmt != first.fmt) return differs("fmt", std::to_string(other.fmt));
  if (other.node_num != first.node_num) return differs("node_num", std::to_string(other.node_num));
  if (other.libraries != first.libraries) return differs("libraries", "different bytes");
  return {};
}

// Adds the weights that the model does not have yet. Returns the index of each weight. A weight
// without bytes means that there is none.
std::vector<uint32_t> merge_weights(Model& model, std::vector<std::vector<uint8_t>> weights) {
  if (weights.empty() && !model.weights.empty()) weights.emplace_back();
  if (model.weights.empty() && !weights.empty()) model.weights.emplace_back();
  std::vector<uint32_t> indices;
  for (auto& weight : weights) {
    const auto found = std::ranges::find(model.weights, weight);
    indices.push_back(static_cast<uint32_t>(found - model.weights.begin()));
    if (found == model.weights.end()) model.weights.push_back(std::move(weight));
  }
  return indices;
}

}  // namespace

std::string to_json(const Model& model) {
  Json json = {{"net_name", model.name},
               {"chip", model.chip},
               {"node_num", model.node_num},
               {"fmt", model.fmt},
               {"type", model.type},
               {"version", model.version},
               {"command", array_of(model.varieties, variety_json)},
               {"weight", array_of(model.weights, size_json)},
               {"library", array_of(model.libraries, library_json)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::vector<Part> split(const Model& model) {
  std::vector<Part> parts;
  auto add = [&](const std::string& suffix, std::vector<uint8_t> bytes) {
    parts.push_back({file_name(model.name + suffix), std::move(bytes)});
  };
  std::string description = to_json(model) + "\n";
  add(".json", {description.begin(), description.end()});
  for (size_t i = 0; i < model.weights.size(); ++i)
    add(fmt::format("_weight_{}.bin", i), model.weights[i]);
  for (size_t i = 0; i < model.varieties.size(); ++i)
    add(fmt::format("_cmdbuf_{}.bin", i), model.varieties[i].cmdbuf);
  for (const Library& library : model.libraries) {
    add("_" + library.name + "_x86_64.so", library.x86_64);
    add("_" + library.name + "_armv8.so", library.armv8);
  }
  return parts;
}

Status write_parts(const Model& model, const std::string& directory) {
  for (const Part& part : split(model))
    TW_RETURN_IF_ERROR(write_bytes(directory + "/" + part.filename, part.bytes));
  return {};
}

Result<Model> combine(std::span<const Model> models) {
  if (models.empty()) return Error(errors::mod_combine).argument("models", "none");
  Model combined = models[0];
  for (size_t i = 1; i < models.size(); ++i) {
    TW_RETURN_IF_ERROR(check_same_net(models[0], models[i], i));
    const auto indices = merge_weights(combined, models[i].weights);
    for (Variety variety : models[i].varieties) {
      if (!indices.empty()) variety.weight_index = indices[variety.weight_index];
      auto shapes = input_shapes(variety);
      if (std::ranges::find(combined.varieties, shapes, input_shapes) != combined.varieties.end())
        return Error(errors::mod_combine)
            .argument(fmt::format("models[{}].inputs", i),
                      shapes.empty() ? "()" : to_string(shapes[0]));
      combined.varieties.push_back(std::move(variety));
    }
  }
  return combined;
}

}  // namespace tputwin::bmodel
