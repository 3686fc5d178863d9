// PlannedProgram: a program that may run repeatedly. From its second run on a plan does the work
// that all runs have in common once: rules are checked, kernels are chosen and bound, constants are
// packed (docs/architecture.md, "The optimizer").
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "machine/optimizer/executable_plan.h"
#include "machine/optimizer/optimize.h"
#include "ops/instruction.h"

namespace tputwin {

class PlannedProgram {
 public:
  explicit PlannedProgram(std::vector<Instruction> instructions)
      : instructions_(std::move(instructions)) {}
  PlannedProgram(const PlannedProgram&) = delete;

  std::span<const Instruction> instructions() const { return instructions_; }

  // Returns the plan for the next run on a device, and makes it if necessary. Returns nullptr if
  // the instructions must run one by one: in the first run, as a program that runs once would not
  // gain from a plan, and always if they break a rule.
  ExecutablePlan* plan_run(const PlanTarget& target);

  // Returns what the passes did. All counts but that of the instructions are 0 before the second
  // run.
  PlanStatistics statistics() const;

 private:
  bool fits(const PlanTarget& target) const;

  const std::vector<Instruction> instructions_;
  enum class State : uint8_t { unseen, seen, planned, unplannable } state_ = State::unseen;
  std::unique_ptr<ExecutablePlan> plan_;
  // The device and the choice of kernels that plan_ is made for. Each device has its own
  // ReleasedPages.
  std::weak_ptr<ReleasedPages> planned_for_;
  uint64_t choices_ = 0;
};

}  // namespace tputwin
