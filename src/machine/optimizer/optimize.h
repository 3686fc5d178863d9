// The entry of the optimizer: from a program to its plan.
#pragma once

#include <memory>
#include <span>

#include "chip/chip.h"
#include "machine/optimizer/executable_plan.h"
#include "machine/optimizer/released_pages.h"
#include "memory/memory.h"
#include "ops/instruction.h"

namespace tputwin {

// The device that a plan is made for.
struct PlanTarget {
  const Chip& chip;
  Memory memory;
  const std::shared_ptr<ReleasedPages>& pages;  // of the memory's global memory
};

// Makes the plan of a program, which must outlive the plan. Returns nullptr if the program can only
// run instruction by instruction, because it breaks a rule or waits for a later instruction.
std::unique_ptr<ExecutablePlan> optimize(std::span<const Instruction> program,
                                         const PlanTarget& target);

}  // namespace tputwin
