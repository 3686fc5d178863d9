// Reading of container 0.1.1: each field has a name in the JSON text.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/errors/bmodel.h"
#include "bmodel/containers.h"
#include "bmodel/little_endian.h"
#include "bmodel/v011.h"
#include "chip/chip.h"

namespace tputwin::bmodel {
namespace {

using Json = nlohmann::json;
using namespace v011;

// A broken rule is thrown as an Error. read_v011 catches it.

struct Frame {
  std::span<const uint8_t> json, payload;
};

// Splits the file. Every length is compared with the remaining bytes, never added to a position.
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

// A position in the JSON text, with its path for errors.
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

  std::optional<Field> find(const char* key) const {
    if (!json_->is_object()) throw wrong_type("an object");
    return json_->contains(key) ? std::optional((*this)[key]) : std::nullopt;
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

  // Returns a shape, which has four numbers in this container.
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

// A section of the payload.
struct Place {
  uint64_t offset = 0, size = 0;
  bool operator==(const Place&) const = default;
};

// The payload. All sections together may have at most its size, so that a small file cannot
// allocate much memory.
class Payload {
 public:
  explicit Payload(std::span<const uint8_t> bytes) : bytes_(bytes), left_(bytes.size()) {}

  std::vector<uint8_t> section(const Field& field) {
    const Place place = locate(field);
    if (place.size > left_)
      throw Error(errors::mod_section_overlap)
          .argument(field.path(), fmt::format("[{}, {}]", place.offset, place.size))
          .detail(fmt::format("{} of {} bytes are unclaimed", left_, bytes_.size()));
    left_ -= place.size;
    auto section = bytes_.subspan(place.offset, place.size);
    return {section.begin(), section.end()};
  }

  // Returns the position of a section, which must be inside the payload.
  Place locate(const Field& field) const {
    const auto pair = field.elements();
    auto fail = [&](std::string value) {
      return Error(errors::mod_section_range)
          .argument(field.path(), std::move(value))
          .detail(fmt::format("the payload has {} bytes", bytes_.size()));
    };
    if (pair.size() != 2) throw fail(fmt::format("{} values", pair.size()));
    const Place place{pair[0].number<uint64_t>(), pair[1].number<uint64_t>()};
    if (place.offset > bytes_.size() || place.size > bytes_.size() - place.offset)
      throw fail(fmt::format("[{}, {}]", place.offset, place.size));
    return place;
  }

 private:
  std::span<const uint8_t> bytes_;
  uint64_t left_;
};

// The weights of a file: its own, then those of varieties. Sections at one position are one weight;
// all sections without bytes are one weight, too.
class Weights {
 public:
  Weights(Payload& payload, const Field& of_file) : payload_(payload) { index_of(of_file); }

  uint32_t index_of(const Field& field) {
    Place place = payload_.locate(field);
    if (place.size == 0) place.offset = 0;
    const auto found = std::ranges::find(sections_, place);
    if (found != sections_.end()) return static_cast<uint32_t>(found - sections_.begin());
    sections_.push_back(place);
    weights_.push_back(payload_.section(field));
    return static_cast<uint32_t>(weights_.size() - 1);
  }

  // A model without weights has one section without bytes.
  std::vector<std::vector<uint8_t>> take() {
    if (weights_.size() == 1 && weights_[0].empty()) weights_.clear();
    return std::move(weights_);
  }

 private:
  Payload& payload_;
  std::vector<Place> sections_;
  std::vector<std::vector<uint8_t>> weights_;
};

// Reads outputs. They are stored one after the other from output_offset, in the order of the text.
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

// Reads a variety. If it has no weight of its own, it uses the file's.
Variety read_variety(const Field& field, Payload& payload, Weights& weights) {
  const auto own_weight = field.find("weight");
  return {.inputs = {{.shape = field["shape"].shape(),
                      .threshold = field["threshold"].number<float>()}},
          .cmdbuf = payload.section(field["cmdbuf"]),
          .neuron_size = field["neuron_size"].number<uint64_t>(),
          .outputs = read_outputs(field),
          .weight_index = own_weight ? weights.index_of(*own_weight) : 0};
}

// Returns the first backend for a chip of this build, or else the first for any chip.
Field choose_backend(const std::vector<Field>& backends) {
  if (backends.empty()) throw Error(errors::mod_no_variety).argument("backends", "none");
  auto known = [](const Field& backend) { return find_chip(backend["target"].text()) != nullptr; };
  auto found = std::ranges::find_if(backends, known);
  return found == backends.end() ? backends.front() : *found;
}

Model read_header(const Json& json, Payload& payload) {
  Field header(json, "");
  Field backend = choose_backend(header["backends"].elements());
  // If the version is empty, the container's version is used.
  const std::string version = header["version"].text();
  Model model{.name = header["name"].text(),
              .version = version.empty() ? std::string(to_string(Container::v0_1_1)) : version,
              .container = Container::v0_1_1,
              .chip = backend["target"].number<uint32_t>(),
              .node_num = backend["node_num"].number<uint32_t>()};
  Weights weights(payload, header["weight"]);
  for (const Field& variety : backend["varieties"].elements())
    model.varieties.push_back(read_variety(variety, payload, weights));
  model.weights = weights.take();
  for (const Field& library : header["libraries"].elements())
    model.libraries.push_back({.name = library["name"].text(),
                               .x86_64 = payload.section(library["lib_x86_64"]),
                               .armv8 = payload.section(library["lib_armv8"])});
  return model;
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

}  // namespace tputwin::bmodel
