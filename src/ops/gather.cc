#include "ops/gather.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const Gather&) { return "gather"; }

OperandList operands(const Gather& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const Gather&, const Chip&) { return {}; }

Cost cost(const Gather& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const Gather&, const Memory&) {}

}  // namespace tputwin
