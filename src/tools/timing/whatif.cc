// Every combination of the requested numbers: a run of its own for lanes, the simulation for rates.
#include "tools/timing/whatif.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/errors/tools.h"
#include "base/file.h"
#include "insight/profile/page.h"
#include "insight/timing/command_recording.h"
#include "insight/timing/simulate.h"
#include "tools/environment.h"
#include "tools/program.h"
#include "tools/timing/timing.h"
#include "tools/timing/whatif_page.h"

namespace tputwin::tools {
namespace {

namespace fs = std::filesystem;
using insight::Timeline;
using Json = nlohmann::ordered_json;

struct Number {
  const char* name;
  std::vector<double> WhatIfOptions::*values;
  // Environment variable of numbers that need a run of their own.
  const char* variable;
  void (*apply)(Timeline& timeline, double value);
};
constexpr Number kNumbers[] = {
    {"lanes", &WhatIfOptions::lanes, "TPUTWIN_LANES", nullptr},
    {"lane-bytes", &WhatIfOptions::lane_bytes, "TPUTWIN_LANE_BYTES", nullptr},
    {"ddr", &WhatIfOptions::ddr, nullptr,
     [](Timeline& t, double value) {
       t.timing.store_bytes_per_second *= value * 1e9 / t.timing.load_bytes_per_second;
       t.timing.load_bytes_per_second = value * 1e9;
     }},
    {"clock", &WhatIfOptions::clock, nullptr,
     [](Timeline& t, double value) { t.chip.clock_hz = value * 1e6; }},
    {"issue", &WhatIfOptions::issue, nullptr,
     [](Timeline& t, double value) { t.timing.issue_seconds = value * 1e-6; }},
    {"launch", &WhatIfOptions::launch, nullptr,
     [](Timeline& t, double value) { t.timing.launch_seconds = value * 1e-6; }},
};

using Chosen = std::vector<std::pair<const Number*, double>>;

std::vector<Chosen> combinations(const WhatIfOptions& options) {
  std::vector<Chosen> all{{}};
  for (const Number& number : kNumbers) {
    const auto& values = options.*number.values;
    if (values.empty()) continue;
    std::vector<Chosen> longer;
    for (const Chosen& chosen : all)
      for (const double value : values) {
        longer.push_back(chosen);
        longer.back().emplace_back(&number, value);
      }
    all = std::move(longer);
  }
  return all;
}

Status check(const WhatIfOptions& options, const std::vector<std::string>& words) {
  for (const Number& number : kNumbers)
    for (const double value : options.*number.values)
      if (!(value > 0))
        return Error(errors::cli_whatif)
            .argument(fmt::format("--{}", number.name), fmt::format("{}", value));
  const bool has_lanes = words[0].ends_with(".bmodel") || words[0].ends_with(".tprec");
  if (has_lanes && (!options.lanes.empty() || !options.lane_bytes.empty()))
    return Error(errors::cli_whatif)
        .argument("MODEL", words[0])
        .detail("it is compiled for the lanes of its chip; give what it was compiled from");
  return {};
}

// Times the runs with other lanes, each once.
class Runs {
 public:
  Runs(const std::vector<std::string>& words, const std::string& self)
      : words_(words), self_(self) {}

  const Result<Timeline>& of(const Chosen& chosen) {
    std::string lanes, bytes;
    for (const auto& [number, value] : chosen) {
      if (number == &kNumbers[0]) lanes = fmt::format("{:.0f}", value);
      if (number == &kNumbers[1]) bytes = fmt::format("{:.0f}", value);
    }
    const auto known = runs_.find({lanes, bytes});
    if (known != runs_.end()) return known->second;
    const Variable with_lanes(kNumbers[0].variable, lanes), with_bytes(kNumbers[1].variable, bytes);
    const bool is_own = lanes.empty() && bytes.empty();
    return runs_
        .emplace(std::pair(lanes, bytes),
                 is_own || !is_model(words_) ? timeline_of_words(words_) : recompiled())
        .first->second;
  }

 private:
  // Runs a process whose chips have these lanes.
  Result<Timeline> recompiled() const {
    const std::string path =
        (fs::temp_directory_path() / fmt::format("tputwin-whatif-{}.jsonl", getpid())).string();
    std::vector<std::string> command{self_, "timing", "--recording", path, "--quiet", "--"};
    command.insert(command.end(), words_.begin(), words_.end());
    auto code = run_program(command, errors::cli_whatif);
    auto bytes = read_bytes(path);
    std::error_code ignored;
    fs::remove(path, ignored);
    if (!code.ok()) return code.error();
    if (*code != 0)
      return Error(errors::cli_whatif)
          .argument("MODEL", words_[0])
          .detail("it is not compiled for a chip with such lanes");
    if (!bytes.ok()) return bytes.error();
    const std::string text(bytes->begin(), bytes->end());
    const Chip* chip = find_chip(insight::chip_of_command_recording(text));
    if (chip == nullptr) return Error(errors::cli_whatif).argument("MODEL", words_[0]);
    return insight::read_command_recording(text, *chip);
  }

  const std::vector<std::string>& words_;
  const std::string& self_;
  std::map<std::pair<std::string, std::string>, Result<Timeline>> runs_;
};

WhatIfRow row_of(const Chosen& chosen, const Result<Timeline>& run) {
  WhatIfRow row;
  for (const auto& [number, value] : chosen) row.values.push_back(value);
  if (!run.ok()) {
    row.error = run.error().message();
    return row;
  }
  Timeline timeline = *run;
  for (const auto& [number, value] : chosen)
    if (number->apply != nullptr) number->apply(timeline, value);
  insight::simulate(timeline);
  row.microseconds = timeline.microseconds();
  return row;
}

}  // namespace

Result<WhatIf> what_if(const WhatIfOptions& options, const std::vector<std::string>& words,
                       const std::string& self) {
  TW_RETURN_IF_ERROR(check(options, words));
  Runs runs(words, self);
  const Result<Timeline>& own = runs.of({});
  if (!own.ok()) return own.error();
  WhatIf result{.chip = std::string(own->chip.name),
                .names = {},
                .microseconds = own->microseconds(),
                .rows = {}};
  for (const Number& number : kNumbers)
    if (!(options.*number.values).empty()) result.names.emplace_back(number.name);
  if (!result.names.empty())
    for (const Chosen& chosen : combinations(options))
      result.rows.push_back(row_of(chosen, runs.of(chosen)));
  return result;
}

std::string whatif_text(const WhatIf& result) {
  std::string text;
  for (const std::string& name : result.names) text += fmt::format("{:>12}", name);
  text += fmt::format("{:>14}{:>9}\n", "predicted us", "factor");
  for (size_t i = 0; i < result.names.size(); ++i)
    text += fmt::format("{:>12}", i == 0 ? result.chip : "");
  text += fmt::format("{:>14.1f}{:>9.2f}\n", result.microseconds, 1.0);
  for (const WhatIfRow& row : result.rows) {
    for (const double value : row.values) text += fmt::format("{:>12g}", value);
    text += row.error.empty() ? fmt::format("{:>14.1f}{:>9.2f}\n", row.microseconds,
                                            row.microseconds / result.microseconds)
                              : fmt::format("  {}\n", row.error);
  }
  return text;
}

namespace {

Json json_of(const WhatIf& result) {
  Json rows = Json::array();
  for (const WhatIfRow& row : result.rows) {
    Json json = Json::object();
    for (size_t i = 0; i < result.names.size(); ++i) json[result.names[i]] = row.values[i];
    if (row.error.empty())
      json["microseconds"] = row.microseconds;
    else
      json["error"] = row.error;
    rows.push_back(std::move(json));
  }
  return {{"chip", result.chip}, {"microseconds", result.microseconds}, {"rows", std::move(rows)}};
}

}  // namespace

std::string whatif_json(const WhatIf& result) { return json_of(result).dump(2) + "\n"; }

std::string whatif_page(const WhatIf& result, const std::string& title) {
  Json data = json_of(result);
  data["title"] = title;
  data["names"] = result.names;
  return insight::page_with(whatif_page_template(), "@WHATIF@", data);
}

}  // namespace tputwin::tools
