// Lists the operations that have prepared kernels, and tracks when these become invalid.
#include "ops/fast/prepared/prepared.h"

#include <atomic>
#include <concepts>

#include "ops/fast/dispatch/isa.h"
#include "ops/fast/dispatch/kernel_switches.h"
#include "ops/operation.h"
#include "ops/source_copies.h"

namespace tputwin::fast {
namespace {

std::atomic<uint64_t> changes{0};

// Adds a tensor to the constants. A source with one value for all is skipped.
void add(OperandList& list, std::string_view name, const TensorView& view) {
  list.push_back({name, &view, Access::read});
}
void add(OperandList& list, std::string_view name, const Source& source) {
  if (!source.is_constant) add(list, name, source.view);
}
void add(OperandList& list, std::string_view name, const std::optional<TensorView>& view) {
  if (view) add(list, name, *view);
}

template <class Op>
concept HasWeightAndBias = std::same_as<Op, Conv2dBm1880> || std::same_as<Op, Depthwise2dBm1880> ||
    std::same_as<Op, Conv2dBm1684> || std::same_as<Op, Conv2dBm1684Int8> ||
    std::same_as<Op, Depthwise2dBm1684xInt8> || std::same_as<Op, Conv2dBm1684xFloat>;

template <HasWeightAndBias Op>
void add_constants(const Op& op, OperandList& list) {
  add(list, "weight", op.weight);
  add(list, "bias", op.bias);
}
void add_constants(const Conv2dBm1684xInt8& op, OperandList& list) {
  add(list, "weight", op.weight);
  add(list, "bias", op.bias);
  add(list, "zero_point", op.zero_point);
}

template <class Op>
constexpr bool has_prepared_kernel = requires(Op op, OperandList& list) {
  add_constants(op, list);
};

// Kernels without constants.
template <class Op>
concept IsByteMap = std::same_as<Op, TableLookup>;

}  // namespace

uint64_t choices() { return changes.load(std::memory_order_relaxed); }
void choices_changed() { changes.fetch_add(1, std::memory_order_relaxed); }

OperandList constant_operands(const Operation& operation) {
  return std::visit(
      [](const auto& op) {
        OperandList list;
        if constexpr (has_prepared_kernel<decltype(op)>) add_constants(op, list);
        return list;
      },
      static_cast<const AnyOperation&>(operation));
}

bool may_prepare(const Operation& operation) {
  return vectors_enabled() && !is_off_or_spoilt(operation.index());
}

std::unique_ptr<PreparedKernel> prepare(const Operation& operation, const Memory& memory) {
  if (!may_prepare(operation) || needs_copies(operation, memory.local)) return nullptr;
  if (std::holds_alternative<IntArithmetic>(operation))
    return prepare(ByteSum{.first = &operation}, memory);
  return std::visit(
      [&](const auto& op) -> std::unique_ptr<PreparedKernel> {
        if constexpr (has_prepared_kernel<decltype(op)>) {
          OperandList list;
          add_constants(op, list);
          if (list.size() != 0) return prepare(op, memory);
        } else if constexpr (IsByteMap<std::remove_cvref_t<decltype(op)>>) {
          return prepare(op, memory);
        }
        return nullptr;
      },
      static_cast<const AnyOperation&>(operation));
}

}  // namespace tputwin::fast
