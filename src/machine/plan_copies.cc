// Copies of inputs that several bodies make: slices of a layer read the same map, branches of a net
// the same result. The first one packs it, the others find it packed.
#include <algorithm>

#include "machine/device.h"
#include "machine/plan.h"
#include "ops/fast/views/views.h"

namespace tputwin {
namespace {

bool may_touch(const TensorView& a, const TensorView& b, const LocalMemory& local) {
  if (a.space != b.space) return false;
  if (a.space == Space::global) return intersect(extent_in_global(a), extent_in_global(b));
  return !fast::disjoint(a, b, local);
}

bool writes_to(const Operation& op, const TensorView& view, const LocalMemory& local) {
  return std::ranges::any_of(operands(op), [&](const Operand& operand) {
    return operand.access != Access::read && may_touch(*operand.view, view, local);
  });
}

}  // namespace

// In the order in which steps run, each with all that its body does for others. A call of the host
// may write anywhere.
void Plan::share_copies(const LocalMemory& local) {
  std::vector<std::vector<uint32_t>> absorbed(steps_.size());
  for (uint32_t i = 0; i < steps_.size(); ++i)
    if (steps_[i].absorbed()) absorbed[steps_[i].absorbed_by].push_back(i);
  const fast::PreparedBody* copy = nullptr;  // whose copy is what it copied, still
  const auto is_written = [&](uint32_t writer) {
    return writes_to(program_[writer].op, *copy->copied_input(), local);
  };
  for (uint32_t i = 0; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    if (step.absorbed()) continue;
    if (step.body != nullptr && step.body->copied_input() != nullptr) {
      step.finds_copy = copy != nullptr && step.body->share_copy(*copy);
      if (!step.finds_copy) copy = step.body.get();
    }
    if (copy != nullptr && (program_[i].engine == Engine::cpu || is_written(i) ||
                            std::ranges::any_of(absorbed[i], is_written)))
      copy = nullptr;
  }
}

}  // namespace tputwin
