// Order between the commands of the two engines. Each engine runs its commands in order, so that
// only commands of different engines race.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ops/operation.h"

namespace tputwin::net::bm1684x {

// The bytes of local memory that a command accesses, in any of its lanes. Only the GDMA reaches
// other memories. Bounds of an operand: buffers of different contents do not overlap, so they are
// exact enough.
class LaneAccesses {
 public:
  explicit LaneAccesses(const OperandList& operands);
  // Returns true if both access a byte, at least one of them writing.
  bool conflicts_with(const LaneAccesses& other) const;

 private:
  struct Range {
    uint32_t begin, end;  // a lane has 18 bits of bytes
    bool is_write;
  };
  // No list holds more operands.
  static constexpr size_t kMost = sizeof(OperandList) / sizeof(Operand);

  const Range* begin() const { return ranges_.data(); }
  const Range* end() const { return ranges_.data() + count_; }

  std::array<Range, kMost> ranges_;
  size_t count_ = 0;
};

// Finds the command of the other engine that a command must wait for.
class WaitTracker {
 public:
  // Adds command `id` of `engine`. Returns the last command of the other engine that it conflicts
  // with; never less than for the engine's command before.
  uint32_t add(const LaneAccesses& accesses, Engine engine, uint32_t id);

 private:
  struct Command {
    uint32_t id;
    LaneAccesses accesses;
  };
  struct Queue {
    std::vector<Command> commands;  // those that the other engine has not waited for
    uint32_t wait = 0;              // last command of the other engine that it waited for
  };

  std::array<Queue, 2> queues_;  // by engine: tensor engine, GDMA
};

}  // namespace tputwin::net::bm1684x
