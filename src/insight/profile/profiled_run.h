// ProfiledRun: the timeline of one device, and the data of its pictures.
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
  std::map<StackId, std::string> lines;  // source lines: "kernel (kernel.c:21)"

  // Returns the source line of a command; empty: unknown.
  std::string_view line(const TimelineCommand& command) const;
  std::string_view kernel(const TimelineCommand& command) const {
    return timeline.launches[command.launch].name;
  }
};

// Peak rates of a chip's arithmetic and global memory.
struct Peak {
  std::string_view type;  // of elements, for example "8-bit"
  double macs_per_second;
};
// fastest first
std::vector<Peak> peaks(const Chip& chip);
double peak_bytes_per_second(const Chip& chip);

// Returns for each command the main use of its time. That is the reason of its wait if the engine
// was idle for longer than it works, else the largest part of its own cycles.
std::vector<std::string_view> reasons(const Timeline& timeline);

// The time of one engine, in cycles.
struct EngineUse {
  Engine engine;
  uint64_t commands = 0, busy = 0;
  std::map<Delay, uint64_t> idle;  // before commands, by reason of the wait
};
std::vector<EngineUse> engine_use(const Timeline& timeline);

// Consecutive commands of an engine that share a layer, or a call that issues several.
struct CommandRun {
  Engine engine;
  std::string_view name;
  // Indices in Timeline::commands, on this engine.
  uint32_t first, last;
};
std::vector<CommandRun> layer_groups(const Timeline& timeline);
std::vector<CommandRun> call_groups(const Timeline& timeline);

// Bytes of local memory that a command wrote, from its start until they are no longer needed. That
// is the end of the last command that reads them, or of the writer.
struct Hold {
  uint32_t command;
  uint64_t address, bytes;  // in a lane
  uint64_t begin, end;      // cycles
};
// sorted by begin
std::vector<Hold> holds(const Timeline& timeline);

}  // namespace tputwin::insight
