#include "ops/convert.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const Convert&) { return "convert"; }

OperandList operands(const Convert& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const Convert&, const Chip&) { return {}; }

Cost cost(const Convert& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const Convert&, const Memory&) {}

}  // namespace tputwin
