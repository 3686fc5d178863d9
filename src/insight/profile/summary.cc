// Tables of a run for the terminal, and as JSON.
#include "insight/profile/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace tputwin::insight {
namespace {

constexpr size_t kMostRows = 12, kMostName = 36;

struct Row {
  std::string_view name;
  // Cycles in which at least one of its commands runs; of a kernel those of its launches.
  uint64_t cycles = 0;
  uint64_t commands = 0, bytes = 0, macs = 0;
  std::vector<std::pair<uint64_t, uint64_t>> busy = {};  // from, to
};

// Returns the cycles that at least one interval has.
uint64_t covered(std::vector<std::pair<uint64_t, uint64_t>> intervals) {
  std::ranges::sort(intervals);
  uint64_t cycles = 0, end = 0;
  for (const auto& [from, to] : intervals) {
    if (to <= end) continue;
    cycles += to - std::max(from, end);
    end = to;
  }
  return cycles;
}

template <class NameOf>
std::map<std::string_view, Row> rows_by_name(const Timeline& timeline, NameOf name_of) {
  std::map<std::string_view, Row> rows;
  for (const TimelineCommand& command : timeline.commands) {
    Row& row = rows[name_of(command)];
    ++row.commands;
    row.bytes += command.bytes_moved();
    row.macs += command.macs();
    row.busy.emplace_back(command.start, command.end);
  }
  for (auto& [name, row] : rows) {
    row.name = name;
    row.cycles = covered(std::move(row.busy));
  }
  return rows;
}

std::vector<Row> sorted(std::map<std::string_view, Row> rows) {
  std::vector<Row> all;
  for (auto& [name, row] : rows) all.push_back(std::move(row));
  std::ranges::stable_sort(all, std::greater(), &Row::cycles);
  return all;
}

template <class NameOf>
std::vector<Row> rows_by(const Timeline& timeline, NameOf name_of) {
  return sorted(rows_by_name(timeline, name_of));
}

// Returns the kernels with the time of their launches, as `tputwin timing` has it.
std::vector<Row> rows_of_kernels(const ProfiledRun& run) {
  auto rows = rows_by_name(run.timeline, [&](const auto& command) { return run.kernel(command); });
  for (auto& [name, row] : rows) row.cycles = 0;
  for (const TimelineLaunch& launch : run.timeline.launches)
    if (const auto row = rows.find(launch.name); row != rows.end())
      row->second.cycles += launch.end - launch.begin;
  return sorted(std::move(rows));
}

std::string shortened(std::string_view name) {
  if (name.empty()) return "(none)";
  if (name.size() <= kMostName) return std::string(name);
  return "..." + std::string(name.substr(name.size() - (kMostName - 3)));
}

std::string_view waits_for(Delay delay) {
  static constexpr std::string_view kTexts[] = {
      "before it",  "for the launch",       "for issue",
      "for itself", "for the other engine", "for all before"};
  return kTexts[static_cast<size_t>(delay)];
}

// Calls `table` for each kind of name that commands of the run have.
template <class Table>
void for_each_table(const ProfiledRun& run, Table table) {
  const auto put = [&](std::string_view title, const std::vector<Row>& rows) {
    if (!std::ranges::all_of(rows, [](const Row& row) { return row.name.empty(); }))
      table(title, rows);
  };
  const Timeline& timeline = run.timeline;
  put("layer", rows_by(timeline, [](const auto& c) { return std::string_view(c.layer); }));
  put("operation", rows_by(timeline, [](const auto& c) { return c.operation; }));
  put("kernel", rows_of_kernels(run));
}

class Text {
 public:
  explicit Text(const ProfiledRun& run) : run_(run), timeline_(run.timeline) {}

  std::string write() {
    const size_t launches = timeline_.launches.size();
    put("tputwin profile: {} on {}, predicted {:.3f} ms, {} command{} in {} launch{}\n", run_.title,
        timeline_.chip.name, timeline_.microseconds() / 1e3, timeline_.commands.size(),
        timeline_.commands.size() == 1 ? "" : "s", launches, launches == 1 ? "" : "es");
    add_engines();
    for_each_table(run_, [&](std::string_view title, const std::vector<Row>& rows) {
      add_table(title, rows);
    });
    return std::move(text_);
  }

 private:
  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }
  double share(uint64_t cycles) const {
    return 100 * static_cast<double>(cycles) /
           static_cast<double>(std::max<uint64_t>(1, timeline_.cycles()));
  }
  void add_engines() {
    for (const EngineUse& use : engine_use(timeline_)) {
      put("  {:<8}{:5.1f} % busy", to_string(use.engine), share(use.busy));
      for (const auto& [delay, cycles] : use.idle)
        put(", {:.1f} % {}", share(cycles), waits_for(delay));
      put("\n");
    }
  }
  void add_table(std::string_view title, const std::vector<Row>& rows) {
    put("  {:<{}}{:>10}{:>8}{:>10}{:>10}{:>12}\n", title, kMostName, "us", "%", "commands", "MB",
        "Mproducts");
    for (const Row& row : std::span(rows).first(std::min(rows.size(), kMostRows)))
      put("  {:<{}}{:>10.1f}{:>8.1f}{:>10}{:>10.3f}{:>12.1f}\n", shortened(row.name), kMostName,
          timeline_.seconds(row.cycles) * 1e6, share(row.cycles), row.commands,
          static_cast<double>(row.bytes) / 1e6, static_cast<double>(row.macs) / 1e6);
    if (rows.size() > kMostRows) put("  and {} more\n", rows.size() - kMostRows);
  }

  const ProfiledRun& run_;
  const Timeline& timeline_;
  std::string text_;
};

}  // namespace

std::string to_summary(const ProfiledRun& run) { return Text(run).write(); }

std::string to_summary_json(const ProfiledRun& run) {
  using Json = nlohmann::ordered_json;
  Json json{{"title", run.title},
            {"chip", run.timeline.chip.name},
            {"predicted_cycles", run.timeline.cycles()},
            {"predicted_ms", run.timeline.microseconds() / 1e3},
            {"commands", run.timeline.commands.size()},
            {"launches", run.timeline.launches.size()}};
  for (const EngineUse& use : engine_use(run.timeline)) {
    Json& engine = json["engines"][std::string(to_string(use.engine))];
    engine = {
        {"commands", use.commands}, {"busy_cycles", use.busy}, {"idle_cycles", Json::object()}};
    for (const auto& [delay, cycles] : use.idle)
      engine["idle_cycles"][std::string(waits_for(delay))] = cycles;
  }
  for_each_table(run, [&](std::string_view title, const std::vector<Row>& rows) {
    Json& table = json[std::string(title) + "s"] = Json::array();
    for (const Row& row : rows)
      table.push_back({{"name", row.name},
                       {"commands", row.commands},
                       {"cycles", row.cycles},
                       {"bytes_moved", row.bytes},
                       {"products", row.macs}});
  });
  return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace tputwin::insight
