// Builds the data of the page as columns, and inserts them into the page.
#include "insight/profile/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "insight/profile/page_template.h"
#include "insight/timing/time_breakdown.h"

namespace tputwin::insight {
namespace {

using nlohmann::json;

constexpr size_t kMostItems = 10;  // in the list of suggested changes

class Names {
 public:
  Names() { (*this)(""); }
  size_t operator()(std::string_view name) {
    const auto [entry, is_new] = numbers_.try_emplace(std::string(name), list_.size());
    if (is_new) list_.push_back(name);
    return entry->second;
  }
  json list() && { return std::move(list_); }

 private:
  std::unordered_map<std::string, size_t> numbers_;
  json list_ = json::array();
};

int64_t distance(uint64_t value, uint64_t& before) {
  return static_cast<int64_t>(value) - static_cast<int64_t>(std::exchange(before, value));
}

json chip_data(const Chip& chip) {
  json roofs = json::array();
  for (const Peak& peak : peaks(chip))
    roofs.push_back({{"type", peak.type}, {"macs", peak.macs_per_second}});
  return {{"name", chip.name},
          {"clock", chip.clock_hz},
          {"lanes", chip.lanes},
          {"laneBytes", chip.lane_bytes},
          {"banks", chip.banks},
          {"bankBytes", chip.bank_bytes()},
          {"peakBytes", peak_bytes_per_second(chip)},
          {"peakMacs", roofs[0]["macs"]},
          {"peakType", roofs[0]["type"]},
          {"roofs", roofs}};
}

// Returns an item with the first command of the group and the text that the page searches for.
json why_item(const CommandGroup& group, std::string text) {
  return {{"title", group.where()},
          {"text", std::move(text)},
          {"command", group.commands.front()},
          {"search", group.layer.empty() ? group.call : group.layer}};
}

std::string bound_text(const CommandGroup& group, const TimeBreakdown& why, const Chip& chip) {
  std::string text(to_string(group.bound));
  if (group.bound == Spent::waiting && !group.waits_for.empty()) text += " for " + group.waits_for;
  text = fmt::format("{:.0f} % of the critical path, bound by {}",
                     100 * static_cast<double>(group.critical_cycles()) /
                         static_cast<double>(std::max<uint64_t>(1, why.cycles)),
                     text);
  if (group.engine == Engine::compute)
    text += fmt::format("; {:.0f} of {} lanes, {:.0f} % of their units",
                        group.lanes_filled * chip.lanes, chip.lanes, group.units_filled * 100);
  return text;
}

// Returns the changes with the largest gain, then the largest parts of the critical path.
json why_data(const Timeline& timeline, const TimeBreakdown& why) {
  const auto share = [&](uint64_t cycles) {
    return static_cast<double>(cycles) / static_cast<double>(std::max<uint64_t>(1, why.cycles));
  };
  std::string text = "the critical path:";
  for (size_t i = 0; i < kSpent; ++i)
    if (why.critical[i] != 0)
      text += fmt::format("{} {:.0f} % {}", text.back() == ':' ? "" : ",",
                          100 * share(why.critical[i]), to_string(static_cast<Spent>(i)));
  json items = json::array();
  for (const Advice& advice : why.advice) {
    items.push_back(why_item(why.groups[advice.group], std::string(to_string(advice.remedy))));
    items.back()["gain"] = 1 - share(advice.cycles);
  }
  for (const CommandGroup& group : why.groups) {
    if (items.size() == kMostItems || group.critical_cycles() == 0) break;
    items.push_back(why_item(group, bound_text(group, why, timeline.chip)));
  }
  return {{"text", text}, {"items", std::move(items)}};
}

json command_data(const ProfiledRun& run, const std::map<Engine, size_t>& engines, Names& names,
                  const std::vector<uint32_t>& critical_path) {
  static constexpr const char* kColumns[] = {"engine", "begin",  "time",   "op",   "call",
                                             "layer",  "launch", "number", "macs", "bytes",
                                             "reason", "line",   "path"};
  json data;
  for (const char* column : kColumns) data[column] = json::array();
  const std::vector<std::string_view> why = reasons(run.timeline);
  uint64_t before = 0;
  for (size_t i = 0; i < run.timeline.commands.size(); ++i) {
    const TimelineCommand& command = run.timeline.commands[i];
    const bool is_critical = std::ranges::binary_search(critical_path, static_cast<uint32_t>(i));
    const std::initializer_list<json> values{engines.at(command.engine),
                                             distance(command.start, before),
                                             command.end - command.start,
                                             names(command.operation),
                                             names(command.call),
                                             names(command.layer),
                                             command.launch,
                                             command.number,
                                             command.macs(),
                                             command.bytes_moved(),
                                             names(why[i]),
                                             names(run.line(command)),
                                             names(is_critical ? "on it" : "")};
    std::ranges::for_each(kColumns, [&, value = values.begin()](const char* column) mutable {
      data[column].push_back(*value++);
    });
  }
  return data;
}

json launch_data(const Timeline& timeline, Names& names) {
  json name = json::array(), begin = json::array(), end = json::array();
  for (const TimelineLaunch& launch : timeline.launches) {
    name.push_back(names(launch.name));
    begin.push_back(launch.begin);
    end.push_back(launch.end);
  }
  return {{"name", name}, {"begin", begin}, {"end", end}};
}

json hold_data(const Timeline& timeline) {
  json command = json::array(), from = json::array(), bytes = json::array(), begin = json::array(),
       time = json::array();
  uint64_t before = 0;
  for (const Hold& hold : holds(timeline)) {
    command.push_back(hold.command);
    from.push_back(hold.address);
    bytes.push_back(hold.bytes);
    begin.push_back(distance(hold.begin, before));
    time.push_back(hold.end - hold.begin);
  }
  return {{"command", command}, {"from", from}, {"bytes", bytes}, {"begin", begin}, {"time", time}};
}

}  // namespace

json page_data(const ProfiledRun& run) {
  Names names;
  std::map<Engine, size_t> engines;
  json engine_names = json::array();
  for (const EngineUse& use : engine_use(run.timeline)) {
    engines[use.engine] = engine_names.size();
    engine_names.push_back(to_string(use.engine));
  }
  const TimeBreakdown why = break_down(run.timeline);
  json data{{"title", run.title},
            {"tick", 1 / run.timeline.chip.clock_hz},
            {"chip", chip_data(run.timeline.chip)},
            {"engines", std::move(engine_names)},
            {"launches", launch_data(run.timeline, names)},
            {"commands", command_data(run, engines, names, why.critical_path)},
            {"holds", hold_data(run.timeline)},
            {"why", why_data(run.timeline, why)}};
  data["names"] = std::move(names).list();
  return data;
}

std::string page_with(std::string page, std::string_view place, const json& data) {
  std::string text = data.dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
  // A "</" in a name would end the script that contains the data.
  for (size_t at = text.find("</"); at != std::string::npos; at = text.find("</", at))
    text.replace(at, 2, "<\\/");
  return page.replace(page.find(place), place.size(), text);
}

std::string to_page(const ProfiledRun& run) {
  return page_with(page_template(), "@PROFILE@", page_data(run));
}

}  // namespace tputwin::insight
