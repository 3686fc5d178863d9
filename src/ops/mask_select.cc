#include "ops/mask_select.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const MaskSelect&) { return "mask_select"; }

OperandList operands(const MaskSelect& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const MaskSelect&, const Chip&) { return {}; }

Cost cost(const MaskSelect& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const MaskSelect&, const Memory&) {}

}  // namespace tputwin
