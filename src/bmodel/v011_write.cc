// Writes container 0.1.1 as the vendor's tool does: keys sorted, numbers as text.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/errors/bmodel.h"
#include "bmodel/containers.h"
#include "bmodel/little_endian.h"
#include "bmodel/v011.h"

namespace tputwin::bmodel {
namespace {

using Json = nlohmann::json;
using namespace v011;

// Prints six decimals, as the vendor's tool does, and more only if six lose bits.
std::string decimal(float value) {
  std::string text = fmt::format("{:.6f}", value);
  float back = 0;
  std::from_chars(text.data(), text.data() + text.size(), back);
  return back == value ? text : fmt::format("{}", value);
}

Json shape_json(const std::vector<uint32_t>& shape) {
  Json json = Json::array();
  for (uint32_t extent : shape) json.push_back(std::to_string(extent));
  return json;
}

// Prints JSON in the layout of the vendor's tool: keys sorted, one blank after ',' and ':'.
std::string spaced(const Json& json) {
  std::string text;
  auto join = [&text](const auto& parts, char open, char close, auto&& print) {
    text += open;
    bool first = true;
    for (const auto& part : parts.items()) {
      if (!std::exchange(first, false)) text += ", ";
      text += print(part);
    }
    text += close;
  };
  if (json.is_object())
    join(json, '{', '}', [](const auto& item) {
      return fmt::format("{}: {}", Json(item.key()).dump(), spaced(item.value()));
    });
  else if (json.is_array())
    join(json, '[', ']', [](const auto& item) { return spaced(item.value()); });
  else
    text = json.dump();
  return text;
}

Error inexpressible(const std::string& field, std::string value) {
  return Error(errors::mod_inexpressible).argument(field, std::move(value));
}

Status check_expressible(const Variety& variety, const std::string& field) {
  if (variety.inputs.size() != 1)
    return inexpressible(field + ".inputs", std::to_string(variety.inputs.size()));
  const Input& input = variety.inputs[0];
  if (input.offset != 0)
    return inexpressible(field + ".inputs[0].offset", std::to_string(input.offset));
  auto check_tensor = [](const auto& tensor, const std::string& name) -> Status {
    if (tensor.shape.size() != 4) return inexpressible(name + ".shape", to_string(tensor.shape));
    if (tensor.fmt != kFormatI8) return inexpressible(name + ".fmt", std::to_string(tensor.fmt));
    return {};
  };
  TW_RETURN_IF_ERROR(check_tensor(input, field + ".inputs[0]"));
  uint64_t offset = variety.outputs.empty() ? 0 : variety.outputs[0].offset;
  for (size_t i = 0; i < variety.outputs.size(); ++i) {
    const Output& output = variety.outputs[i];
    std::string name = fmt::format("{}.outputs[{}]", field, i);
    TW_RETURN_IF_ERROR(check_tensor(output, name));
    if (output.offset != offset)
      return inexpressible(name + ".offset", std::to_string(output.offset));
    offset += output.bytes();
  }
  return {};
}

// The first weight is the file's. Every other weight is written with the varieties that use it.
Status check_expressible(const Model& model) {
  for (size_t i = 1; i < model.weights.size(); ++i)
    if (std::ranges::find(model.varieties, i, &Variety::weight_index) == model.varieties.end())
      return inexpressible(fmt::format("weights[{}]", i), "used by no variety");
  for (size_t i = 0; i < model.varieties.size(); ++i)
    TW_RETURN_IF_ERROR(check_expressible(model.varieties[i], fmt::format("varieties[{}]", i)));
  return {};
}

class Writer {
 public:
  explicit Writer(const Model& model) : model_(model), written_sections_(model.weights.size()) {}

  std::string header() {
    const Json weight = weight_json(0);
    Json varieties = Json::array(), libraries = Json::array();
    for (const Variety& variety : model_.varieties) varieties.push_back(variety_json(variety));
    for (const Library& library : model_.libraries)
      libraries.push_back({{"name", library.name},
                           {"lib_x86_64", append(library.x86_64)},
                           {"lib_armv8", append(library.armv8)}});
    const bool native = model_.container == Container::v0_1_1 && !model_.version.empty();
    Json backend = {{"target", std::to_string(model_.chip)},
                    {"node_num", std::to_string(model_.node_num)},
                    {"varieties", std::move(varieties)}};
    return spaced({{"name", model_.name},
                   {"version", native ? model_.version : std::string(to_string(Container::v0_1_1))},
                   {"weight", weight},
                   {"libraries", std::move(libraries)},
                   {"backends", Json::array({std::move(backend)})}});
  }

  // Returns the payload, which holds the header's sections.
  const std::vector<uint8_t>& payload() const { return payload_; }

 private:
  // Appends bytes to the payload. Returns their [offset, size].
  Json append(const std::vector<uint8_t>& bytes) {
    Json section = {std::to_string(payload_.size()), std::to_string(bytes.size())};
    payload_.insert(payload_.end(), bytes.begin(), bytes.end());
    return section;
  }

  // A weight of several varieties is written once.
  Json weight_json(size_t index) {
    if (index >= written_sections_.size()) return append({});
    if (written_sections_[index].is_null())
      written_sections_[index] = append(model_.weights[index]);
    return written_sections_[index];
  }

  Json variety_json(const Variety& variety) {
    Json outputs = Json::array();
    for (const Output& output : variety.outputs)
      outputs.push_back({{"name", output.name},
                         {"shape", shape_json(output.shape)},
                         {"threshold", decimal(output.threshold)}});
    Json json = {{"cmdbuf", append(variety.cmdbuf)},
                 {"neuron_size", std::to_string(variety.neuron_size)},
                 {"output_offset", std::to_string(variety.output_offset())},
                 {"output_size", std::to_string(variety.output_bytes())},
                 {"shape", shape_json(variety.inputs[0].shape)},
                 {"sub_outputs", std::move(outputs)},
                 {"threshold", decimal(variety.inputs[0].threshold)}};
    if (variety.weight_index != 0) json["weight"] = weight_json(variety.weight_index);
    return json;
  }

  const Model& model_;
  std::vector<Json> written_sections_;  // sections of weights written so far
  std::vector<uint8_t> payload_;
};

}  // namespace

Result<std::vector<uint8_t>> write_v011(const Model& model) {
  TW_RETURN_IF_ERROR(check_expressible(model));
  Writer writer(model);
  const std::string header = writer.header();
  const std::vector<uint8_t>& payload = writer.payload();
  std::vector<uint8_t> file;
  file.reserve(kLengthBytes + header.size() + kMagic.size() + kPayloadLengthBytes + payload.size());
  append_little_endian(file, static_cast<uint32_t>(header.size()));
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), kMagic.begin(), kMagic.end());
  append_little_endian(file, uint64_t{payload.size()});
  file.insert(file.end(), payload.begin(), payload.end());
  return file;
}

}  // namespace tputwin::bmodel
