#include "ops/sequence.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const Sequence&) { return "sequence"; }

OperandList operands(const Sequence& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const Sequence&, const Chip&) { return {}; }

Cost cost(const Sequence& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const Sequence&, const Memory&) {}

}  // namespace tputwin
