#include "ops/rearrange.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const Rearrange&) { return "rearrange"; }

OperandList operands(const Rearrange& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const Rearrange&, const Chip&) { return {}; }

Cost cost(const Rearrange& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const Rearrange&, const Memory&) {}

}  // namespace tputwin
