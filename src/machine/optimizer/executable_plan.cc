// Runs the steps of a plan.
#include "machine/optimizer/executable_plan.h"

#include <algorithm>
#include <utility>

namespace tputwin {

ExecutablePlan::ExecutablePlan(std::span<const Instruction> program, PlanParts parts,
                               const Memory& memory, const std::shared_ptr<ReleasedPages>& pages)
    : program_(program),
      steps_(std::move(parts.steps)),
      constants_(std::move(parts.constants)),
      written_global_(std::move(parts.written_global)),
      to_defer_(std::make_shared<DeferredLoads::Loads>(std::move(parts.deferred))),
      states_(constants_.size()),
      releaser_(pages, std::move(parts.used_by_elided), std::move(parts.used_by_others)) {
  for (const PlanStep& step : steps_) {
    has_warnings_ |= step.has_warning;
    if (step.restorable_loads.empty()) continue;
    step.kernel->restore_by(
        [this, &loads = step.restorable_loads, memory] { restore_constants(loads, memory); });
  }
}

// Executes elided loads, for a kernel that must read its constants from their operands.
void ExecutablePlan::restore_constants(const std::vector<uint32_t>& loads,
                                       const Memory& memory) const {
  releaser_.restore_for_run(/*with_elided_loads=*/true);
  for (const uint32_t load : loads) execute(program_[load].op, memory);
}

void ExecutablePlan::begin_run(const Run& run) {
  section_ = 0;
  was_stale_ = false;
  for (const GlobalRange& range : written_global_) run.clock.mark(range.begin, range.bytes);
}

// Decides which constants of the section must be packed, whether the run defers loads, and which
// released pages it needs.
void ExecutablePlan::begin_section(const Run& run) {
  const bool is_first = section_++ == 0;
  bool any_stale = false;
  for (uint32_t i = 0; i < constants_.size(); ++i) {
    if (constants_[i].section != section_) continue;
    ConstantState& state = states_[i];
    state.checked_at = run.clock.now();
    state.is_stale = !state.is_packed || !is_unchanged(i, run.clock);
    any_stale |= state.is_stale;
  }
  if (any_stale) {
    was_stale_ = true;
    tried_to_release_ = false;
  }
  // A program with loads to defer has one section.
  const bool can_defer = !to_defer_->operations.empty();
  defers_ = can_defer && run.may_defer && !any_stale;
  releaser_.restore_for_run(/*with_elided_loads=*/any_stale || (can_defer && !defers_));
  if (is_first && defers_) run.deferred_loads.defer(to_defer_);
}

bool ExecutablePlan::is_unchanged(uint32_t constants, const WriteClock& clock) const {
  const uint64_t time = states_[constants].packed_at;
  return std::ranges::all_of(constants_[constants].sources, [&](const GlobalRange& source) {
    return clock.unchanged(source.begin, source.bytes, time);
  });
}

// Returns true if the current run skips an elided load.
bool ExecutablePlan::is_skipped(const PlanStep& elided) const {
  if (elided.is_deferred && !defers_) return false;
  return std::ranges::none_of(elided.needed_by, [&](uint32_t i) { return states_[i].is_stale; });
}

void ExecutablePlan::pack(uint32_t constants, fast::PreparedKernel& kernel, const Memory& memory) {
  kernel.pack(memory);
  ConstantState& state = states_[constants];
  state.is_stale = false;
  state.is_packed = true;
  state.packed_at = state.checked_at;
}

// Returns true if all constants are packed and current, and no attempt was made since the last
// packing.
bool ExecutablePlan::may_release_pages() const {
  return !constants_.empty() && !was_stale_ && !tried_to_release_ &&
         std::ranges::all_of(states_, &ConstantState::is_packed);
}

void ExecutablePlan::end_run(const Run& run) {
  if (!may_release_pages()) return;
  tried_to_release_ = true;
  releaser_.release(run.chip, run.memory.global, [&](PackedBytes& bytes) {
    for (uint32_t i = 0; i < constants_.size(); ++i)
      if (is_unchanged(i, run.clock)) add_packed(i, bytes);
  });
}

void ExecutablePlan::add_packed(uint32_t constants, PackedBytes& bytes) const {
  const auto owner = std::ranges::find(steps_, constants, &PlanStep::constants);
  if (owner == steps_.end()) return;
  std::vector<const DmaTensor*> loads;
  for (const uint32_t i : constants_[constants].loads) {
    const DmaTensor* load = PackedBytes::reversible_load(program_[i].op);
    if (load != nullptr && steps_[i].is_elided) loads.push_back(load);
  }
  bytes.add(*owner->kernel, loads);
}

PlanStatistics ExecutablePlan::statistics() const {
  PlanStatistics sum{.instructions = steps_.size()};
  for (size_t i = 0; i < steps_.size(); ++i) {
    const PlanStep& step = steps_[i];
    sum.prepared += step.kernel != nullptr;
    sum.elided_loads += step.is_elided;
    sum.deferred_loads += step.is_deferred;
    sum.shared_inputs += step.shares_input;
    sum.chained += step.is_chained;
    const bool is_epilogue = step.epilogue_constants != PlanStep::kNone;
    sum.fused_epilogues += is_epilogue;
    if (!step.is_fused() || is_epilogue) continue;
    sum.fused_moves += program_[i].engine == Engine::dma;
    if (const auto* operation = std::get_if<Elementwise>(&program_[i].op)) {
      sum.fused_residuals += operation->kind == Elementwise::Kind::mac;
      sum.fused_relus += operation->kind == Elementwise::Kind::max;
    }
    const auto* product = std::get_if<IntArithmetic>(&program_[i].op);
    sum.fused_products += product != nullptr && product->kind == IntArithmetic::Kind::mul;
  }
  for (const ConstantState& state : states_) sum.packed += state.is_packed;
  sum.released_bytes = releaser_.released_bytes();
  return sum;
}

}  // namespace tputwin
