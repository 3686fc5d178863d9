// tputwin timing --board: reads timings of a board and prints them with the predicted times.
#include "tools/timing/board.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/checked_json.h"
#include "base/errors/tools.h"
#include "base/file.h"
#include "insight/timing/command_recording.h"
#include "insight/timing/simulate.h"

namespace tputwin::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
constexpr double kNear = 0.15;
// Limit of a recording; those of boards have some MiB.
constexpr size_t kMostText = size_t{1} << 30;

// Reads a gzip file, or one that is not compressed.
Result<std::string> read_text(const fs::path& path) {
  const auto failed = [&] {
    return Error(errors::cli_timing).argument("FILE", path.string()).detail("it cannot be read");
  };
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return failed();
  std::string text, part(1 << 20, '\0');
  int bytes = 0;
  while (text.size() <= kMostText &&
         (bytes = gzread(file, part.data(), static_cast<unsigned>(part.size()))) > 0)
    text.append(part, 0, static_cast<size_t>(bytes));
  const bool whole = gzclose(file) == Z_OK && bytes == 0;
  if (text.size() > kMostText) return failed().detail("it unpacks to more than 1 GiB");
  if (!whole) return failed();
  return text;
}

// Parses "f32(2,64,1,32)@L+0x400 stride(...)": returns its number of elements, and its address.
std::pair<uint64_t, std::string> result_of(const std::string& view) {
  unsigned n = 0, c = 0, h = 0, w = 0;
  const size_t at = view.find('@'), shape = view.find('(');
  if (at == view.npos || shape == view.npos ||
      std::sscanf(view.c_str() + shape, "(%u,%u,%u,%u)", &n, &c, &h, &w) != 4)
    return {};
  return {uint64_t{n} * c * h * w, view.substr(at, view.find(' ') - at)};
}

// Returns the most products of one result that are added by commands of more than two products.
// Such a command adds them in the engine's order instead of one after the other.
uint64_t products_in_blocks(std::string_view text) {
  std::map<std::string, uint64_t> sums;
  uint64_t most = 0;
  for (size_t end = 0; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
    end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.find("bdc_conv2d") == line.npos && line.find("bdc_matmul") == line.npos) continue;
    const CheckedJson command = CheckedJson::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!command.is_object() || !command.contains("operands") || !command["operands"].is_array() ||
        command["operands"].empty())
      continue;
    const CheckedJson& result = command["operands"][0];  // name, access, view
    if (!result.is_array() || result.size() < 3 || !result[2].is_string()) continue;
    const auto [elements, place] = result_of(result[2].get<std::string>());
    if (elements == 0) continue;
    if (!command.contains("macs") || !command["macs"].is_number_unsigned()) continue;
    const uint64_t products = command["macs"].get<uint64_t>() / elements;
    uint64_t& sum = sums[place];
    if (result[1] == "w") sum = 0;
    if (products > 2) sum += products;
    most = std::max(most, sum);
  }
  return most;
}

Result<double> predict(const std::string& text, const fs::path& path, const Chip& chip) {
  auto timeline = insight::read_command_recording(text, chip);
  if (!timeline.ok()) {
    Error error = timeline.error();
    error.set_call_if_empty(path.filename().string());
    return error;
  }
  insight::simulate(*timeline);
  return timeline->microseconds();
}

std::map<std::string, fs::path> recordings_of(const fs::path& folder, const std::string& name) {
  std::map<std::string, fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with(name + "-")) continue;
    const size_t begin = name.size() + 1, end = file.find(".jsonl");
    if (end != file.npos) found[file.substr(begin, end - begin)] = entry.path();
  }
  return found;
}

std::set<std::string> program_names(const std::vector<BoardCase>& cases) {
  std::set<std::string> programs;
  for (const BoardCase& one : cases)
    for (const auto& [program, time] : one.predicted) programs.insert(program);
  return programs;
}

std::string summary(const BoardErrors& errors) {
  return fmt::format(
      "{} cases, median error {:.1f} %, {} within 15 %, farthest {} with ratio {:.2f}",
      errors.cases, errors.median * 100, errors.within, errors.worst_case, errors.worst_ratio);
}

Json errors_json(const BoardErrors& errors) {
  return {{"cases", errors.cases},
          {"median_error", errors.median},
          {"within_15_percent", errors.within},
          {"farthest_factor", errors.worst},
          {"farthest_ratio", errors.worst_ratio},
          {"farthest_case", errors.worst_case}};
}

}  // namespace

std::string BoardCase::best(uint64_t most_in_blocks) const {
  const auto key = [&](const auto& p) {
    const auto blocks = in_blocks.find(p.first);
    return std::pair(blocks != in_blocks.end() && blocks->second > most_in_blocks, p.second);
  };
  return std::ranges::min_element(predicted, {}, key)->first;
}

Result<std::vector<BoardCase>> read_board(const std::string& folder, const std::string& name) {
  const Chip* chip = find_chip(name);
  if (chip == nullptr) return Error(errors::cli_timing).argument("--chip", name);
  const std::string path = (fs::path(folder) / "board.json").string();
  TW_ASSIGN_OR_RETURN(bytes, read_bytes(path));
  const Json board = Json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  const auto malformed = [&] { return Error(errors::cli_timing).argument("FILE", path); };
  if (!board.is_object() || !board.contains("times")) return malformed();
  std::vector<BoardCase> cases;
  for (const auto& [workload, times] : board["times"].items())
    for (const auto& [number, time] : times.items()) {
      if (!time.is_number()) return malformed();
      BoardCase one{
          .name = workload + "-" + number, .board = time, .predicted = {}, .in_blocks = {}};
      for (const auto& [program, file] : recordings_of(folder, one.name)) {
        TW_ASSIGN_OR_RETURN(text, read_text(file));
        TW_ASSIGN_OR_RETURN(predicted, predict(text, file, *chip));
        one.predicted[program] = predicted;
        one.in_blocks[program] = products_in_blocks(text);
      }
      if (!one.predicted.empty()) cases.push_back(std::move(one));
    }
  if (cases.empty()) return malformed().detail("it has no case with a recording");
  return cases;
}

BoardErrors errors_of(const std::vector<BoardCase>& cases, const std::string& program,
                      uint64_t most_in_blocks) {
  BoardErrors result;
  std::vector<double> errors;
  for (const BoardCase& one : cases) {
    const std::string of = program.empty() ? one.best(most_in_blocks) : program;
    if (!one.predicted.contains(of)) continue;
    const double ratio = one.ratio(of), factor = std::max(ratio, 1 / ratio);
    errors.push_back(std::abs(ratio - 1));
    result.within += errors.back() <= kNear;
    if (factor <= result.worst) continue;
    result.worst = factor;
    result.worst_ratio = ratio;
    result.worst_case = one.name;
  }
  result.cases = errors.size();
  std::ranges::sort(errors);
  if (!errors.empty())
    result.median = (errors[errors.size() / 2] + errors[(errors.size() - 1) / 2]) / 2;
  return result;
}

std::string board_text(const std::vector<BoardCase>& cases) {
  const auto programs = program_names(cases);
  std::string text = fmt::format("{:<14}{:>12}{:>12}{:>8}{:>9}", "case", "board us", "predicted",
                                 "ratio", "program");
  for (const std::string& program : programs) text += fmt::format("{:>8}", program);
  text += "\n";
  for (const BoardCase& one : cases) {
    const std::string best = one.best();
    text += fmt::format("{:<14}{:>12.0f}{:>12.0f}{:>8.2f}{:>9}", one.name, one.board,
                        one.predicted.at(best), one.ratio(best), best);
    for (const std::string& program : programs)
      text += one.predicted.contains(program) ? fmt::format("{:>8.2f}", one.ratio(program))
                                              : fmt::format("{:>8}", "");
    text += "\n";
  }
  text += fmt::format("the smallest prediction of each case: {}\n", summary(errors_of(cases)));
  text += fmt::format("the smallest that adds at most {} products of a sum out of order: {}\n",
                      kMostInBlocks, summary(errors_of(cases, {}, kMostInBlocks)));
  for (const std::string& program : programs)
    text += fmt::format("program {} alone: {}\n", program, summary(errors_of(cases, program)));
  return text;
}

std::string board_json(const std::vector<BoardCase>& cases) {
  Json list = Json::array(), alone = Json::object();
  for (const BoardCase& one : cases) {
    const std::string best = one.best();
    list.push_back({{"case", one.name},
                    {"board_us", one.board},
                    {"predicted_us", one.predicted.at(best)},
                    {"ratio", one.ratio(best)},
                    {"program", best},
                    {"programs_us", one.predicted},
                    {"products_in_blocks", one.in_blocks}});
  }
  for (const std::string& program : program_names(cases))
    alone[program] = errors_json(errors_of(cases, program));
  return Json{{"cases", std::move(list)},
              {"smallest", errors_json(errors_of(cases))},
              {"smallest_in_order", errors_json(errors_of(cases, {}, kMostInBlocks))},
              {"alone", std::move(alone)}}
             .dump(2) +
         "\n";
}

}  // namespace tputwin::tools
