// The parts of a plan: its steps and constants. The passes write them, and ExecutablePlan runs
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "machine/optimizer/deferred_loads.h"
#include "memory/global_range.h"
#include "ops/fast/prepared/prepared.h"

namespace tputwin {

// Constants that the kernels of one or more steps keep packed, such as slices of one layer.
struct PlanConstants {
  // Instructions that load the constants to the operands that they are packed from.
  std::vector<uint32_t> loads;
  std::vector<GlobalRange> sources;  // of each load
  // `section` is the number of the section at whose beginning it is decided if they must be packed
  // again.
  uint32_t section = 0;
};

// The plan of one instruction.
struct PlanStep {
  // Stands for no index.
  static constexpr uint32_t kNone = UINT32_MAX;

  // `kernel` is nullptr if the instruction runs unprepared.
  std::unique_ptr<fast::PreparedKernel> kernel;
  // Index of the constants that `kernel` keeps packed.
  uint32_t constants = kNone;
  // The step whose kernel does the work of this one.
  uint32_t fused_into = kNone;
  // If the step is fused as an epilogue, this is the index of the constants with its bias or
  // multiplier.
  uint32_t epilogue_constants = kNone;
  // True if the instruction breaks a rule of level warning. Every run checks it and records the
  // warning.
  bool has_warning = false;
  // True if a section begins here: at the first step and after each call of the host.
  bool begins_section = false;
  // True for a load that runs skip while all constants in `needed_by` are packed.
  bool is_elided = false;
  // True for an elided load whose bytes are live-out. DeferredLoads executes it when they are
  // needed.
  bool is_deferred = false;
  // True if the kernel reuses the input that an earlier kernel packed.
  bool shares_input = false;
  // True if the step is one of a chain (chain_rows.cc).
  bool is_chained = false;
  std::vector<uint32_t> needed_by;  // indices of constants
  // The elided loads of the constants of `kernel`, which it may ask to be executed.
  std::vector<uint32_t> restorable_loads;

  bool is_fused() const { return fused_into != kNone; }
};

struct PlanParts {
  std::vector<PlanStep> steps;  // one per instruction
  std::vector<PlanConstants> constants;
  // Elided loads whose bytes are live-out.
  DeferredLoads::Loads deferred;
  // Ranges of global memory that runs write.
  std::vector<GlobalRange> written_global;
  // `used_by_elided` are the ranges of global memory that elided loads read. `used_by_others` are
  // those that all other instructions touch.
  std::vector<GlobalRange> used_by_elided, used_by_others;
};

}  // namespace tputwin
