#include "ops/requantise.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const Requantise&) { return "requantise"; }

OperandList operands(const Requantise& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const Requantise&, const Chip&) { return {}; }

Cost cost(const Requantise& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const Requantise&, const Memory&) {}

}  // namespace tputwin
