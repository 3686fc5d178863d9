// Pass: groups instructions in a row that work inside lanes, such as the steps of a sigmoid or a
// softmax. One kernel executes the whole group, range of lanes by range of lanes.
//
// Legal if
// - each lane that an instruction writes depends on bytes of the same lane only, so that lanes may
//   execute the group in any order;
// - no other instruction runs between those of the group. Instructions that were fused do nothing.
//
//   before: 3 sub                after: 3 sub: kernel
//           4 exp                       4 exp: fused into 3
//           5 add                       5 add: fused into 3
#include "machine/optimizer/passes.h"

namespace tputwin {
namespace {

bool can_join(const PlanBuilder& plan, uint32_t i) {
  const PlanStep& step = plan.step(i);
  return step.kernel == nullptr && !step.is_elided &&
         fast::works_inside_lanes(plan.graph().op(i), plan.memory());
}

// Makes a group of the instructions, of which the first one gets the kernel.
void group(PlanBuilder& plan, const std::vector<uint32_t>& members) {
  if (members.size() < 2) return;
  std::vector<const Operation*> operations;
  for (const uint32_t i : members) {
    operations.push_back(&plan.graph().op(i));
    if (i != members.front()) plan.step(i).fused_into = members.front();
  }
  plan.step(members.front()).kernel = fast::prepare_lane_group(operations, plan.memory());
}

}  // namespace

void group_lanes(PlanBuilder& plan) {
  std::vector<uint32_t> members;
  for (uint32_t i = 0; i < plan.graph().size(); ++i) {
    if (plan.step(i).begins_section) {
      group(plan, members);
      members.clear();
    }
    if (plan.step(i).is_fused()) continue;
    if (can_join(plan, i)) {
      members.push_back(i);
      continue;
    }
    group(plan, members);
    members.clear();
  }
  group(plan, members);
}

}  // namespace tputwin
