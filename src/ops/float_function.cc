#include "ops/float_function.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const FloatFunction&) { return "float_function"; }

OperandList operands(const FloatFunction& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const FloatFunction&, const Chip&) { return {}; }

Cost cost(const FloatFunction& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const FloatFunction&, const Memory&) {}

}  // namespace tputwin
