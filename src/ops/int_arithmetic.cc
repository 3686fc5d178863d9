#include "ops/int_arithmetic.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const IntArithmetic&) { return "int_arithmetic"; }

OperandList operands(const IntArithmetic& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const IntArithmetic&, const Chip&) { return {}; }

Cost cost(const IntArithmetic& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const IntArithmetic&, const Memory&) {}

}  // namespace tputwin
