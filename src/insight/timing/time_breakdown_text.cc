// Formats an explanation as text and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "insight/timing/time_breakdown.h"

namespace tputwin::insight {
namespace {

using Json = nlohmann::ordered_json;
constexpr size_t kShownGroups = 12;

double share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

double microseconds(const Timeline& timeline, uint64_t cycles) {
  return timeline.seconds(cycles) * 1e6;
}

std::string filling_text(const CommandGroup& group, const Chip& chip) {
  const std::string lanes =
      fmt::format(", {:.0f} of {} lanes", group.lanes_filled * chip.lanes, chip.lanes);
  if (group.units == 0)
    return lanes + fmt::format(", {:.0f} % of the units", group.units_filled * 100);
  return lanes + fmt::format(", {:.0f} of {} units", group.units_filled * group.units, group.units);
}

std::string bound_text(const CommandGroup& group, const Chip& chip) {
  std::string text(to_string(group.bound));
  if (group.bound == Spent::waiting && !group.waits_for.empty()) text += " for " + group.waits_for;
  if (group.engine == Engine::compute) text += filling_text(group, chip);
  return text;
}

std::string critical_text(const TimeBreakdown& e) {
  std::string text = "critical path:";
  for (size_t i = 0; i < kSpent; ++i)
    if (e.critical[i] != 0)
      text += fmt::format(" {} {:.0f} %", to_string(static_cast<Spent>(i)),
                          share(e.critical[i], e.cycles));
  return text + "\n";
}

std::string launches_text(const Timeline& timeline) {
  std::string text;
  for (const TimelineLaunch& launch : timeline.launches)
    text +=
        fmt::format("{}: {} commands, {:.1f} us\n", launch.name.empty() ? "commands" : launch.name,
                    launch.count, microseconds(timeline, launch.end - launch.begin));
  return text;
}

// Returns for example "-13 % of plus_one_serial, -2 % of all (3931.0 us): ...".
std::string advice_text(const Timeline& timeline, const TimeBreakdown& e, const Advice& advice) {
  const CommandGroup& group = e.groups[advice.group];
  const double all = 100 - share(advice.cycles, e.cycles);
  std::string text = fmt::format("  -{:.0f} %", all);
  if (timeline.launches.size() > 1 && !group.launch.empty())
    text = fmt::format("  -{:.0f} % of {}, -{:.1f} % of all",
                       100 - share(advice.kernel_after, advice.kernel_before), group.launch, all);
  return text + fmt::format(" ({:.1f} us): {}: {}\n", microseconds(timeline, advice.cycles),
                            group.where(), to_string(advice.remedy));
}

Json command_json(const TimelineCommand& command, Spent bound) {
  Json json = {{"call", std::string(command.call.empty() ? command.operation : command.call)},
               {"engine", std::string(to_string(command.engine))},
               {"launch", command.launch},
               {"number", command.number},
               {"issue", command.issue},
               {"start", command.start},
               {"end", command.end},
               {"bound", std::string(to_string(bound))},
               {"delay", std::string(to_string(command.delay))}};
  if (command.blocker != kNoCommand) json["blocker"] = command.blocker;
  return json;
}

Json spent_json(const SpentCycles& spent) {
  Json json = Json::object();
  for (size_t i = 0; i < kSpent; ++i)
    if (spent[i] != 0) json[std::string(to_string(static_cast<Spent>(i)))] = spent[i];
  return json;
}

Json group_json(const CommandGroup& group, const Chip& chip) {
  return {{"launch", group.launch},
          {"layer", group.layer},
          {"call", group.call},
          {"source", group.source},
          {"engine", std::string(to_string(group.engine))},
          {"commands", group.commands.size()},
          {"busy_cycles", group.busy},
          {"global_bytes", group.bytes},
          {"bound", std::string(to_string(group.bound))},
          {"waits_for", group.waits_for},
          {"lanes_filled", group.lanes_filled * chip.lanes},
          {"units", group.units},
          {"units_filled", group.units_filled * (group.units == 0 ? 1 : group.units)},
          {"spent", spent_json(group.spent)},
          {"critical", spent_json(group.critical)}};
}

}  // namespace

std::string breakdown_text(const Timeline& timeline, const TimeBreakdown& e) {
  std::string text = launches_text(timeline);
  text += fmt::format("{}: {:.1f} us predicted, {} commands\n", timeline.chip.name,
                      timeline.microseconds(), timeline.commands.size());
  text += critical_text(e);
  text += fmt::format("{:>9}{:>10}{:>10}  {}\n", "critical", "busy us", "commands",
                      "what, and what bounds it");
  for (size_t i = 0; i < std::min(kShownGroups, e.groups.size()); ++i) {
    const CommandGroup& group = e.groups[i];
    text +=
        fmt::format("{:>7.1f} %{:>10.1f}{:>10}  {}: {}\n", share(group.critical_cycles(), e.cycles),
                    microseconds(timeline, group.busy), group.commands.size(), group.where(),
                    bound_text(group, timeline.chip));
  }
  if (!e.advice.empty()) text += "what would gain most:\n";
  for (const Advice& advice : e.advice) text += advice_text(timeline, e, advice);
  return text;
}

std::string breakdown_json(const Timeline& timeline, const TimeBreakdown& e) {
  Json launches = Json::array(), groups = Json::array(), advice = Json::array(),
       commands = Json::array();
  for (size_t i = 0; i < timeline.commands.size(); ++i)
    commands.push_back(command_json(timeline.commands[i], e.bounds[i]));
  for (const TimelineLaunch& launch : timeline.launches)
    launches.push_back({{"name", launch.name},
                        {"number", launch.number},
                        {"commands", launch.count},
                        {"begin_cycle", launch.begin},
                        {"end_cycle", launch.end}});
  for (const CommandGroup& group : e.groups) groups.push_back(group_json(group, timeline.chip));
  for (const Advice& one : e.advice)
    advice.push_back({{"remedy", std::string(to_string(one.remedy))},
                      {"where", e.groups[one.group].where()},
                      {"cycles", one.cycles},
                      {"kernel_cycles", one.kernel_after},
                      {"gain", 1 - double(one.cycles) / double(e.cycles)},
                      {"kernel_gain", 1 - double(one.kernel_after) / double(one.kernel_before)}});
  return Json{{"chip", std::string(timeline.chip.name)},
              {"cycles", e.cycles},
              {"microseconds", timeline.microseconds()},
              {"launches", std::move(launches)},
              {"critical", spent_json(e.critical)},
              {"critical_path", e.critical_path},
              {"groups", std::move(groups)},
              {"advice", std::move(advice)},
              {"commands", std::move(commands)}}
             .dump(2) +
         "\n";
}

}  // namespace tputwin::insight
