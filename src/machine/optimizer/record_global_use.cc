// Pass: records the global memory that elided loads read, apart from what all other instructions
// touch. Runs that skip the elided loads do not need the pages that only these loads read, so
// PageReleaser may return them to the operating system.
//
//   before: 0 load weight from 0x1000: elided    after: elided loads use 0x1000, others use 0x0
//           1 load map from 0x0
#include "machine/optimizer/passes.h"

namespace tputwin {

void record_global_use(PlanBuilder& plan) {
  PlanParts& parts = plan.parts();
  for (uint32_t i = 0; i < plan.graph().size(); ++i)
    for (const Operand& operand : operands(plan.graph().op(i))) {
      if (operand.view->space != Space::global) continue;
      GlobalRange range = extent_in_global(*operand.view);
      range.bytes += fast::PreparedKernel::kMoveSlack;  // a kernel with a fused load may read it
      (plan.step(i).is_elided ? parts.used_by_elided : parts.used_by_others).push_back(range);
    }
  merge(parts.used_by_elided, 0);
  merge(parts.used_by_others, 0);
}

}  // namespace tputwin
