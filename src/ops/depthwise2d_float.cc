#include "ops/depthwise2d.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const Depthwise2dFloat&) { return "depthwise2d_float"; }

OperandList operands(const Depthwise2dFloat& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const Depthwise2dFloat&, const Chip&) { return {}; }

Cost cost(const Depthwise2dFloat& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const Depthwise2dFloat&, const Memory&) {}

}  // namespace tputwin
