// Shares packed inputs among kernels. Slices of a layer read the same map, and branches of a net
// the same result. The first kernel packs it, the later ones reuse the packed copy.
#include <algorithm>
#include <array>

#include "machine/device.h"
#include "machine/optimizer/executable_plan.h"
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

// Packed inputs whose source is unchanged, each in a slot of PreparedBody::kRooms. A large copy
// always replaces slot 0. A small copy replaces the least recently used of the other slots. Few
// slots are enough, because bands of a map and slices of weights alternate.
class Copies {
 public:
  explicit Copies(const LocalMemory& local) : local_(local) {}

  // Returns true if the kernel can reuse a copy; if false, it makes one.
  bool finds(fast::PreparedBody& body) {
    for (Room& room : rooms_)
      if (room.body != nullptr && body.share_copy(*room.body)) {
        room.used_at = ++time_;
        return true;
      }
    const bool is_small = body.copied().bytes <= kSmall;
    const auto place =
        is_small ? std::ranges::min_element(rooms_.begin() + 1, rooms_.end(), {}, &Room::used_at)
                 : rooms_.begin();
    *place = {&body, ++time_};
    body.copy_to(static_cast<uint32_t>(place - rooms_.begin()));
    return false;
  }
  void see_writes_of(const Operation& op) {
    for (Room& room : rooms_)
      if (room.body != nullptr && writes_to(op, *room.body->copied().input, local_)) room = {};
  }
  void forget() { rooms_ = {}; }

 private:
  // Slots take memory in addition to a model's.
  static constexpr size_t kSmall = 64 << 10;
  struct Room {
    const fast::PreparedBody* body = nullptr;
    uint64_t used_at = 0;
  };
  const LocalMemory& local_;
  std::array<Room, fast::PreparedBody::kRooms> rooms_;
  uint64_t time_ = 0;
};

}  // namespace

// Visits steps in execution order, each with the steps fused into it. A call of the host may write
// anywhere.
void Plan::share_copies(const LocalMemory& local) {
  std::vector<std::vector<uint32_t>> absorbed(steps_.size());
  for (uint32_t i = 0; i < steps_.size(); ++i)
    if (steps_[i].absorbed()) absorbed[steps_[i].absorbed_by].push_back(i);
  Copies copies(local);
  for (uint32_t i = 0; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    if (step.absorbed()) continue;
    if (step.body != nullptr && step.body->copied().input != nullptr)
      step.finds_copy = copies.finds(*step.body);
    if (program_[i].engine == Engine::cpu) copies.forget();
    copies.see_writes_of(program_[i].op);
    for (const uint32_t other : absorbed[i]) copies.see_writes_of(program_[other].op);
  }
}

}  // namespace tputwin
