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
  const auto weights_of = [](const auto& op) {
    OperandList list{{"weight", &op.weight, Access::read}};
    if (op.bias) list.push_back({"bias", &*op.bias, Access::read});
    return list;
  };
  if (const auto* conv = std::get_if<Conv2dBm1880>(&operation)) return weights_of(*conv);
  if (const auto* op = std::get_if<Depthwise2dBm1880>(&operation)) return weights_of(*op);
  return {};
}

std::unique_ptr<PreparedBody> prepare(const Operation& operation, const Memory& memory) {
  if (!vectors_enabled() || is_off_or_spoilt(operation.index())) return nullptr;
  if (const auto* conv = std::get_if<Conv2dBm1880>(&operation)) return prepare(*conv, memory);
  if (const auto* op = std::get_if<Depthwise2dBm1880>(&operation)) return prepare(*op, memory);
  return nullptr;
}

}  // namespace tputwin::fast
