// ExecutablePlan: the steps of a program with their kernels, as the passes left them. It only runs
// them. From run to run it keeps the packed constants, and it notices when their sources change.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "chip/chip.h"
#include "machine/optimizer/page_releaser.h"
#include "machine/optimizer/plan_step.h"
#include "memory/memory.h"
#include "memory/write_clock.h"
#include "ops/instruction.h"
#include "ops/operation.h"

namespace tputwin {

// Counts what the passes did for the next run, for tests and reports.
struct PlanStatistics {
  size_t instructions = 0, prepared = 0;
  // Constants that are packed now.
  size_t packed = 0;
  // Loads that runs skip, and deferred loads among these.
  size_t elided_loads = 0, deferred_loads = 0;
  // Instructions fused into kernels.
  size_t fused_relus = 0, fused_residuals = 0, fused_moves = 0, fused_epilogues = 0;
  // Products of the residuals of bytes.
  size_t fused_products = 0;
  // Kernels that reuse the packed input of an earlier kernel.
  size_t shared_inputs = 0;
  size_t chained = 0;  // instructions in chains
  // Bytes of global memory that were returned to the operating system.
  uint64_t released_bytes = 0;
};

class ExecutablePlan {
 public:
  // The state of one device that a run works on and updates.
  struct Run {
    const Chip& chip;
    Memory memory;
    WriteClock& clock;
    DeferredLoads& deferred_loads;
    // False if the host may read local memory at any time, so that no load may be deferred.
    bool may_defer;
  };

  // `parts` are the steps and constants that the passes made for `program`, which must outlive the
  // plan. Their kernels must be prepared for `memory`, whose released pages `pages` tracks.
  ExecutablePlan(std::span<const Instruction> program, PlanParts parts, const Memory& memory,
                 const std::shared_ptr<ReleasedPages>& pages);
  ExecutablePlan(const ExecutablePlan&) = delete;

  uint32_t size() const { return static_cast<uint32_t>(steps_.size()); }
  const Instruction& instruction(uint32_t i) const { return program_[i]; }
  // Returns true if the instruction, or any one, breaks a rule of level warning.
  bool has_warning(uint32_t i) const { return steps_[i].has_warning; }
  bool has_warnings() const { return has_warnings_; }
  // Returns the loads that a run defers if it can, never nullptr.
  const std::shared_ptr<const DeferredLoads::Loads>& loads_to_defer() const { return to_defer_; }

  // A run calls begin_run(), then for each step in order begin_step() and, unless it is a call of
  // the host, run_step(), then end_run() if all succeeded.
  void begin_run(const Run& run);
  void begin_step(uint32_t i, const Run& run) {
    if (steps_[i].begins_section) begin_section(run);
  }
  void run_step(uint32_t i, const Run& run) {
    const PlanStep& step = steps_[i];
    if (step.is_fused() || (step.is_elided && is_skipped(step))) return;
    if (step.kernel == nullptr) return execute(program_[i].op, run.memory);
    if (step.constants != PlanStep::kNone && states_[step.constants].is_stale)
      pack(step.constants, *step.kernel, run.memory);
    step.kernel->run(run.memory);
  }
  void end_run(const Run& run);

  PlanStatistics statistics() const;

 private:
  // Times are those of the device's WriteClock.
  struct ConstantState {
    bool is_stale = true;  // in the current run: must be packed before use
    bool is_packed = false;
    uint64_t packed_at = 0, checked_at = 0;
  };

  void begin_section(const Run& run);
  void restore_constants(const std::vector<uint32_t>& loads, const Memory& memory) const;
  bool is_unchanged(uint32_t constants, const WriteClock& clock) const;
  bool is_skipped(const PlanStep& elided) const;
  void pack(uint32_t constants, fast::PreparedKernel& kernel, const Memory& memory);
  bool may_release_pages() const;
  void add_packed(uint32_t constants, PackedBytes& bytes) const;

  std::span<const Instruction> program_;
  std::vector<PlanStep> steps_;  // one per instruction
  std::vector<PlanConstants> constants_;
  std::vector<GlobalRange> written_global_;
  std::shared_ptr<const DeferredLoads::Loads> to_defer_;
  bool has_warnings_ = false;

  std::vector<ConstantState> states_;  // one per constants
  // The state of the current run.
  uint32_t section_ = 0;
  bool defers_ = false, was_stale_ = false;
  // True if no constants were packed since the last attempt to release pages.
  bool tried_to_release_ = false;
  // Declared last: it restores pages before the kernels are destroyed.
  PageReleaser releaser_;
};

}  // namespace tputwin
