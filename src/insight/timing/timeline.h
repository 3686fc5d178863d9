// Timeline: the commands of a run with their predicted times.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "insight/stacks.h"
#include "insight/timing/work.h"

namespace tputwin::insight {

// The reason that delayed the start of a command.
enum class Delay : uint8_t {
  none,     // nothing
  launch,   // transfer of the launch to the chip
  issue,    // the control processor had not issued it
  engine,   // its engine executed `blocker`
  command,  // waited for `blocker` on the other engine
  // It waited for all earlier commands, because of a CPU operator or restarted numbers. `blocker`
  // ended last.
  host
};
std::string_view to_string(Delay delay);

// On-chip bytes of an operand, from its first to its last byte in each of its lanes. L2-SRAM and
// DTCM count as lane 0.
struct Held {
  std::string_view operand;  // "dst_addr", in static storage
  Access access = Access::read;
  Space space = Space::local;
  uint32_t first_lane = 0, lanes = 0;  // the last lane is followed by the first
  uint64_t begin = 0, end = 0;         // in each lane
};

inline constexpr uint32_t kNoCommand = UINT32_MAX;

struct TimelineCommand {
  Engine engine = Engine::compute;
  uint32_t id = 0, wait = 0;   // Instruction::id and ::wait
  std::string_view operation;  // in static storage
  std::string_view call;       // "okk_bdc_add"; empty: a command of a file
  // Set for networks whose files name layers; empty: unknown.
  std::string layer;
  uint32_t launch = 0;  // index in Timeline::launches
  uint32_t number = 0;  // in its launch, from 1
  StackId stack = 0;    // of its call; 0: none
  // The user's source line, if read from a recording.
  std::string_view source;
  // Issued by the control processor; else fetched from memory by the engine.
  bool is_issued = false;
  // The kernel waited for both engines before it.
  bool follows_poll = false;
  std::vector<Held> held;
  // Cost of the operation by itself (docs/timing.md).
  Cost cost;
  Work work;
  // Predicted times, in cycles of the chip since the first launch.
  Price price;
  uint64_t issue = 0, start = 0, end = 0;
  Delay delay = Delay::none;
  uint32_t blocker = kNoCommand;  // index in Timeline::commands
  // The command that the control processor waited for before it issued this one.
  uint32_t issue_blocker = kNoCommand;

  // Returns the bytes that cross the bus of global memory.
  uint64_t bytes_moved() const { return cost.global_bytes; }
  uint64_t macs() const { return cost.macs; }
  uint64_t work_cycles() const { return end - start; }
};

struct TimelineLaunch {
  std::string name;  // of the kernel or net
  // Number as the host counts launches, from 1; 0: not numbered.
  uint64_t number = 0;
  uint32_t first = 0, count = 0;  // its commands
  // From the host's call to the end of its last command.
  uint64_t begin = 0, end = 0;
};

struct Timeline {
  Chip chip;
  ChipTiming timing;
  std::vector<TimelineCommand> commands;  // in issue order
  std::vector<TimelineLaunch> launches;   // consecutive in time

  uint64_t cycles() const { return launches.empty() ? 0 : launches.back().end; }
  double seconds(uint64_t of_cycles) const {
    return static_cast<double>(of_cycles) / chip.clock_hz;
  }
  double microseconds() const { return seconds(cycles()) * 1e6; }
};

// Returns an empty timeline.
inline Timeline timeline_of(const Chip& chip) {
  return {.chip = chip, .timing = timing_of(chip), .commands = {}, .launches = {}};
}

}  // namespace tputwin::insight
