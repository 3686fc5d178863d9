#include "ops/unary.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const Unary&) { return "unary"; }

OperandList operands(const Unary& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const Unary&, const Chip&) { return {}; }

Cost cost(const Unary& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const Unary&, const Memory&) {}

}  // namespace tputwin
