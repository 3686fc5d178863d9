#include "ops/lut.h"

#include "ops/elements.h"
#include "ops/timing.h"
#include "ops/tpu_checks.h"

namespace tputwin {

std::string_view name(const TableLookup&) { return "table_lookup"; }

OperandList operands(const TableLookup& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const TableLookup&, const Chip&) { return {}; }

Cost cost(const TableLookup& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip), op.out.shape.count(), operands(op), chip);
}

void execute(const TableLookup&, const Memory&) {}

}  // namespace tputwin
