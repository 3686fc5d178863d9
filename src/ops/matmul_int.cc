#include "ops/matmul.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const MatmulInt&) { return "matmul_int"; }

OperandList operands(const MatmulInt& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const MatmulInt&, const Chip&) { return {}; }

Cost cost(const MatmulInt& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const MatmulInt&, const Memory&) {}

}  // namespace tputwin
