// The passes of the optimizer. Each is a free function in a file of its own name; the comment there
// states what the pass does, when that is legal, and an example.
#pragma once

#include <string_view>

#include "machine/optimizer/plan_builder.h"

namespace tputwin {

void prepare_kernels(PlanBuilder& plan);
void fuse_requantize(PlanBuilder& plan);
void share_constants(PlanBuilder& plan);
void elide_constant_loads(PlanBuilder& plan);
void defer_loads(PlanBuilder& plan);
void make_loads_restorable(PlanBuilder& plan);
void fuse_residual(PlanBuilder& plan);
void fuse_byte_sums(PlanBuilder& plan);
void prepare_float_maps(PlanBuilder& plan);
void fuse_relu(PlanBuilder& plan);
void fuse_dma(PlanBuilder& plan);
void chain_rows(PlanBuilder& plan);
void group_lanes(PlanBuilder& plan);
void share_packed_inputs(PlanBuilder& plan);
void record_global_use(PlanBuilder& plan);

struct Pass {
  std::string_view name;
  void (*run)(PlanBuilder&);
};

// All passes, in the order in which they run. The comments state why a pass must not run earlier.
inline constexpr Pass kPasses[] = {
    // All other passes extend the kernels that it prepares, or depend on their constants.
    {"prepare_kernels", prepare_kernels},
    // A fused bias or multiplier belongs to the constants of its kernel, and kernels share
    // constants only if their epilogues are equal. So it must run before share_constants.
    {"fuse_requantize", fuse_requantize},
    // It renumbers the constants, so it must run before the passes that store their numbers.
    {"share_constants", share_constants},
    {"elide_constant_loads", elide_constant_loads},
    // It looks at the loads that elide_constant_loads left, and at the final list of constants.
    {"defer_loads", defer_loads},
    // It collects the loads that the two passes before it elided.
    {"make_loads_restorable", make_loads_restorable},
    {"fuse_residual", fuse_residual},
    // A kernel of one of the instructions, which prepare_kernels prepared, gives way to that of the
    // sum.
    {"fuse_byte_sums", fuse_byte_sums},
    // It prepares kernels for moves that fuse_dma fuses.
    {"prepare_float_maps", prepare_float_maps},
    // In a network a ReLU follows the residual sum. A kernel applies it to the sum if it knows the
    // sum already.
    {"fuse_relu", fuse_relu},
    // A store is fused into the kernel that the instructions before it were fused into, and a load
    // of an addend into the kernel of the residual. Elided loads are not fused.
    {"fuse_dma", fuse_dma},
    // It takes instructions that have no kernel and were not fused.
    {"chain_rows", chain_rows},
    // It takes what the pass before it left, as it computes less tightly.
    {"group_lanes", group_lanes},
    // A kernel's input is in global memory if its load was fused, and a fused store or residual
    // writes where its kernel runs.
    {"share_packed_inputs", share_packed_inputs},
    // It only records what the passes before it decided.
    {"record_global_use", record_global_use},
};

// Runs all passes.
void run_passes(PlanBuilder& plan);

}  // namespace tputwin
