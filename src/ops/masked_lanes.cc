// masked_lanes: contract, cost and reference kernel, which are those of the masked operation.
#include "ops/masked_lanes.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/contract/attributes.h"
#include "ops/kept_lanes.h"
#include "ops/operation.h"

namespace tputwin {

MaskedLanes::MaskedLanes(const Operation& masked, uint64_t mask)
    : engine(tputwin::engine(masked)),
      operation(std::make_shared<const Operation>(masked)),
      lanes(mask) {}

std::string_view name(const MaskedLanes& op) { return name(*op.operation); }

void attributes(const MaskedLanes& op, AttributeSink& to) {
  attributes(*op.operation, to);
  to.word("lanes", fmt::format("{:#x}", op.lanes));
}

// Results keep their values in lanes outside the mask, so they are operands with old values.
OperandList operands(const MaskedLanes& op) {
  OperandList list;
  for (Operand operand : operands(*op.operation)) {
    if (operand.access == Access::write && operand.view->space == Space::local)
      operand.access = Access::read_write;
    list.push_back(operand);
  }
  return list;
}

Footprint footprint(const MaskedLanes& op, const Chip& chip) {
  Footprint f = footprint(*op.operation, chip);
  std::erase_if(f.writes, [&](const ByteRange& range) {
    return range.space == Space::local && (op.lanes >> range.lane & 1) == 0;
  });
  std::ranges::copy_if(f.writes, std::back_inserter(f.reads),
                       [](const ByteRange& range) { return range.space == Space::local; });
  sort_and_merge(f.reads);
  return f;
}

Status check(const MaskedLanes& op, const Chip& chip) { return check(*op.operation, chip); }
Cost cost(const MaskedLanes& op, const Chip& chip) { return cost(*op.operation, chip); }

void execute(const MaskedLanes& op, const Memory& memory) {
  const KeptLanes kept(op.lanes, memory.local);
  execute(*op.operation, memory, KernelChoice::reference);
}

}  // namespace tputwin
