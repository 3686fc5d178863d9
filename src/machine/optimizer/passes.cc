// Runs the passes in their order.
#include "machine/optimizer/passes.h"

namespace tputwin {

void run_passes(PlanBuilder& plan) {
  for (const Pass& pass : kPasses) pass.run(plan);
}

}  // namespace tputwin
