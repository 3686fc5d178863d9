// Pass: gives each kernel the list of the elided loads of its constants. A kernel that meets an
// element which only the reference kernel computes (NaN) has these loads executed late, because the
// reference kernel reads the operands themselves.
//
//   before: 0 load weight: elided             after: 0 load weight: elided
//           1 conv2d: kernel, constants 0            1 conv2d: kernel, constants 0, restores 0
#include <algorithm>

#include "machine/optimizer/passes.h"

namespace tputwin {

void make_loads_restorable(PlanBuilder& plan) {
  const auto runs = [&](uint32_t load) {
    return load == ProgramGraph::kBefore || !plan.step(load).is_elided;
  };
  for (uint32_t i = 0; i < plan.graph().size(); ++i) {
    if (plan.step(i).constants == PlanStep::kNone) continue;
    std::vector<uint32_t> loads = plan.graph().node(i).constant_writers;
    std::erase_if(loads, runs);
    plan.step(i).restorable_loads = std::move(loads);
  }
}

}  // namespace tputwin
