// What a program is made of, and what its instructions cost: the prices of docs/timing.md, added up
// engine by engine. The compiler chooses by them, so they are of the instructions alone; launch,
// issue, queues and latencies belong to the time of a run (insight/timing).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "chip/chip.h"
#include "ops/instruction.h"

namespace tputwin {

struct OperationCost {
  std::string name;
  Engine engine;
  uint64_t count = 0;
  Cost cost;  // of all of them together
};

struct ProgramCost {
  std::vector<OperationCost> operations;  // by name
  uint64_t instructions = 0;
  Cost cost;                               // of everything together
  uint64_t compute_cycles = 0;             // the compute engine at work
  uint64_t dma_cycles = 0;                 // the DMA engine at work
  uint64_t elapsed_cycles = 0;             // both side by side, each instruction waiting as it says
  std::vector<std::string> cpu_operators;  // run by the host, not priced

  double milliseconds(const Chip& chip) const { return elapsed_cycles / chip.clock_hz * 1e3; }
};

// What both take together.
void add(Cost& sum, const Cost& cost);

ProgramCost program_cost(std::span<const Instruction> program, const Chip& chip);

}  // namespace tputwin
