// Chips and errors of this build as text and JSON.
#include "tools/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <variant>
#include <vector>

#include "base/errors/tools.h"
#include "chip/chip.h"

namespace tputwin::tools {
namespace {

using Value = std::variant<std::string_view, uint64_t, double>;
struct Number {
  std::string_view name;
  Value value;
  std::string_view meaning;
};

std::vector<Number> numbers(const Chip& chip) {
  auto whole = [](uint64_t value) { return Value(value); };
  return {
      {"name", chip.name, ""},
      {"version", whole(chip.version), "number programs pass to the API"},
      {"lanes", whole(chip.lanes), "lanes of local memory, each with its execution units"},
      {"lane_bytes", whole(chip.lane_bytes), "local memory of one lane"},
      {"banks", whole(chip.banks), "banks of one lane"},
      {"bank_bytes", whole(chip.bank_bytes()), "bytes of one bank"},
      {"eu_bytes", whole(chip.eu_bytes), "bytes an execution unit row handles per cycle"},
      {"local_bytes", whole(chip.local_bytes()), "local memory of all lanes"},
      {"local_base", whole(chip.local_base), "engine address of local memory"},
      {"global_bytes", whole(chip.global_bytes), "simulated global memory"},
      {"global_base", whole(chip.global_base), "engine address of global memory"},
      {"clock_hz", chip.clock_hz, "clock of predicted times"},
      {"macs_per_lane_cycle", whole(chip.macs_per_lane_cycle), "8-bit multiply-accumulates"},
      {"dma_bytes_per_cycle", chip.dma_bytes_per_cycle, "global memory bandwidth"},
      {"dma_setup_cycles", whole(chip.dma_setup_cycles), "fixed price of a DMA command"},
      {"compute_setup_cycles", whole(chip.compute_setup_cycles),
       "fixed price of a compute command"},
  };
}

std::string to_text(const Value& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

bool is_named(const ErrorInfo& row, const std::string& id) {
  return row.code == upper(id) || row.symbol == id;
}

}  // namespace

std::string chips_text() {
  std::string text;
  for (const Chip* chip : chips()) {
    if (!text.empty()) text += "\n";
    for (const Number& number : numbers(*chip)) {
      std::string line =
          fmt::format("{:<22}{:<14}{}", number.name, to_text(number.value), number.meaning);
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  }
  return text;
}

std::string chips_json() {
  auto array = nlohmann::ordered_json::array();
  for (const Chip* chip : chips()) {
    nlohmann::ordered_json json;
    for (const Number& number : numbers(*chip))
      std::visit([&](const auto& value) { json[std::string(number.name)] = value; }, number.value);
    array.push_back(std::move(json));
  }
  return array.dump(2) + "\n";
}

std::string errors_text() {
  std::string text;
  for (const ErrorInfo& row : error_catalogue())
    text += fmt::format("{:<14}{:<9}{}\n", row.code, row.level == Level::warning ? "warning" : "",
                        row.rule);
  return text;
}

Result<std::string> errors_json(const std::string& id) {
  auto list = nlohmann::ordered_json::array();
  for (const ErrorInfo& row : error_catalogue())
    if (id.empty() || is_named(row, id))
      list.push_back({{"id", row.code},
                      {"symbol", row.symbol},
                      {"kind", to_string(row.kind)},
                      {"level", row.level == Level::warning ? "warning" : "error"},
                      {"rule", row.rule},
                      {"source", row.reference}});
  if (list.empty()) return Error(errors::cli_unknown_error).argument("ID", id);
  return list.dump(2) + "\n";
}

Result<std::string> explain_error(const std::string& id) {
  auto matches = [&](const ErrorInfo& row) { return is_named(row, id); };
  auto found = std::ranges::find_if(error_catalogue(), matches);
  if (found == error_catalogue().end()) return Error(errors::cli_unknown_error).argument("ID", id);
  return fmt::format("{} ({})\n  rule   {}\n  kind   {}\n  level  {}\n  source {}\n", found->code,
                     found->symbol, found->rule, to_string(found->kind),
                     found->level == Level::warning
                         ? "warning: counted, and an error when TPUTWIN_STRICT=1"
                         : "error",
                     found->reference);
}

}  // namespace tputwin::tools
