#include "ops/pool2d.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const Pool2dFloat&) { return "pool2d_float"; }

OperandList operands(const Pool2dFloat& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const Pool2dFloat&, const Chip&) { return {}; }

Cost cost(const Pool2dFloat& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const Pool2dFloat&, const Memory&) {}

}  // namespace tputwin
