// select: contract, cost and reference kernel.
#include "ops/elementwise/select.h"

#include <vector>

#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/source_operands.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684.h"
#include "ops/rules/bm1684x_elementwise.h"

namespace tputwin {
namespace {

using Compare = Select::Compare;

// `same` is true if the bit patterns are equal.
template <class Number>
bool holds(Compare compare, Number a, Number b, bool same) {
  const bool equal = a == b || same;
  switch (compare) {
    case Compare::greater:
      return a > b;
    case Compare::equal_bits:
      return same;
    case Compare::equal:
      return !(a > b) && !(b > a);
    case Compare::less:
      return !(a > b) && !equal;
    case Compare::at_least:
      return a > b || equal;
    case Compare::at_most:
      return !(a > b);
    case Compare::equal_value:
      return equal;
    case Compare::not_equal:
      return !equal;
  }
  return false;
}

Status check_bm1684x(const Select& op, const Chip& chip) {
  return check_bm1684x_sources(operands(op), {&op.a, &op.b}, chip);
}

}  // namespace

bool chooses_first(const Select& op, int32_t a, int32_t b) {
  if (!is_float(op.type))
    return holds(op.compare, integer_value(a, op.type), integer_value(b, op.type), a == b);
  return holds(op.compare, float_value(static_cast<uint32_t>(a), op.type),
               float_value(static_cast<uint32_t>(b), op.type), a == b);
}

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

void attributes(const Select& op, AttributeSink& to) {
  to.constants(op.a, op.b);
  to.constant("if_true", op.if_true);
  to.constant("if_false", op.if_false);
  to.flag("keeps_extreme_bits", op.keeps_extreme_bits);
}

OperandList operands(const Select& op) {
  OperandList list{{"dst_addr", &op.out, Access::write}};
  add_sources(list, op.a, op.b);
  add_source(list, "select0", op.if_true);
  add_source(list, "select1", op.if_false);
  if (op.extreme) list.push_back({"dst0_addr", &*op.extreme, Access::write});
  return list;
}

Status check(const Select& op, const Chip& chip) {
  if (chip.family == ChipFamily::bm1684x) return check_bm1684x(op, chip);
  TW_RETURN_IF_ERROR(check_bm1684_32bit(operands(op), op.out.shape, chip));
  return advise_bm1684_same_npu(operands(op), chip);
}

Cost cost(const Select& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip, 4), op.out.shape.count(), operands(op), chip);
}

// Returns the bits of a or b as the extreme gets them; subnormals of fp32 and bf16 are flushed.
static int32_t extreme_of(int32_t bits, DType dtype) {
  const auto magnitude = static_cast<uint32_t>(bits);
  if (dtype == DType::f32 && (magnitude & 0x7f80'0000) == 0) return bits & INT32_MIN;
  if (dtype == DType::bf16 && (magnitude & 0x7f80) == 0) return bits & 0x8000;
  return bits;
}

// All sources are read before anything is written, because a source may overlap a result.
void execute(const Select& op, const Memory& memory) {
  std::vector<int32_t> chosen, extremes;
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const int32_t a = op.a.read(memory, n, c, h, w), b = op.b.read(memory, n, c, h, w);
    const bool first = chooses_first(op, a, b);
    chosen.push_back((first ? op.if_true : op.if_false).read(memory, n, c, h, w));
    const int32_t extreme = first ? a : b;
    if (op.extreme)
      extremes.push_back(op.keeps_extreme_bits ? extreme : extreme_of(extreme, op.type));
  });
  size_t i = 0;
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    if (op.extreme) memory.write(*op.extreme, n, c, h, w, extremes[i]);
    memory.write(op.out, n, c, h, w, chosen[i++]);
  });
}

}  // namespace tputwin
