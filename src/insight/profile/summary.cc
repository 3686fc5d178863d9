// Tables of a run for the terminal.
#include "insight/profile/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tputwin::insight {
namespace {

constexpr size_t kMostRows = 12, kMostName = 36;

struct Row {
  std::string_view name;
  uint64_t commands = 0, cycles = 0, bytes = 0, macs = 0;
};

template <class NameOf>
std::vector<Row> rows_by(const Timeline& timeline, NameOf name_of) {
  std::map<std::string_view, Row> rows;
  for (const TimelineCommand& command : timeline.commands) {
    Row& row = rows[name_of(command)];
    ++row.commands;
    row.cycles += command.end - command.start;
    row.bytes += command.bytes_moved();
    row.macs += command.macs();
  }
  std::vector<Row> sorted;
  for (auto& [name, row] : rows) {
    row.name = name;
    sorted.push_back(row);
  }
  std::ranges::stable_sort(sorted, std::greater(), &Row::cycles);
  return sorted;
}

std::string shortened(std::string_view name) {
  if (name.empty()) return "(none)";
  if (name.size() <= kMostName) return std::string(name);
  return "..." + std::string(name.substr(name.size() - (kMostName - 3)));
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
    add_table("layer", [](const TimelineCommand& c) { return std::string_view(c.layer); });
    add_table("operation", [](const TimelineCommand& c) { return c.operation; });
    add_table("kernel", [&](const TimelineCommand& c) { return run_.kernel(c); });
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
  static std::string_view waits_for(Delay delay) {
    static constexpr std::string_view kTexts[] = {
        "before it",  "for the launch",       "for issue",
        "for itself", "for the other engine", "for all before"};
    return kTexts[static_cast<size_t>(delay)];
  }
  // None where nothing has such a name.
  template <class NameOf>
  void add_table(std::string_view title, NameOf name_of) {
    const std::vector<Row> rows = rows_by(timeline_, name_of);
    if (std::ranges::all_of(rows, [](const Row& row) { return row.name.empty(); })) return;
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

}  // namespace tputwin::insight
