// Formats instructions as lines of text, or as JSON objects.
#include "isa/text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "isa/sync.h"

namespace tputwin::isa {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kEngineNames[] = {"BD", "CPU", "GDMA"};  // by Engine
constexpr std::string_view kFlagNames[] = {"none", "neuron", "weight"};

std::string_view engine_name(Engine engine) { return kEngineNames[static_cast<size_t>(engine)]; }

class JsonMembers final : public AttributeSink {
 public:
  explicit JsonMembers(Json& json) : json_(json) {}

 private:
  void take(std::string_view name, const AttributeValue& value) override {
    std::visit([&](const auto& v) { json_[std::string(name)] = v; }, value);
  }
  Json& json_;
};

std::string_view access_name(Access access) {
  constexpr std::string_view names[] = {"read", "write", "read_write"};
  return names[static_cast<size_t>(access)];
}

Json to_json(const Operand& operand) {
  const TensorView& v = *operand.view;
  Json json{{"name", operand.name},
            {"access", access_name(operand.access)},
            {"space", to_string(v.space)},
            {"type", to_string(v.dtype)},
            {"address", v.address},
            {"shape", {v.shape.n, v.shape.c, v.shape.h, v.shape.w}},
            {"stride", {v.stride.n, v.stride.c, v.stride.h, v.stride.w}}};
  if (v.pack > 1) json["pack"] = v.pack;
  if (is_16bit(v.dtype) || v.plane_stride) json["plane_stride"] = v.plane_stride;
  return json;
}

Json to_json(const Command& command) {
  const Instruction& in = command.instruction;
  Json json{{"offset", command.offset}, {"engine", engine_name(in.engine)}};
  if (in.engine != Engine::cpu) {
    json["id"] = in.id;
    json["wait"] = in.wait;
  }
  if (command.flags != kFlagNone) json["flag"] = kFlagNames[command.flags];
  json["op"] = name(in.op);
  json["operands"] = Json::array();
  for (const Operand& operand : operands(in.op)) json["operands"].push_back(to_json(operand));
  JsonMembers members(json);
  attributes(in.op, members);
  if (!command.residue.empty()) json["residue"] = Json::object();
  for (const auto& r : command.residue)
    json["residue"][std::string(residue_name(in.engine, r))] = r.value;
  return json;
}

}  // namespace

std::string to_text(const Instruction& in) {
  std::string text = fmt::format("{:4}", engine_name(in.engine));
  if (in.engine != Engine::cpu) text += fmt::format(" {:5}", in.id);
  if (in.wait) text += fmt::format(" <- {} {}", engine_name(other(in.engine)), in.wait);
  return text + fmt::format("  {}", describe(in.op));
}

std::string to_text(const Command& command) {
  std::string text = fmt::format("{:#08x}  {}", command.offset, to_text(command.instruction));
  if (command.flags != kFlagNone) text += fmt::format("  [{}]", kFlagNames[command.flags]);
  return text;
}

// Text inside CPU records need not be UTF-8. Invalid bytes are replaced.
std::string to_json(std::span<const Command> commands) {
  Json json = Json::array();
  for (const Command& command : commands) json.push_back(to_json(command));
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tputwin::isa
