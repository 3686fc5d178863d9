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

// Adds a region of the BM1684: its address, and its bytes or their seed. Lane -1: all lanes.
void add_region(const Json& region, std::vector<Bytes>& all) {
  constexpr int kLanes = 64;
  const bool is_local = region.at("where") == "local";
  const int lane = is_local ? region.at("lane").get<int>() : 0;
  const auto address = region.at("address").get<uint64_t>();
  const bool seeded = region.contains("seed");
  auto add = [&](uint32_t in_lane, const std::string& suffix) {
    all.push_back({is_local, in_lane, address,
                   seeded ? seeded_bytes(region.at("seed").get<std::string>() + suffix,
                                         region.at("kind").get<std::string>(),
                                         region.at("length").get<size_t>())
                          : from_hex(region.at("hex"))});
  };
  if (lane >= 0) return add(static_cast<uint32_t>(lane), "");
  for (int i = 0; i < kLanes; ++i) add(static_cast<uint32_t>(i), fmt::format(":{}", i));
}

Case bm1684_case(const Json& json) {
  Case recorded{.name = json.at("name"), .chip = "BM1684"};
  for (const Json& command : json.at("commands"))
    recorded.commands.push_back(
        {command.at(0) == 0 ? Engine::compute : Engine::dma, from_hex(command.at(1))});
  for (const Json& region : json.at("init")) add_region(region, recorded.before);
  for (const Json& region : json.at("result")) add_region(region, recorded.after);
  recorded.global_only = recorded.name.find("-layer-") != std::string::npos;
  return recorded;
}

}  // namespace

ParsedCase parse_case(const std::string& line) {
  try {
    const Json json = Json::parse(line);
    if (json.contains("commands")) return {bm1684_case(json), ""};
    Case recorded{.name = json.at("name"), .chip = "BM1684X"};
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
