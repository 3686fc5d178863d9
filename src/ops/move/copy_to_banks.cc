// copy_to_banks: contract, cost and reference kernel.
#include "ops/move/copy_to_banks.h"

#include "ops/contract/attributes.h"

namespace tputwin {

std::string_view name(const CopyToBanks&) { return "dma_copy_to_banks"; }

void attributes(const CopyToBanks&, AttributeSink&) {}

OperandList operands(const CopyToBanks& op) {
  OperandList list;
  for (const TensorView& dst : op.dst) list.push_back({"dst_addr", &dst, Access::write});
  list.push_back({"src_addr", &op.src, Access::read});
  return list;
}

// Returns an error of any copy before a warning of any.
Status check(const CopyToBanks& op, const Chip& chip) {
  Status worst;
  for (const TensorView& dst : op.dst) {
    Status status = check(copy_to(op, dst), chip);
    if (status.ok()) continue;
    if (status.error().info().level == Level::error) return status;
    if (worst.ok()) worst = std::move(status);
  }
  return worst;
}

// One transfer that is stored four times.
Cost cost(const CopyToBanks& op, const Chip& chip) {
  Cost all = cost(copy_to(op, op.dst[0]), chip);
  for (size_t i = 1; i < op.dst.size(); ++i) {
    const Cost one = cost(copy_to(op, op.dst[i]), chip);
    all.compute_cycles += one.compute_cycles;
    all.local_bytes += one.local_bytes;
    all.global_bytes += one.global_bytes;
  }
  return all;
}

void execute(const CopyToBanks& op, const Memory& memory) {
  for (const TensorView& dst : op.dst) execute(copy_to(op, dst), memory);
}

}  // namespace tputwin
