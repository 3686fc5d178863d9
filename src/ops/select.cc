#include "ops/select.h"

#include "ops/elements.h"
#include "ops/okk_checks.h"
#include "ops/timing.h"

namespace tputwin {
namespace {

using Compare = Select::Compare;

bool holds(Compare compare, float a, float b) {
  switch (compare) {
    case Compare::greater:
      return a > b;
    case Compare::equal_bits:
      return f32::bits(a) == f32::bits(b);
    case Compare::equal:
      return !(a > b) && !(b > a);
  }
  return false;
}

}  // namespace

std::string_view to_string(Compare compare) {
  constexpr std::string_view kNames[] = {"greater", "equal_bits", "equal"};
  return kNames[static_cast<size_t>(compare)];
}

std::string_view name(const Select& op) {
  constexpr std::string_view kNames[] = {"select_greater", "select_equal_bits", "select_equal"};
  return kNames[static_cast<size_t>(op.compare)];
}

OperandList operands(const Select& op) {
  OperandList list{{"dst_addr", &op.out, Access::write}};
  add_sources(list, op.a, op.b);
  if (!op.if_true.is_constant) list.push_back({"select0", &op.if_true.view, Access::read});
  if (!op.if_false.is_constant) list.push_back({"select1", &op.if_false.view, Access::read});
  return list;
}

Status check(const Select& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bdc_32bit(operands(op), op.out.shape));
  return advise_same_npu(operands(op), chip);
}

Cost cost(const Select& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip, 4), op.out.shape.count(), operands(op), chip);
}

void execute(const Select& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const float a = op.a.read_f32(memory, n, c, h, w), b = op.b.read_f32(memory, n, c, h, w);
    const Source& chosen = holds(op.compare, a, b) ? op.if_true : op.if_false;
    memory.write(op.out, n, c, h, w, chosen.read(memory, n, c, h, w));
  });
}

}  // namespace tputwin
