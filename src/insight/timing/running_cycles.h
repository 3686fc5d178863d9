// RunningCycles: the predicted end of commands that the engines fetch from memory, one command
// after the other. It keeps no commands, so that a compiler can price programs that it rejects.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "insight/timing/work.h"
#include "ops/instruction.h"

namespace tputwin::insight {

class RunningCycles {
 public:
  // `chip` must outlive this object.
  explicit RunningCycles(const Chip& chip) : chip_(chip) {}

  // Adds the next command of the tensor engine or the GDMA. It starts after the first `wait`
  // commands of the other engine. The commands of each engine count from 1.
  void add(Engine engine, uint32_t wait, const Work& work);
  // Returns the cycles from the first to the last command, without a launch: those of run_cycles.
  uint64_t all() const { return std::max(end_of(0), end_of(1)); }

 private:
  uint64_t end_of(size_t engine) const { return ends_[engine].empty() ? 0 : ends_[engine].back(); }

  const Chip& chip_;
  std::array<std::vector<uint64_t>, 2> ends_;  // of the commands: tensor engine, GDMA
};

}  // namespace tputwin::insight
