#include "ops/load_table.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const LoadTable&) { return "load_table"; }

OperandList operands(const LoadTable& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const LoadTable&, const Chip&) { return {}; }

Cost cost(const LoadTable& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const LoadTable&, const Memory&) {}

}  // namespace tputwin
