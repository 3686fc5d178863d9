// Container 0.1.1: u32 length | JSON | 55 aa aa 55 | u64 length | payload.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/errors/bmodel.h"
#include "bmodel/containers.h"
#include "chip/chip.h"

namespace tputwin::bmodel {
namespace {

using Json = nlohmann::json;

constexpr std::array<uint8_t, 4> kMagic{0x55, 0xaa, 0xaa, 0x55};
constexpr size_t kLengthBytes = 4, kPayloadLengthBytes = 8;

// ---- Reading. A broken rule is thrown as an Error and caught in read_v011.

template <class T>
T little_endian(std::span<const uint8_t> bytes) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= T{bytes[i]} << (8 * i);
  return value;
}

struct Frame {
  std::span<const uint8_t> json, payload;
};

// Splits the file; every length is compared with what is left, never added to a position.
Frame split_frame(std::span<const uint8_t> file) {
  auto take = [&file](uint64_t size, const char* field) {
    if (size > file.size())
      throw Error(errors::mod_truncated)
          .argument(field, fmt::format("{} bytes", size))
          .detail(fmt::format("{} bytes are left", file.size()));
    auto part = file.first(size);
    file = file.subspan(size);
    return part;
  };
  Frame frame;
  uint32_t json_size = little_endian<uint32_t>(take(kLengthBytes, "json_size"));
  frame.json = take(json_size, "json");
  auto magic = take(kMagic.size(), "magic");
  if (!std::ranges::equal(magic, kMagic))
    throw Error(errors::mod_magic)
        .argument("magic", fmt::format("{:02x} {:02x} {:02x} {:02x}", magic[0], magic[1], magic[2],
                                       magic[3]))
        .detail(fmt::format("at offset {}", kLengthBytes + json_size));
  auto payload_size = little_endian<uint64_t>(take(kPayloadLengthBytes, "payload_size"));
  frame.payload = take(payload_size, "payload");
  if (!file.empty())
    throw Error(errors::mod_trailing)
        .argument("payload_size", std::to_string(payload_size))
        .detail(fmt::format("{} bytes follow", file.size()));
  return frame;
}

// A place in the JSON text that knows its own name, for errors.
class Field {
 public:
  Field(const Json& json, std::string path) : json_(&json), path_(std::move(path)) {}

  const std::string& path() const { return path_; }

  Field operator[](const char* key) const {
    if (!json_->is_object()) throw wrong_type("an object");
    auto found = json_->find(key);
    std::string path = path_.empty() ? key : path_ + "." + key;
    if (found == json_->end()) throw Error(errors::mod_field_missing).argument(path, "absent");
    return {*found, path};
  }

  std::vector<Field> elements() const {
    if (!json_->is_array()) throw wrong_type("an array");
    std::vector<Field> fields;
    for (const Json& element : *json_)
      fields.emplace_back(element, fmt::format("{}[{}]", path_, fields.size()));
    return fields;
  }

  std::string text() const {
    if (!json_->is_string()) throw wrong_type("a string");
    return json_->get<std::string>();
  }

  template <class Number>
  Number number() const {
    std::string digits = text();
    Number value{};
    auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code != std::errc() || end != digits.data() + digits.size())
      throw Error(errors::mod_number).argument(path_, fmt::format("\"{}\"", digits));
    return value;
  }

  // Four numbers in this container.
  std::vector<uint32_t> shape() const {
    std::vector<uint32_t> extents;
    for (const Field& extent : elements()) extents.push_back(extent.number<uint32_t>());
    if (extents.size() != 4)
      throw Error(errors::mod_shape)
          .argument(path_, to_string(extents))
          .detail("container 0.1.1 writes all four");
    return extents;
  }

 private:
  Error wrong_type(const char* expected) const {
    return Error(errors::mod_field_type)
        .argument(path_.empty() ? "header" : path_, json_->type_name())
        .detail(fmt::format("expected {}", expected));
  }

  const Json* json_;
  std::string path_;
};

// The payload, handed out in sections that together are no larger than it, so that a small file
// cannot ask for much memory.
class Payload {
 public:
  explicit Payload(std::span<const uint8_t> bytes) : bytes_(bytes), left_(bytes.size()) {}

  std::vector<uint8_t> section(const Field& field) {
    auto pair = field.elements();
    uint64_t offset = 0, size = 0;
    if (pair.size() == 2) {
      offset = pair[0].number<uint64_t>();
      size = pair[1].number<uint64_t>();
    }
    std::string value = fmt::format("[{}, {}]", offset, size);
    if (pair.size() != 2 || offset > bytes_.size() || size > bytes_.size() - offset)
      throw Error(errors::mod_section_range)
          .argument(field.path(), pair.size() == 2 ? value : fmt::format("{} values", pair.size()))
          .detail(fmt::format("the payload has {} bytes", bytes_.size()));
    if (size > left_)
      throw Error(errors::mod_section_overlap)
          .argument(field.path(), value)
          .detail(fmt::format("{} of {} bytes are unclaimed", left_, bytes_.size()));
    left_ -= size;
    auto section = bytes_.subspan(offset, size);
    return {section.begin(), section.end()};
  }

 private:
  std::span<const uint8_t> bytes_;
  uint64_t left_;
};

// Outputs lie one after the other from output_offset, in the order of the text.
std::vector<Output> read_outputs(const Field& variety) {
  std::vector<Output> outputs;
  uint64_t start = variety["output_offset"].number<uint64_t>(), offset = start;
  for (const Field& field : variety["sub_outputs"].elements()) {
    Output output{.name = field["name"].text(),
                  .shape = field["shape"].shape(),
                  .offset = offset,
                  .threshold = field["threshold"].number<float>()};
    if (__builtin_add_overflow(offset, output.bytes(), &offset))
      throw Error(errors::mod_shape).argument(field.path() + ".shape", to_string(output.shape));
    outputs.push_back(std::move(output));
  }
  Field size = variety["output_size"];
  if (size.number<uint64_t>() != offset - start)
    throw Error(errors::mod_output_size)
        .argument(size.path(), size.text())
        .detail(fmt::format("the outputs have {} bytes", offset - start));
  return outputs;
}

Variety read_variety(const Field& field, Payload& payload) {
  return {.inputs = {{.shape = field["shape"].shape(),
                      .threshold = field["threshold"].number<float>()}},
          .cmdbuf = payload.section(field["cmdbuf"]),
          .neuron_size = field["neuron_size"].number<uint64_t>(),
          .outputs = read_outputs(field)};
}

// The first backend for a chip of this build; else the first, whatever it is for.
Field choose_backend(const std::vector<Field>& backends) {
  if (backends.empty()) throw Error(errors::mod_no_variety).argument("backends", "none");
  auto known = [](const Field& backend) { return find_chip(backend["target"].text()) != nullptr; };
  auto found = std::ranges::find_if(backends, known);
  return found == backends.end() ? backends.front() : *found;
}

Model read_header(const Json& json, Payload& payload) {
  Field header(json, "");
  Field backend = choose_backend(header["backends"].elements());
  Model model{.name = header["name"].text(),
              .version = header["version"].text(),
              .container = Container::v0_1_1,
              .chip = backend["target"].number<uint32_t>(),
              .node_num = backend["node_num"].number<uint32_t>()};
  // A model without weights has an empty section.
  if (auto weight = payload.section(header["weight"]); !weight.empty())
    model.weights.push_back(std::move(weight));
  for (const Field& variety : backend["varieties"].elements())
    model.varieties.push_back(read_variety(variety, payload));
  for (const Field& library : header["libraries"].elements())
    model.libraries.push_back({.name = library["name"].text(),
                               .x86_64 = payload.section(library["lib_x86_64"]),
                               .armv8 = payload.section(library["lib_armv8"])});
  return model;
}

// ---- Writing.

// The vendor's tool prints six decimals; more only where they would lose bits.
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

// Appends to the payload; returns the [offset, size] of what was added.
Json append(std::vector<uint8_t>& payload, const std::vector<uint8_t>& bytes) {
  Json section = {std::to_string(payload.size()), std::to_string(bytes.size())};
  payload.insert(payload.end(), bytes.begin(), bytes.end());
  return section;
}

// Text in the layout of the vendor's tool: keys sorted, one blank after ',' and ':'.
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

Status check_expressible(const Model& model) {
  if (model.weights.size() > 1)
    return inexpressible("weights", std::to_string(model.weights.size()));
  for (size_t i = 0; i < model.varieties.size(); ++i)
    TW_RETURN_IF_ERROR(check_expressible(model.varieties[i], fmt::format("varieties[{}]", i)));
  return {};
}

Json variety_json(const Variety& variety, std::vector<uint8_t>& payload) {
  Json outputs = Json::array();
  for (const Output& output : variety.outputs)
    outputs.push_back({{"name", output.name},
                       {"shape", shape_json(output.shape)},
                       {"threshold", decimal(output.threshold)}});
  return {{"cmdbuf", append(payload, variety.cmdbuf)},
          {"neuron_size", std::to_string(variety.neuron_size)},
          {"output_offset", std::to_string(variety.output_offset())},
          {"output_size", std::to_string(variety.output_bytes())},
          {"shape", shape_json(variety.inputs[0].shape)},
          {"sub_outputs", std::move(outputs)},
          {"threshold", decimal(variety.inputs[0].threshold)}};
}

Json header_json(const Model& model, std::vector<uint8_t>& payload) {
  Json weight = append(payload, model.weights.empty() ? std::vector<uint8_t>() : model.weights[0]);
  Json varieties = Json::array(), libraries = Json::array();
  for (const Variety& variety : model.varieties)
    varieties.push_back(variety_json(variety, payload));
  for (const Library& library : model.libraries)
    libraries.push_back({{"name", library.name},
                         {"lib_x86_64", append(payload, library.x86_64)},
                         {"lib_armv8", append(payload, library.armv8)}});
  bool native = model.container == Container::v0_1_1 && !model.version.empty();
  Json backend = {{"target", std::to_string(model.chip)},
                  {"node_num", std::to_string(model.node_num)},
                  {"varieties", std::move(varieties)}};
  return {{"name", model.name},
          {"version", native ? model.version : std::string(to_string(Container::v0_1_1))},
          {"weight", std::move(weight)},
          {"libraries", std::move(libraries)},
          {"backends", Json::array({std::move(backend)})}};
}

template <class T>
void append_little_endian(std::vector<uint8_t>& bytes, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

}  // namespace

bool has_v011_frame(std::span<const uint8_t> file) {
  if (file.size() < kLengthBytes + 1 || file[kLengthBytes] != '{') return false;
  uint64_t magic = kLengthBytes + uint64_t{little_endian<uint32_t>(file)};
  return magic + kMagic.size() <= file.size() &&
         std::ranges::equal(file.subspan(magic, kMagic.size()), kMagic);
}

Result<Model> read_v011(std::span<const uint8_t> file) {
  try {
    Frame frame = split_frame(file);
    Json json = Json::parse(frame.json.begin(), frame.json.end(), nullptr, false);
    if (json.is_discarded() || !json.is_object())
      return Error(errors::mod_json).argument("json", fmt::format("{} bytes", frame.json.size()));
    Payload payload(frame.payload);
    return read_header(json, payload);
  } catch (const Error& error) {
    return error;
  }
}

Result<std::vector<uint8_t>> write_v011(const Model& model) {
  TW_RETURN_IF_ERROR(check_expressible(model));
  std::vector<uint8_t> payload;
  std::string header = spaced(header_json(model, payload));
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
