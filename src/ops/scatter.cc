#include "ops/scatter.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const Scatter&) { return "scatter"; }

OperandList operands(const Scatter& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const Scatter&, const Chip&) { return {}; }

Cost cost(const Scatter& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const Scatter&, const Memory&) {}

}  // namespace tputwin
