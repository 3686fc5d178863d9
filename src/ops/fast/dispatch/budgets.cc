// The budgets in force.
#include "ops/fast/dispatch/budgets.h"

#include "ops/fast/prepared/prepared.h"

namespace tputwin::fast {
namespace {

Budgets in_force;

}  // namespace

const Budgets& budgets() { return in_force; }
void set_budgets(const Budgets& budgets) {
  in_force = budgets;
  choices_changed();
}

}  // namespace tputwin::fast
