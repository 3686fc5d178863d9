#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "isa/golden.h"

namespace tputwin::isa {
namespace {

const std::filesystem::path kDirectory = TPUTWIN_SOURCE_DIR "/tests/conformance/bmk1880/golden";

std::vector<uint8_t> bytes_of(const std::string& hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

}  // namespace

std::vector<std::string> golden_functions() {
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(kDirectory, missing))
    names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

std::vector<GoldenCase> golden_cases(const std::string& function) {
  std::ifstream file(kDirectory / (function + ".json"));
  auto document = nlohmann::json::parse(file);
  std::vector<GoldenCase> cases;
  for (const auto& entry : document["cases"])
    cases.push_back({entry.value("args", ""), entry.value("text", ""),
                     bytes_of(entry.value("cmdbuf", "")), bytes_of(entry.value("blob", ""))});
  return cases;
}

}  // namespace tputwin::isa
