// Walks back from the end of each launch along the reasons that delayed commands.
#include "insight/timing/time_breakdown.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace tputwin::insight {
namespace {

constexpr size_t kGroupsWithAdvice = 10, kAdvice = 3;
constexpr double kWorthIt = 0.005;  // fraction of the whole time

uint64_t& at(SpentCycles& spent, Spent what) { return spent[static_cast<size_t>(what)]; }

void add_work(SpentCycles& spent, const TimelineCommand& command) {
  const bool is_transfer = command.work.is_transfer();
  at(spent, is_transfer ? Spent::dma : Spent::compute) += command.price.units;
  at(spent, is_transfer ? Spent::runs : Spent::latency) += command.price.latency;
  at(spent, Spent::conflicts) += command.price.conflicts;
  at(spent, Spent::setup) += command.price.setup;
}

Spent most_of(const SpentCycles& spent) {
  return static_cast<Spent>(std::ranges::max_element(spent) - spent.begin());
}

// Returns the cycles of all launches of a kernel.
uint64_t cycles_of(const Timeline& timeline, const std::string& kernel) {
  uint64_t cycles = 0;
  for (const TimelineLaunch& launch : timeline.launches)
    if (launch.name == kernel) cycles += launch.end - launch.begin;
  return cycles;
}

Spent spent_before(Delay delay) {
  switch (delay) {
    case Delay::launch:
    case Delay::none:
      return Spent::launch;
    case Delay::issue:
      return Spent::issue;
    case Delay::engine:
    case Delay::command:
    case Delay::host:
      break;
  }
  return Spent::waiting;
}

class Explainer {
 public:
  explicit Explainer(const Timeline& timeline)
      : timeline_(timeline), group_of_(timeline.commands.size(), 0) {}

  TimeBreakdown run() {
    make_groups();
    add_spent();
    for (const TimelineLaunch& launch : timeline_.launches) walk(launch);
    std::ranges::sort(result_.critical_path);
    result_.cycles = timeline_.cycles();
    std::ranges::stable_sort(result_.groups, std::greater{}, &CommandGroup::critical_cycles);
    advise();
    return std::move(result_);
  }

 private:
  const TimelineCommand& command(uint32_t i) const { return timeline_.commands[i]; }
  CommandGroup& group(uint32_t i) { return result_.groups[group_of_[i]]; }

  void make_groups() {
    using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view,
                           StackId, Engine>;
    std::map<Key, size_t> known;
    for (uint32_t i = 0; i < timeline_.commands.size(); ++i) {
      const TimelineCommand& c = command(i);
      const std::string_view call = c.call.empty() ? c.operation : c.call;
      const std::string& launch = timeline_.launches[c.launch].name;
      const auto [found, is_new] = known.try_emplace(
          Key{launch, c.layer, call, c.source, c.stack, c.engine}, result_.groups.size());
      group_of_[i] = found->second;
      if (is_new) {
        std::string source(c.source);
        if (c.stack != 0)
          if (const UserCode code = Stacks::of_process().user_code(c.stack, c.call);
              !code.lines.empty())
            source = describe(code.lines.front());
        result_.groups.push_back({.launch = launch,
                                  .layer = c.layer,
                                  .call = std::string(call),
                                  .source = std::move(source),
                                  .engine = c.engine});
      }
      result_.groups[found->second].commands.push_back(i);
    }
  }

  // Adds the work of commands, and the idle time of their engine before them.
  void add_spent() {
    uint64_t free_at[3] = {};
    std::vector<std::map<std::string_view, uint64_t>> waits(result_.groups.size());
    for (uint32_t i = 0; i < timeline_.commands.size(); ++i) {
      const TimelineCommand& c = command(i);
      CommandGroup& own = group(i);
      uint64_t& free = free_at[static_cast<size_t>(c.engine)];
      free = std::max(free, timeline_.launches[c.launch].begin);
      const uint64_t idle = c.start - std::min(c.start, free);
      SpentCycles spent{};
      at(spent, spent_before(c.delay)) = idle;
      if (c.delay == Delay::command || c.delay == Delay::host)
        if (c.blocker != kNoCommand) waits[group_of_[i]][group(c.blocker).call] += idle;
      add_work(spent, c);
      result_.bounds.push_back(most_of(spent));
      for (size_t k = 0; k < kSpent; ++k) own.spent[k] += spent[k];
      own.busy += c.work_cycles();
      own.bytes += c.bytes_moved();
      free = c.end;
    }
    for (size_t g = 0; g < result_.groups.size(); ++g) finish(result_.groups[g], waits[g]);
  }

  void finish(CommandGroup& own, const std::map<std::string_view, uint64_t>& waits) {
    own.bound = most_of(own.spent);
    const auto longest =
        std::ranges::max_element(waits, {}, [](const auto& wait) { return wait.second; });
    if (longest != waits.end()) own.waits_for = longest->first;
    double lanes = 0, units = 0, weight = 0;
    own.units = command(own.commands.front()).work.units;
    for (const uint32_t i : own.commands) {
      if (command(i).work.units != own.units) own.units = 0;
      const auto cycles = static_cast<double>(command(i).price.units + 1);
      lanes += command(i).work.lanes_filled * cycles;
      units += command(i).work.units_filled * cycles;
      weight += cycles;
    }
    own.lanes_filled = lanes / weight;
    own.units_filled = units / weight;
  }

  void spend(uint32_t i, Spent what, uint64_t cycles) {
    at(group(i).critical, what) += cycles;
    at(result_.critical, what) += cycles;
  }

  // Walks the critical path back from the command that ends last.
  void walk(const TimelineLaunch& launch) {
    uint32_t now = kNoCommand;
    for (uint32_t i = launch.first; i < launch.first + launch.count; ++i)
      if (now == kNoCommand || command(i).end >= command(now).end) now = i;
    uint64_t spent = 0;
    while (now != kNoCommand) {
      const TimelineCommand& c = command(now);
      result_.critical_path.push_back(now);
      add_work(group(now).critical, c);
      add_work(result_.critical, c);
      spent += c.work_cycles();
      now = c.delay == Delay::issue ? walk_issue(now, launch, spent) : c.blocker;
    }
    at(result_.critical, Spent::launch) += launch.end - launch.begin - spent;
  }

  // Walks back over issued commands. Returns the command that the processor waited for before it
  // issued them.
  uint32_t walk_issue(uint32_t now, const TimelineLaunch& launch, uint64_t& spent) {
    const auto issue =
        static_cast<uint64_t>(timeline_.timing.issue_seconds * timeline_.chip.clock_hz);
    for (uint32_t i = now;; --i) {
      if (command(i).is_issued) {
        spend(i, Spent::issue, issue);
        spent += issue;
        if (command(i).issue_blocker != kNoCommand) return blocking_end(i);
      }
      if (i == launch.first) return kNoCommand;
    }
  }
  // Returns the command before command i on the critical path, if a blocker delayed its issue. A
  // poll waits for the end of the blocker. A full queue waits for its start, so the result is the
  // command that delayed the start.
  uint32_t blocking_end(uint32_t i) const {
    const TimelineCommand& blocker = command(command(i).issue_blocker);
    return command(i).follows_poll ? command(i).issue_blocker : blocker.blocker;
  }

  void advise() {
    const size_t groups = std::min(kGroupsWithAdvice, result_.groups.size());
    for (size_t g = 0; g < groups; ++g) {
      const CommandGroup& one = result_.groups[g];
      if (one.engine == Engine::cpu) continue;
      Advice best{.remedy = Remedy::banks, .group = g, .cycles = result_.cycles};
      for (const Remedy remedy : {Remedy::double_buffer, Remedy::banks, Remedy::filling,
                                  Remedy::merging, Remedy::alignment, Remedy::longer_runs}) {
        if (!applies(one, remedy)) continue;
        const Timeline changed = with_remedy(timeline_, one, remedy);
        if (changed.cycles() < best.cycles)
          best = {remedy, g, changed.cycles(), cycles_of(timeline_, one.launch),
                  cycles_of(changed, one.launch)};
      }
      if (double(best.cycles) < double(result_.cycles) * (1 - kWorthIt))
        result_.advice.push_back(best);
    }
    std::ranges::stable_sort(result_.advice, {}, &Advice::cycles);
    if (result_.advice.size() > kAdvice) result_.advice.resize(kAdvice);
  }

  bool applies(const CommandGroup& one, Remedy remedy) const {
    const auto any = [&](auto of) {
      return std::ranges::any_of(one.commands, [&](uint32_t i) { return of(command(i)); });
    };
    switch (remedy) {
      case Remedy::double_buffer:
        return one.commands.size() > 1 &&
               any([](const auto& c) { return c.work.kind == Work::Kind::load && c.wait != 0; });
      case Remedy::banks:
        return any([](const auto& c) { return c.price.conflicts != 0; });
      case Remedy::filling:
        return one.engine == Engine::compute && one.lanes_filled * one.units_filled < 0.9;
      case Remedy::merging:
        return one.commands.size() > 1 && any([](const auto& c) { return c.is_issued; });
      case Remedy::alignment:
        return any([](const auto& c) { return c.work.split_beats != 0; });
      case Remedy::longer_runs:
        return any([](const auto& c) { return c.work.runs > 1; });
    }
    return false;
  }

  const Timeline& timeline_;
  std::vector<size_t> group_of_;
  TimeBreakdown result_;
};

}  // namespace

std::string_view to_string(Spent spent) {
  static constexpr std::string_view kNames[] = {
      "launch", "issue", "compute", "latency", "conflicts", "dma", "runs", "setup", "waiting"};
  static_assert(std::size(kNames) == kSpent);
  return kNames[static_cast<size_t>(spent)];
}

uint64_t CommandGroup::critical_cycles() const {
  return std::accumulate(critical.begin(), critical.end(), uint64_t{0});
}

std::string CommandGroup::where() const {
  std::string text = call;
  if (!layer.empty()) text += " of layer " + layer;
  if (!source.empty()) return text + " at " + source;
  return launch.empty() ? text : text + " in " + launch;
}

TimeBreakdown break_down(const Timeline& timeline) { return Explainer(timeline).run(); }

}  // namespace tputwin::insight
