#include "ops/matmul.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const MatmulFloat&) { return "matmul_float"; }

OperandList operands(const MatmulFloat& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const MatmulFloat&, const Chip&) { return {}; }

Cost cost(const MatmulFloat& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const MatmulFloat&, const Memory&) {}

}  // namespace tputwin
