#include "ops/select.h"

#include <bit>
#include <type_traits>

#include "ops/elements.h"
#include "ops/okk_checks.h"
#include "ops/timing.h"
#include "ops/tpu_elementwise.h"

namespace tputwin {
namespace {

using Compare = Select::Compare;

// The unsigned type of a number's size.
template <class Number>
using MakeUnsigned = std::conditional_t<sizeof(Number) == 4, uint32_t, uint64_t>;

template <class Number>
bool holds(Compare compare, Number a, Number b) {
  switch (compare) {
    case Compare::greater:
      return a > b;
    case Compare::equal_bits:
      return std::bit_cast<MakeUnsigned<Number>>(a) == std::bit_cast<MakeUnsigned<Number>>(b);
    case Compare::equal:
      return !(a > b) && !(b > a);
    case Compare::less:
      return !(a >= b);
    case Compare::at_least:
      return a >= b;
    case Compare::at_most:
      return !(a > b);
    case Compare::equal_value:
      return a == b;
    case Compare::not_equal:
      return a != b;
  }
  return false;
}

bool holds(const Select& op, int32_t a, int32_t b) {
  if (!is_float(op.type))
    return holds(op.compare, integer_value(a, op.type), integer_value(b, op.type));
  return holds(op.compare, float_value(static_cast<uint32_t>(a), op.type),
               float_value(static_cast<uint32_t>(b), op.type));
}

Status check_tpu(const Select& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_tpu_sources(operands(op), {&op.a, &op.b}, chip));
  return advise_tpu_overlap(operands(op), chip);
}

}  // namespace

std::string_view to_string(Compare compare) {
  constexpr std::string_view kNames[] = {"greater",  "equal_bits", "equal",       "less",
                                         "at_least", "at_most",    "equal_value", "not_equal"};
  return kNames[static_cast<size_t>(compare)];
}

std::string_view name(const Select& op) {
  constexpr std::string_view kNames[] = {
      "select_greater",  "select_equal_bits", "select_equal",       "select_less",
      "select_at_least", "select_at_most",    "select_equal_value", "select_not_equal"};
  return kNames[static_cast<size_t>(op.compare)];
}

OperandList operands(const Select& op) {
  OperandList list{{"dst_addr", &op.out, Access::write}};
  add_sources(list, op.a, op.b);
  if (!op.if_true.is_constant) list.push_back({"select0", &op.if_true.view, Access::read});
  if (!op.if_false.is_constant) list.push_back({"select1", &op.if_false.view, Access::read});
  if (op.extreme) list.push_back({"dst0_addr", &*op.extreme, Access::write});
  return list;
}

Status check(const Select& op, const Chip& chip) {
  if (is_tpu(chip)) return check_tpu(op, chip);
  TW_RETURN_IF_ERROR(check_bdc_32bit(operands(op), op.out.shape));
  return advise_same_npu(operands(op), chip);
}

Cost cost(const Select& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip, 4), op.out.shape.count(), operands(op), chip);
}

void execute(const Select& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const int32_t a = op.a.read(memory, n, c, h, w), b = op.b.read(memory, n, c, h, w);
    const bool first = holds(op, a, b);
    const Source& chosen = first ? op.if_true : op.if_false;
    const int32_t value = chosen.read(memory, n, c, h, w);
    if (op.extreme) memory.write(*op.extreme, n, c, h, w, first ? a : b);
    memory.write(op.out, n, c, h, w, value);
  });
}

}  // namespace tputwin
