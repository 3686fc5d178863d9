// Pass: elides loads whose bytes only packed constants need, and loads whose bytes nothing reads.
// Runs skip such a load while all these constants are packed.
//
// Legal if
// - all readers are kernels that keep the bytes packed, or epilogues whose kernel keeps them;
// - the bytes are overwritten before the program ends and before the host is called.
//
// Local memory is stale there in between, but every byte is overwritten before an instruction reads
// it.
//
//   before: 0 load weight                     after: 0 load weight: elided, constants 0 need it
//           1 conv2d: kernel, constants 0            1 conv2d: kernel, constants 0
//           2 load map over the weight               2 load map over the weight
#include "machine/optimizer/passes.h"

namespace tputwin {

void elide_constant_loads(PlanBuilder& plan) {
  for (uint32_t i = 0; i < plan.graph().size(); ++i) {
    if (!plan.graph().node(i).is_overwritten) continue;
    auto needed_by = constants_that_need(plan, i);
    if (!needed_by) continue;
    plan.step(i).is_elided = true;
    plan.step(i).needed_by = std::move(*needed_by);
  }
}

}  // namespace tputwin
