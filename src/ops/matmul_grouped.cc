#include "ops/matmul.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const MatmulGrouped&) { return "matmul_grouped"; }

OperandList operands(const MatmulGrouped& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const MatmulGrouped&, const Chip&) { return {}; }

Cost cost(const MatmulGrouped& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const MatmulGrouped&, const Memory&) {}

}  // namespace tputwin
