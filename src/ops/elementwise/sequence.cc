// sequence: contract, cost and reference kernel.
#include "ops/elementwise/sequence.h"

#include "base/errors/tpukernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684x.h"

namespace tputwin {

std::string_view name(const Sequence&) { return "sequence"; }

void attributes(const Sequence& op, AttributeSink& to) {
  to.bits("start", op.start);
  to.bits("step_c", op.step_c);
  to.bits("step_w", op.step_w);
  to.flag("by_lane", op.by_lane);
}

OperandList operands(const Sequence& op) { return {{"dst_addr", &op.out, Access::write}}; }

// The number of terms sets the length of a sequence; no extent limits it.
Status check(const Sequence& op, const Chip& chip) {
  const TensorView& out = op.out;
  TW_RETURN_IF_ERROR(require(out.space == Space::local, errors::tpu_space, "dst_addr", out));
  TW_RETURN_IF_ERROR(require(is_run(out), errors::tpu_element, "dst_addr", out));
  TW_RETURN_IF_ERROR(require(out.address % element_bytes(out.dtype) == 0,
                             errors::tpu_address_element, "dst_addr", out));
  return check_bm1684x_npu_0("dst_addr", out, chip);
}

Cost cost(const Sequence& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip, element_bytes(op.out.dtype)),
                      op.out.shape.count(), operands(op), chip);
}

namespace {

uint32_t saturated_sum(uint32_t a, uint32_t b) {
  const int64_t sum = int64_t{static_cast<int32_t>(a)} + static_cast<int32_t>(b);
  return static_cast<uint32_t>(saturate(sum, DType::i32));
}

}  // namespace

void execute(const Sequence& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const uint32_t row = op.start + op.step_w * w;
    const uint32_t lane = c % memory.local.lanes();
    const uint32_t value =
        op.by_lane ? saturated_sum(saturated_sum(row, op.step_c * lane), op.step_c * (c - lane))
                   : row + op.step_c * c;
    memory.write(op.out, n, c, h, w, static_cast<int32_t>(value));
  });
}

}  // namespace tputwin
