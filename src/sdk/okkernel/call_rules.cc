// Call rules of each operation.
#include "sdk/okkernel/call_rules.h"

#include "base/errors/okkernel.h"
#include "base/errors/tpukernel.h"
#include "ops/rules/rule.h"

namespace tputwin::okk {
namespace {

// ---- BM1684: maps in the aligned layout ----

Status check_aligned(std::string_view name, const TensorView& view, const Chip& chip) {
  return require(view.address % chip.eu_bytes == 0, errors::okk_address_128, name, view);
}
Status check_maps(const TensorView& out, const TensorView& in, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_aligned("output_addr", out, chip));
  return check_aligned("input_addr", in, chip);
}

// ---- BM1684X ----

Status check_start(std::string_view name, const TensorView& view, const TensorView& result,
                   const Chip& chip) {
  return require(same_start_lane(view, result, chip), errors::tpu_start_npu, name, view);
}
template <class Conv2d>
Status check_filter(const Conv2d& op, const Chip& chip) {
  if (!op.weight.is_constant)
    TW_RETURN_IF_ERROR(check_start("weight_addr", op.weight.view, op.out, chip));
  return op.bias ? check_start("bias_addr", *op.bias, op.out, chip) : Status();
}

Status check_one(const Conv2dBm1684& op, const Chip& chip) {
  return check_aligned("output_addr", op.out, chip);
}
Status check_one(const Depthwise2dBm1684& op, const Chip& chip) {
  return check_maps(op.out, op.in, chip);
}
Status check_one(const Pool2dBm1684& op, const Chip& chip) {
  return check_maps(op.out, op.in, chip);
}
Status check_one(const Conv2dBm1684xFloat& op, const Chip& chip) { return check_filter(op, chip); }
Status check_one(const Conv2dBm1684xInt8& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_filter(op, chip));
  if (op.zero_point.is_constant) return {};
  return check_start("kzp_addr", op.zero_point.view, op.out, chip);
}
template <class Op>
Status check_one(const Op&, const Chip&) {
  return {};
}

// The GDMA moves elements that start at any byte.
Status check_dma_addresses(const Operation& op) {
  for (const Operand& operand : operands(op)) {
    const TensorView& view = *operand.view;
    TW_RETURN_IF_ERROR(require(view.address % element_bytes(view.dtype) == 0,
                               errors::tpu_address_element, operand.name, view));
  }
  return {};
}

}  // namespace

Status check_call(const Operation& op, const Chip& chip) {
  if (chip.family == ChipFamily::bm1684x && engine(op) == Engine::dma)
    return check_dma_addresses(op);
  return std::visit([&](const auto& held) { return check_one(held, chip); },
                    static_cast<const AnyOperation&>(op));
}

}  // namespace tputwin::okk
