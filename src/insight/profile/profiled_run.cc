// Computations that all outputs of a profiled run share.
#include "insight/profile/profiled_run.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tputwin::insight {
namespace {

constexpr size_t kEngines = 3;  // by enum Engine

// Returns for each command the idle cycles of its engine before it.
std::vector<uint64_t> waits(const Timeline& timeline) {
  std::vector<uint64_t> all(timeline.commands.size());
  for (const TimelineLaunch& launch : timeline.launches) {
    std::array<uint64_t, kEngines> free;
    free.fill(launch.begin);
    for (uint32_t i = launch.first; i < launch.first + launch.count; ++i) {
      const TimelineCommand& command = timeline.commands[i];
      uint64_t& before = free[static_cast<size_t>(command.engine)];
      all[i] = command.start - std::min(command.start, before);
      before = std::max(before, command.end);
    }
  }
  return all;
}

std::string_view reason_to_wait(const Timeline& timeline, const TimelineCommand& command) {
  switch (command.delay) {
    case Delay::command:
      if (command.blocker != kNoCommand)
        return timeline.commands[command.blocker].engine == Engine::dma ? "waits for dma"
                                                                        : "waits for compute";
      return "waits for the other engine";
    case Delay::issue:
      return "issue";
    case Delay::host:
      return "waits for all before";
    default:
      return "launch";
  }
}

std::string_view reason_of_work(const TimelineCommand& command) {
  if (command.engine == Engine::cpu) return "host";
  const bool is_transfer = command.work.is_transfer();
  const std::pair<uint64_t, std::string_view> parts[] = {
      {command.price.units, is_transfer ? "bandwidth" : "arithmetic"},
      {command.price.latency, is_transfer ? "short runs" : "latency of the units"},
      {command.price.conflicts, "bank conflicts"},
      {command.price.setup, "set-up"}};
  return std::ranges::max_element(parts, {}, [](const auto& part) { return part.first; })->second;
}

// Returns groups of at least `least` consecutive commands of an engine with one name.
template <class NameOf>
std::vector<CommandRun> groups(const Timeline& timeline, uint32_t least, NameOf name_of) {
  struct Open {
    CommandRun group;
    uint32_t count = 0;
  };
  std::vector<CommandRun> all;
  std::array<Open, kEngines> open{};
  const auto close = [&](Open& of) {
    if (of.count >= least) all.push_back(of.group);
    of.count = 0;
  };
  for (uint32_t i = 0; i < timeline.commands.size(); ++i) {
    const TimelineCommand& command = timeline.commands[i];
    Open& own = open[static_cast<size_t>(command.engine)];
    const std::string_view name = name_of(command);
    if (own.count > 0) {
      const TimelineCommand& first = timeline.commands[own.group.first];
      // Groups of calls do not cross groups of layers.
      const bool goes_on =
          own.group.name == name && first.launch == command.launch && first.layer == command.layer;
      if (!goes_on) close(own);
    }
    if (name.empty()) continue;
    if (own.count++ == 0) own.group = {command.engine, name, i, i};
    own.group.last = i;
  }
  for (Open& of : open) close(of);
  return all;
}

}  // namespace

std::string_view ProfiledRun::line(const TimelineCommand& command) const {
  if (!command.source.empty()) return command.source;
  const auto found = lines.find(command.stack);
  return found != lines.end() ? std::string_view(found->second) : std::string_view();
}

std::vector<Peak> peaks(const Chip& chip) {
  const double lanes = chip.lanes * chip.clock_hz;
  std::vector<Peak> all{{"8-bit", lanes * chip.macs_per_lane_cycle}};
  if (chip.types.has(DType::f16)) all.push_back({"16-bit", all[0].macs_per_second / 2});
  if (chip.types.has(DType::f32)) all.push_back({"32-bit", lanes * (chip.eu_bytes / 4)});
  return all;
}

double peak_bytes_per_second(const Chip& chip) { return chip.dma_bytes_per_cycle * chip.clock_hz; }

std::vector<std::string_view> reasons(const Timeline& timeline) {
  const std::vector<uint64_t> waited = waits(timeline);
  std::vector<std::string_view> all;
  for (size_t i = 0; i < timeline.commands.size(); ++i) {
    const TimelineCommand& command = timeline.commands[i];
    all.push_back(waited[i] > command.end - command.start ? reason_to_wait(timeline, command)
                                                          : reason_of_work(command));
  }
  return all;
}

std::vector<EngineUse> engine_use(const Timeline& timeline) {
  const std::vector<uint64_t> waited = waits(timeline);
  std::array<EngineUse, kEngines> engines{};
  for (size_t i = 0; i < timeline.commands.size(); ++i) {
    const TimelineCommand& command = timeline.commands[i];
    EngineUse& use = engines[static_cast<size_t>(command.engine)];
    use.engine = command.engine;
    ++use.commands;
    use.busy += command.end - command.start;
    if (waited[i] > 0) use.idle[command.delay] += waited[i];
  }
  std::vector<EngineUse> used;
  for (EngineUse& use : engines)
    if (use.commands > 0) used.push_back(std::move(use));
  return used;
}

std::vector<CommandRun> layer_groups(const Timeline& timeline) {
  return groups(timeline, 1,
                [](const TimelineCommand& command) { return std::string_view(command.layer); });
}

std::vector<CommandRun> call_groups(const Timeline& timeline) {
  return groups(timeline, 2, [](const TimelineCommand& command) { return command.call; });
}

}  // namespace tputwin::insight
