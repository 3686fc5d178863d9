// Writes and reads operations of every type, by their names.
#include <string_view>

#include "insight/recording/transfer.h"

namespace tputwin::insight::recording {
namespace {

constexpr std::string_view kTypes[] = {
#define TW_ROW(Type, name, ...) #name,
#include "ops/operations.def"
#undef TW_ROW
    "cpu_call"};

void write_fields(Writer& to, const MaskedLanes& op) {
  to.number(op.lanes);
  write(to, *op.operation);
}

template <class Op>
void write_fields(Writer& to, const Op& op) {
  Op copy = op;
  transfer(to, copy);
}

// Returns false for operands that no API creates and kernels do not support.
bool is_sound(const Operation& operation) {
  for (const Operand& operand : operands(operation)) {
    const uint8_t pack = operand.view->pack;
    if (pack != 1 && pack != 2 && pack != 4) return false;
    if (operand.view->shape.count() == 0) return false;
  }
  return true;
}

Operation read_type(Reader& from, std::string_view type, bool may_nest);

Operation read_masked(Reader& from) {
  const uint64_t lanes = from.number();
  std::string type;
  transfer(from, type);
  return MaskedLanes(read_type(from, type, /*may_nest=*/false), lanes);
}

template <class Op>
Operation read_fields(Reader& from) {
  if constexpr (std::is_same_v<Op, MaskedLanes>) {
    return read_masked(from);
  } else {
    Op op{};
    transfer(from, op);
    return op;
  }
}

using ReadFields = Operation (*)(Reader&);
constexpr ReadFields kReaders[] = {
#define TW_ROW(Type, ...) read_fields<Type>,
#include "ops/operations.def"
#undef TW_ROW
    read_fields<CpuCall>};

Operation read_type(Reader& from, std::string_view type, bool may_nest) {
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    if (kTypes[i] != type || (!may_nest && type == "masked_lanes")) continue;
    Operation operation = kReaders[i](from);
    if (!from.failed() && !is_sound(operation)) from.fail("an operand of no elements");
    return from.failed() ? CpuCall{} : operation;
  }
  from.fail("operation " + std::string(type));
  return CpuCall{};
}

}  // namespace

void write(Writer& to, const Operation& operation) {
  std::string type(kTypes[operation.index()]);
  transfer(to, type);
  std::visit([&](const auto& op) { write_fields(to, op); }, operation);
}

Operation read_operation(Reader& from) {
  std::string type;
  transfer(from, type);
  return read_type(from, type, /*may_nest=*/true);
}

}  // namespace tputwin::insight::recording
