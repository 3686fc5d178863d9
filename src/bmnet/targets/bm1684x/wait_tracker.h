// WaitTracker: finds the command of the other engine that a command must wait for. Each engine runs
// its commands in order, so that only commands of different engines race.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ops/operation.h"

namespace tputwin::net::bm1684x {

class WaitTracker {
 public:
  // Adds command `id` of `engine`. Returns the last command of the other engine that accesses the
  // same bytes, at least one of the two writing; never less than for the engine's command before.
  uint32_t add(const Operation& op, Engine engine, uint32_t id);

 private:
  // Bytes of a lane that a command accesses.
  struct Range {
    bool is_write;
    uint64_t begin, end;
  };
  struct Command {
    uint32_t id;
    std::vector<Range> ranges;
  };
  struct Queue {
    std::vector<Command> commands;  // those that the other engine has not waited for
    uint32_t wait = 0;              // last command of the other engine that it waited for
  };
  static std::vector<Range> ranges_of(const Operation& op);
  static bool conflict(const std::vector<Range>& a, const std::vector<Range>& b);

  std::array<Queue, 2> queues_;  // by engine: tensor engine, GDMA
};

}  // namespace tputwin::net::bm1684x
