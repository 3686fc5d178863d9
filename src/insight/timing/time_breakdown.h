// TimeBreakdown: the parts of the predicted time of a run, and changes that would shorten it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "insight/timing/timeline.h"

namespace tputwin::insight {

// Uses of time.
enum class Spent : uint8_t {
  launch,
  issue,      // the control processor, for each command
  compute,    // execution units at full rate
  latency,    // of sequential taps, factors, operands
  conflicts,  // of memory banks
  dma,        // bytes that are moved
  runs,       // short or unaligned runs
  setup,      // of commands
  waiting     // for the other engine
};
inline constexpr size_t kSpent = 9;
std::string_view to_string(Spent spent);
using SpentCycles = std::array<uint64_t, kSpent>;

// Commands of one kernel or layer that one line of the user's program issues.
struct CommandGroup {
  std::string launch, layer, call, source;
  Engine engine = Engine::compute;
  std::vector<uint32_t> commands;
  // Busy cycles of its engine, bytes of global memory.
  uint64_t busy = 0, bytes = 0;
  SpentCycles spent{};     // at work, and idle before it
  SpentCycles critical{};  // on the critical path
  std::string waits_for;   // the call that it waits for most
  double lanes_filled = 1, units_filled = 1;
  uint32_t units = 0;            // of a lane; 0: commands with elements of several sizes
  Spent bound = Spent::compute;  // the largest part of `spent`

  uint64_t critical_cycles() const;
  std::string where() const;  // "okk_bdc_add at plus_one (plus_one.c:21)"
};

// A change, and the time that the simulation predicts with it.
enum class Remedy : uint8_t { double_buffer, banks, filling, merging, alignment, longer_runs };
std::string_view to_string(Remedy remedy);
struct Advice {
  Remedy remedy;
  size_t group;                                  // index in TimeBreakdown::groups
  uint64_t cycles = 0;                           // of the whole run, with the change
  uint64_t kernel_before = 0, kernel_after = 0;  // of all launches of the group's kernel
};

struct TimeBreakdown {
  uint64_t cycles = 0;
  SpentCycles critical{};  // of all launches together
  // Sorted by cycles on the critical path, largest first.
  std::vector<CommandGroup> groups;
  // For each command, the largest part of its work and of the idle time before it.
  std::vector<Spent> bounds;
  std::vector<uint32_t> critical_path;  // commands, in order
  std::vector<Advice> advice;           // at most three, best first
};

// Explains a timeline, which must be simulated.
TimeBreakdown break_down(const Timeline& timeline);

// Returns the timeline with a remedy for a group, simulated.
Timeline with_remedy(const Timeline& timeline, const CommandGroup& group, Remedy remedy);

std::string breakdown_text(const Timeline& timeline, const TimeBreakdown& breakdown);
std::string breakdown_json(const Timeline& timeline, const TimeBreakdown& breakdown);

}  // namespace tputwin::insight
