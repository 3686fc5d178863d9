// Remedies: changes a group of commands in a timeline, and simulates the result.
#include <algorithm>
#include <map>

#include "insight/timing/simulate.h"
#include "insight/timing/time_breakdown.h"

namespace tputwin::insight {
namespace {

bool is_load(const TimelineCommand& command) { return command.work.kind == Work::Kind::load; }
bool is_store(const TimelineCommand& command) { return command.work.kind == Work::Kind::store; }

// Returns for each command the one that it waits for; kNoCommand: none. Unlike wait numbers, this
// stays valid when commands move.
std::vector<uint32_t> waited_for(const Timeline& timeline, const TimelineLaunch& launch) {
  std::vector<uint32_t> result(launch.count, kNoCommand);
  std::map<uint32_t, uint32_t> by_number[2];
  for (uint32_t i = 0; i < launch.count; ++i) {
    const TimelineCommand& command = timeline.commands[launch.first + i];
    const bool is_dma = command.engine == Engine::dma;
    const auto& others = by_number[!is_dma];
    const auto after = others.upper_bound(command.wait);
    if (command.wait != 0 && after != others.begin()) result[i] = std::prev(after)->second;
    by_number[is_dma][command.id] = i;
  }
  return result;
}

// Puts loads into a second buffer. Each load waits for the command that the previous load waited
// for, and moves before the stores that precede it.
void double_buffer(Timeline& timeline, const TimelineLaunch& launch,
                   const std::vector<bool>& chosen) {
  std::vector<uint32_t> waits = waited_for(timeline, launch), order;
  uint32_t before = kNoCommand;
  for (uint32_t i = 0; i < launch.count; ++i) {
    const TimelineCommand& command = timeline.commands[launch.first + i];
    size_t place = order.size();
    if (is_load(command) && chosen[launch.first + i]) {
      std::swap(waits[i], before);
      while (place > 0 && is_store(timeline.commands[launch.first + order[place - 1]])) --place;
    }
    order.insert(order.begin() + static_cast<ptrdiff_t>(place), i);
  }
  std::vector<TimelineCommand> moved;
  std::vector<uint32_t> numbers(launch.count, 0);
  uint32_t newest[2] = {0, 0};
  for (const uint32_t i : order) {
    TimelineCommand& command = timeline.commands[launch.first + i];
    numbers[i] = command.id = ++newest[command.engine == Engine::dma];
    moved.push_back(command);
  }
  for (uint32_t k = 0; k < launch.count; ++k) {
    const uint32_t wait = waits[order[k]];
    moved[k].wait = wait == kNoCommand ? 0 : numbers[wait];
  }
  std::ranges::move(moved, timeline.commands.begin() + launch.first);
}

void apply_remedy(TimelineCommand& command, Remedy remedy, size_t place) {
  Work& work = command.work;
  const double filled = work.lanes_filled * work.units_filled;
  switch (remedy) {
    case Remedy::double_buffer:
      return;  // handled for all commands together
    case Remedy::banks:
      work.conflicts = 0;
      return;
    case Remedy::filling:
      work.cycles = static_cast<uint64_t>(double(work.cycles) * filled);
      work.latency = static_cast<uint64_t>(double(work.latency) * filled);
      return;
    case Remedy::merging:
      if (place % 2 == 1) command.is_issued = false;
      return;
    case Remedy::alignment:
      work.split_beats = 0;
      return;
    case Remedy::longer_runs:
      work.runs = std::min<uint64_t>(work.runs, 1);
  }
}

bool has_host_commands(const Timeline& timeline) {
  return std::ranges::any_of(timeline.commands,
                             [](const auto& command) { return command.engine == Engine::cpu; });
}

}  // namespace

std::string_view to_string(Remedy remedy) {
  static constexpr std::string_view kTexts[] = {
      "double-buffer: load into a second buffer while the first is worked on",
      "put the operands into different banks",
      "fill all lanes and execution units",
      "make half as many commands of twice the size",
      "align rows in global memory to the bus",
      "lay out global memory so that more bytes are contiguous"};
  return kTexts[static_cast<size_t>(remedy)];
}

Timeline with_remedy(const Timeline& timeline, const CommandGroup& group, Remedy remedy) {
  Timeline changed = timeline;
  if (remedy != Remedy::double_buffer) {
    for (size_t i = 0; i < group.commands.size(); ++i)
      apply_remedy(changed.commands[group.commands[i]], remedy, i);
  } else if (!has_host_commands(timeline)) {  // if numbering restarts, commands cannot move
    std::vector<bool> chosen(timeline.commands.size(), false);
    for (const uint32_t command : group.commands) chosen[command] = true;
    for (const TimelineLaunch& launch : timeline.launches) double_buffer(changed, launch, chosen);
  }
  simulate(changed);
  return changed;
}

}  // namespace tputwin::insight
