// Which operations have bodies that keep something, and when what they keep no longer holds.
#include "ops/fast/prepared/prepared.h"

#include <atomic>

#include "ops/fast/select/bodies.h"
#include "ops/fast/select/isa.h"
#include "ops/operation.h"

namespace tputwin::fast {
namespace {

std::atomic<uint64_t> changes{0};

}  // namespace

uint64_t choices() { return changes.load(std::memory_order_relaxed); }
void choices_changed() { changes.fetch_add(1, std::memory_order_relaxed); }

OperandList constant_operands(const Operation& operation) {
  const auto* conv = std::get_if<Conv2dBm1880>(&operation);
  if (conv == nullptr) return {};
  OperandList list{{"weight", &conv->weight, Access::read}};
  if (conv->bias) list.push_back({"bias", &*conv->bias, Access::read});
  return list;
}

std::unique_ptr<PreparedBody> prepare(const Operation& operation, const Memory& memory) {
  if (!vectors_enabled() || is_off_or_spoilt(operation.index())) return nullptr;
  if (const auto* conv = std::get_if<Conv2dBm1880>(&operation)) return prepare(*conv, memory);
  return nullptr;
}

}  // namespace tputwin::fast
