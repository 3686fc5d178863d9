// Reads a line of a file of recorded commands.
#include "case.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tputwin::conformance {
namespace {

using Json = nlohmann::json;

uint8_t digit(char c) {
  const std::string_view digits = "0123456789abcdef";
  const size_t value = digits.find(c);
  if (value == std::string_view::npos) throw std::runtime_error(fmt::format("'{}' in hex", c));
  return static_cast<uint8_t>(value);
}

std::vector<uint8_t> from_hex(const std::string& hex) {
  std::vector<uint8_t> bytes(hex.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
  return bytes;
}

std::vector<Bytes> regions(const Json& list) {
  std::vector<Bytes> all;
  for (const Json& region : list) {
    const bool is_local = region.at("where") == "L";
    all.push_back({is_local, is_local ? region.at("lane").get<uint32_t>() : 0,
                   region.at("address").get<uint64_t>(), from_hex(region.at("hex"))});
  }
  return all;
}

}  // namespace

ParsedCase parse_case(const std::string& line) {
  try {
    const Json json = Json::parse(line);
    Case recorded{.name = json.at("name")};
    if (json.contains("commands"))
      return {recorded, "commands of the BM1684, which this program does not read yet"};
    recorded.chip = "BM1684X";
    const Engine engine = json.at("engine") == "tiu" ? Engine::compute : Engine::dma;
    recorded.commands.push_back({engine, from_hex(json.at("command"))});
    recorded.before = regions(json.at("init"));
    recorded.after = regions(json.at("result"));
    return {recorded, ""};
  } catch (const std::exception& e) {
    return {{}, fmt::format("not a recorded case: {}", e.what())};
  }
}

}  // namespace tputwin::conformance
