// Makes the plan of a program when it runs for the second time, and again when the plan no longer
// fits.
#include "machine/planned_program.h"

#include "ops/fast/prepared/prepared.h"
#include "ops/source_copies.h"

namespace tputwin {

bool PlannedProgram::fits(const PlanTarget& target) const {
  return plan_ != nullptr && planned_for_.lock() == target.pages && choices_ == fast::choices();
}

ExecutablePlan* PlannedProgram::plan_run(const PlanTarget& target) {
  if (state_ == State::unseen) {
    state_ = State::seen;
    return nullptr;
  }
  if (state_ == State::unplannable) return nullptr;
  if (fits(target)) return plan_.get();
  plan_.reset();  // first, as it restores the pages that the new plan packs constants from
  planned_for_ = target.pages;
  choices_ = fast::choices();
  release_copy_lanes();
  plan_ = optimize(instructions_, target);
  state_ = plan_ != nullptr ? State::planned : State::unplannable;
  return plan_.get();
}

PlanStatistics PlannedProgram::statistics() const {
  return plan_ != nullptr ? plan_->statistics()
                          : PlanStatistics{.instructions = instructions_.size()};
}

}  // namespace tputwin
