// Pass: shares packed constants among kernels that pack the same bytes in the same way.
//
// Compilers split a layer into slices of its map. All slices load the same weights, at times more
// than once. One packed copy serves them all.
//
// Legal if
// - the loads of both kernels are equal, one by one;
// - both kernels are in one section, so that no call of the host may change the sources in between;
// - the kernels agree on the packed layout (fast::PreparedKernel::share).
//
//   before: 1 conv2d: constants 0 (loads 0)      after: 1 conv2d: constants 0 (loads 0)
//           3 conv2d: constants 1 (loads 2)             3 conv2d: constants 0
#include <algorithm>
#include <map>

#include "machine/optimizer/passes.h"

namespace tputwin {
namespace {

// Returns true if both loads write the same bytes to the same addresses, for equal contents of
// global memory.
bool same_load(const Operation& a, const Operation& b) {
  if (a.index() != b.index()) return false;
  if (const auto* t = std::get_if<DmaTensor>(&a)) {
    const auto& other = std::get<DmaTensor>(b);
    return t->dst == other.dst && t->src == other.src && t->transpose_nc == other.transpose_nc;
  }
  if (const auto* c = std::get_if<Copy>(&a)) {
    const auto& other = std::get<Copy>(b);
    return c->dst == other.dst && c->src.view == other.src.view;
  }
  const auto &m = std::get<DmaMatrix>(a), &other = std::get<DmaMatrix>(b);
  return m.dst == other.dst && m.src == other.src && m.transpose == other.transpose;
}

// Numbers loads. Equal loads get the same number.
class LoadNumbers {
 public:
  explicit LoadNumbers(const ProgramGraph& graph) : graph_(graph) {}
  std::vector<uint32_t> of(const std::vector<uint32_t>& loads) {
    std::vector<uint32_t> numbers;
    for (const uint32_t load : loads) {
      auto& known = by_address_[load_source(graph_.op(load))->address];
      const auto same = std::ranges::find_if(
          known, [&](uint32_t other) { return same_load(graph_.op(load), graph_.op(other)); });
      numbers.push_back(same == known.end() ? load : *same);
      if (numbers.back() == load) known.push_back(load);
    }
    return numbers;
  }

 private:
  const ProgramGraph& graph_;
  std::map<uint64_t, std::vector<uint32_t>> by_address_;
};

}  // namespace

void share_constants(PlanBuilder& plan) {
  LoadNumbers numbers(plan.graph());
  std::map<std::vector<uint32_t>, std::vector<uint32_t>> users;  // steps, by their loads
  std::vector<PlanConstants> shared;
  for (uint32_t i = 0; i < plan.graph().size(); ++i) {
    PlanStep& step = plan.step(i);
    if (step.constants == PlanStep::kNone) continue;
    PlanConstants& own = plan.parts().constants[step.constants];
    auto& known = users[numbers.of(own.loads)];
    const auto same = std::ranges::find_if(known, [&](uint32_t other) {
      return shared[plan.step(other).constants].section == own.section &&
             step.kernel->share(*plan.step(other).kernel);
    });
    if (same != known.end()) {
      step.constants = plan.step(*same).constants;
      continue;
    }
    known.push_back(i);
    step.constants = static_cast<uint32_t>(shared.size());
    shared.push_back(std::move(own));
  }
  plan.parts().constants = std::move(shared);
  for (PlanStep& step : plan.steps())
    if (step.epilogue_constants != PlanStep::kNone)
      step.epilogue_constants = plan.step(step.fused_into).constants;
}

}  // namespace tputwin
