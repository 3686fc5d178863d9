// Fast kernels that are switched off, and those that tests spoil.
#include "ops/fast/dispatch/kernel_switches.h"

#include <atomic>

#include "ops/fast/prepared/prepared.h"
#include "ops/operation.h"

namespace tputwin::fast {
namespace {

// Each alternative of Operation has one bit.
std::atomic<uint64_t> off{0}, spoilt{0};
static_assert(std::variant_size_v<AnyOperation> <= 64);

constexpr uint64_t bit(size_t alternative) { return uint64_t{1} << alternative; }

}  // namespace

void switch_off(size_t alternative) {
  off.fetch_or(bit(alternative), std::memory_order_relaxed);
  choices_changed();
}
bool is_switched_off(size_t alternative) {
  return (off.load(std::memory_order_relaxed) & bit(alternative)) != 0;
}
void switch_all_on() {
  off.store(0, std::memory_order_relaxed);
  choices_changed();
}
bool is_off_or_spoilt(size_t alternative) {
  return ((off.load(std::memory_order_relaxed) | spoilt.load(std::memory_order_relaxed)) &
          bit(alternative)) != 0;
}

void spoil_kernel(size_t alternative) {
  spoilt.fetch_or(bit(alternative), std::memory_order_relaxed);
  choices_changed();
}
void spoil_none() {
  spoilt.store(0, std::memory_order_relaxed);
  choices_changed();
}

void spoil_result(const Operation& operation, const Memory& memory) {
  const uint64_t mask = spoilt.load(std::memory_order_relaxed);
  if (mask == 0 || (mask & bit(operation.index())) == 0) [[likely]]
    return;
  for (const Operand& operand : operands(operation)) {
    if (operand.access == Access::read || operand.view->shape.count() == 0) continue;
    *memory.byte(*operand.view, 0, 0, 0, 0) ^= 1;
    return;
  }
}

}  // namespace tputwin::fast
