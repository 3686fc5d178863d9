#include "ops/conv2d.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const Conv2dQuant&) { return "conv2d_quant"; }

OperandList operands(const Conv2dQuant& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const Conv2dQuant&, const Chip&) { return {}; }

Cost cost(const Conv2dQuant& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const Conv2dQuant&, const Memory&) {}

}  // namespace tputwin
