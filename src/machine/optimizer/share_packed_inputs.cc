// Pass: shares packed inputs among kernels. Slices of a layer read the same map, and branches of a
// network the same result. The first kernel packs the map into a slot of its thread; later kernels
// reuse the packed copy.
//
// Legal if
// - the earlier kernel runs in every run;
// - both kernels pack the same view in the same way (fast::PreparedKernel::share_copy);
// - nothing writes to the view in between, where a call of the host may write anywhere;
// - no other kernel packs into that slot in between.
//
//   before: 1 conv2d: kernel        after: 1 conv2d: kernel
//           2 conv2d: kernel               2 conv2d: kernel, shares input
#include <algorithm>
#include <array>

#include "machine/optimizer/passes.h"
#include "ops/fast/views/views.h"

namespace tputwin {
namespace {

bool may_overlap(const TensorView& a, const TensorView& b, const LocalMemory& local) {
  if (a.space != b.space) return false;
  if (a.space == Space::global) return intersect(extent_in_global(a), extent_in_global(b));
  return !fast::disjoint(a, b, local);
}

bool may_write_to(const Operation& op, const TensorView& view, const LocalMemory& local) {
  return std::ranges::any_of(operands(op), [&](const Operand& operand) {
    return operand.access != Access::read && may_overlap(*operand.view, view, local);
  });
}

// Packed inputs whose source is unchanged, each in a slot of PreparedKernel::kInputSlots. A large
// input always replaces slot 0. A small input replaces the least recently used of the other slots.
// Few slots are enough, because bands of a map and slices of weights alternate.
class PackedInputs {
 public:
  explicit PackedInputs(const LocalMemory& local) : local_(local) {}

  // Returns true if the kernel can reuse a packed input. If false, it packs its input into a slot.
  bool share(fast::PreparedKernel& kernel) {
    for (Slot& slot : slots_)
      if (slot.kernel != nullptr && kernel.share_copy(*slot.kernel)) {
        slot.used_at = ++time_;
        return true;
      }
    const bool is_small = kernel.copied().bytes <= kMostSmallBytes;
    const auto slot =
        is_small ? std::ranges::min_element(slots_.begin() + 1, slots_.end(), {}, &Slot::used_at)
                 : slots_.begin();
    *slot = {&kernel, ++time_};
    kernel.copy_to(static_cast<uint32_t>(slot - slots_.begin()));
    return false;
  }
  // Drops the inputs that an instruction may overwrite.
  void drop_written_by(const Operation& op) {
    for (Slot& slot : slots_)
      if (slot.kernel != nullptr && may_write_to(op, *slot.kernel->copied().input, local_))
        slot = {};
  }
  void drop_all() { slots_ = {}; }

 private:
  // kMostSmallBytes is the largest size of a small input. It is low, because slots take memory in
  // addition to a model's.
  static constexpr size_t kMostSmallBytes = 64 << 10;
  struct Slot {
    const fast::PreparedKernel* kernel = nullptr;
    uint64_t used_at = 0;
  };
  const LocalMemory& local_;
  std::array<Slot, fast::PreparedKernel::kInputSlots> slots_;
  uint64_t time_ = 0;
};

// Returns for each step the steps that are fused into it.
std::vector<std::vector<uint32_t>> fused_steps(const PlanBuilder& plan) {
  std::vector<std::vector<uint32_t>> fused(plan.steps().size());
  for (uint32_t i = 0; i < plan.steps().size(); ++i)
    if (plan.step(i).is_fused()) fused[plan.step(i).fused_into].push_back(i);
  return fused;
}

}  // namespace

// Visits steps in execution order, each with the steps fused into it.
void share_packed_inputs(PlanBuilder& plan) {
  const auto fused = fused_steps(plan);
  const auto program = plan.graph().program();
  PackedInputs inputs(plan.local());
  for (uint32_t i = 0; i < program.size(); ++i) {
    PlanStep& step = plan.step(i);
    if (step.is_fused()) continue;
    if (step.kernel != nullptr && step.kernel->copied().input != nullptr)
      step.shares_input = inputs.share(*step.kernel);
    if (program[i].engine == Engine::cpu) inputs.drop_all();
    inputs.drop_written_by(program[i].op);
    for (const uint32_t other : fused[i]) inputs.drop_written_by(program[other].op);
  }
}

}  // namespace tputwin
