// copy_add: contract, cost and reference kernel.
#include "ops/move/copy_add.h"

#include "base/errors/okkernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684.h"

namespace tputwin {

std::string_view name(const CopyAdd&) { return "dma_copy_add"; }

void attributes(const CopyAdd&, AttributeSink&) {}

OperandList operands(const CopyAdd& op) {
  return {{"dst_addr", &op.out, Access::read_write}, {"src_addr", &op.in, Access::read}};
}

Status check(const CopyAdd& op, const Chip& chip) {
  return check_bm1684_32bit(operands(op), op.out.shape, chip);
}

Cost cost(const CopyAdd& op, const Chip& chip) {
  return transfer_cost(op.out, op.in, op.out.shape.count() * 4, chip);
}

void execute(const CopyAdd& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    memory.write_f32(
        op.out, n, c, h, w,
        f32::add(memory.read_f32(op.out, n, c, h, w), memory.read_f32(op.in, n, c, h, w)));
  });
}

}  // namespace tputwin
