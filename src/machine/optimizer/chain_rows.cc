// Pass: chains element-wise instructions in a row on tensors of one shape, such as the steps of a
// sigmoid. One kernel computes all of them, tile by tile, and does not write results that only the
// chain reads.
//
// Legal if
// - no other instruction runs between those of the chain. Instructions that were fused do nothing;
// - each of them reads a result of the chain element by element, or bytes that no result shares;
// - results that are not written are read by the chain only, and overwritten before the program
//   ends. If a lookup of the chain finds no entry and so keeps old bytes, the chain runs again,
//   instruction by instruction.
//
//   before: 3 sub                after: 3 sub: kernel
//           4 taylor                    4 taylor: fused into 3
//           5 add                       5 add: fused into 3
#include <algorithm>

#include "machine/optimizer/passes.h"

namespace tputwin {
namespace {

bool is_link(const PlanBuilder& plan, uint32_t i) {
  const PlanStep& step = plan.step(i);
  return step.kernel == nullptr && !step.is_elided && !step.is_fused() &&
         fast::can_chain(plan.graph().op(i), plan.memory());
}

bool is_read_inside(const ProgramGraph& graph, uint32_t i, std::span<const uint32_t> members) {
  const ProgramGraph::Node& node = graph.node(i);
  const auto is_member = [&](uint32_t reader) {
    return std::ranges::find(members, reader) != members.end();
  };
  return node.is_overwritten_by_found && node.constant_readers.empty() &&
         std::ranges::all_of(node.readers, is_member);
}

bool make_chain(PlanBuilder& plan, std::span<const uint32_t> members) {
  std::vector<fast::ChainMember> operations;
  for (const uint32_t i : members)
    operations.push_back({&plan.graph().op(i), is_read_inside(plan.graph(), i, members)});
  auto kernel = fast::prepare_chain(operations, plan.memory());
  if (kernel == nullptr) return false;
  plan.step(members.front()).kernel = std::move(kernel);
  for (const uint32_t i : members) plan.step(i).is_chained = true;
  for (const uint32_t i : members.subspan(1)) plan.step(i).fused_into = members.front();
  return true;
}

// Makes the longest chains, from the first member on.
void chain_members(PlanBuilder& plan, std::span<const uint32_t> members) {
  while (members.size() > 1) {
    size_t count = members.size();
    while (count > 1 && !make_chain(plan, members.first(count))) --count;
    members = members.subspan(count);
  }
}

}  // namespace

void chain_rows(PlanBuilder& plan) {
  std::vector<uint32_t> members;
  const auto close = [&] {
    chain_members(plan, members);
    members.clear();
  };
  for (uint32_t i = 0; i < plan.graph().size(); ++i) {
    if (plan.step(i).begins_section) close();
    if (plan.step(i).is_fused()) continue;
    if (!is_link(plan, i)) {
      close();
      continue;
    }
    const Shape& shape = result_of(plan.graph().op(i)).shape;
    if (!members.empty() && result_of(plan.graph().op(members.front())).shape != shape) close();
    members.push_back(i);
  }
  close();
}

}  // namespace tputwin
