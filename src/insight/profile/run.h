// ProfiledRun: the timeline of one device, and what pictures of it are made of.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "insight/timing/timeline.h"

namespace tputwin::insight {

struct ProfiledRun {
  std::string title;
  const Timeline& timeline;
  std::map<StackId, std::string> lines;  // of source: "kernel (kernel.c:21)"

  // Empty: unknown.
  std::string_view line(const TimelineCommand& command) const;
  std::string_view kernel(const TimelineCommand& command) const {
    return timeline.launches[command.launch].name;
  }
};

// The most that a chip's arithmetic and its global memory do.
struct Peak {
  std::string_view type;  // of elements: "8-bit"
  double macs_per_second;
};
// The fastest first.
std::vector<Peak> peaks(const Chip& chip);
double peak_bytes_per_second(const Chip& chip);

// For each command, what its time goes to: what it waited for, where the engine stood still for
// longer than it works, else what its own cycles are mostly.
std::vector<std::string_view> reasons(const Timeline& timeline);

// The time of one engine, in cycles.
struct EngineUse {
  Engine engine;
  uint64_t commands = 0, busy = 0;
  std::map<Delay, uint64_t> idle;  // before commands, by what they waited for
};
std::vector<EngineUse> engine_use(const Timeline& timeline);

// Commands of an engine, one behind the other, that share a layer, or a call that issues several.
struct CommandRun {
  Engine engine;
  std::string_view name;
  uint32_t first, last;  // places in Timeline::commands, of the engine's own
};
std::vector<CommandRun> layer_groups(const Timeline& timeline);
std::vector<CommandRun> call_groups(const Timeline& timeline);

// Bytes of local memory that a command wrote, from its start until nobody needs them any more: the
// end of the last command that reads them, or its own.
struct Hold {
  uint32_t command;
  uint64_t address, bytes;  // in a lane
  uint64_t begin, end;      // cycles
};
// By their begin.
std::vector<Hold> holds(const Timeline& timeline);

}  // namespace tputwin::insight
