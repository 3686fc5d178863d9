// PlanBuilder: the plan under construction that the passes (passes.h) work on, with the graph of
// its program.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "machine/optimizer/plan_step.h"
#include "machine/optimizer/program_graph.h"
#include "memory/memory.h"

namespace tputwin {

class PlanBuilder {
 public:
  // Kernels are prepared for `memory`. The graph must outlive the builder, and its program must
  // outlive the plan.
  PlanBuilder(const ProgramGraph& graph, const Memory& memory);

  const ProgramGraph& graph() const { return graph_; }
  const Memory& memory() const { return memory_; }
  const LocalMemory& local() const { return memory_.local; }

  std::vector<PlanStep>& steps() { return parts_.steps; }
  const std::vector<PlanStep>& steps() const { return parts_.steps; }
  PlanStep& step(uint32_t i) { return parts_.steps[i]; }
  const PlanStep& step(uint32_t i) const { return parts_.steps[i]; }
  PlanParts& parts() { return parts_; }
  const PlanParts& parts() const { return parts_; }

  // Returns the step whose kernel writes the result of step `i`: the step itself, or the step that
  // it is fused into. Returns nullopt if no prepared kernel does.
  std::optional<uint32_t> kernel_step(uint32_t i) const;

 private:
  const ProgramGraph& graph_;
  Memory memory_;
  PlanParts parts_;
};

// Returns the constants that the instructions in `writers` load. Returns nullopt if one of them is
// no load from global memory that the program never writes.
std::optional<PlanConstants> constants_from(const ProgramGraph& graph,
                                            std::span<const uint32_t> writers);

// Returns the indices of all constants that hold the bytes of a load packed. Returns nullopt if the
// instruction is no load, or if another instruction reads its bytes.
std::optional<std::vector<uint32_t>> constants_that_need(const PlanBuilder& plan, uint32_t load);

}  // namespace tputwin
