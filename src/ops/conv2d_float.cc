#include "ops/conv2d.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const Conv2dFloat&) { return "conv2d_float"; }

OperandList operands(const Conv2dFloat& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const Conv2dFloat&, const Chip&) { return {}; }

Cost cost(const Conv2dFloat& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const Conv2dFloat&, const Memory&) {}

}  // namespace tputwin
