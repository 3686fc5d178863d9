// Costs of the instructions of a program (docs/timing.md), summed per engine. The compiler compares
// programs by them. Launch, issue, queues and latencies are not included; they are part of the time
// of a run (insight/timing).
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
  Cost cost;  // of all `count` instructions
};

struct ProgramCost {
  std::vector<OperationCost> operations;  // sorted by name
  uint64_t instructions = 0;
  Cost cost;                               // of all instructions
  uint64_t compute_cycles = 0;             // busy cycles of the compute engine
  uint64_t dma_cycles = 0;                 // busy cycles of the DMA engine
  uint64_t elapsed_cycles = 0;             // both engines in parallel, with waits
  std::vector<std::string> cpu_operators;  // run by the host, not in `cost`

  double milliseconds(const Chip& chip) const { return elapsed_cycles / chip.clock_hz * 1e3; }
};

// Adds `cost` to `sum`.
void add(Cost& sum, const Cost& cost);

ProgramCost program_cost(std::span<const Instruction> program, const Chip& chip);

}  // namespace tputwin
