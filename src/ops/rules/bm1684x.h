// Rules of the BM1684X that the TPUKernel guide states for many functions; building blocks of
// check(). Operations of several families use the rules of their chip's family.
#pragma once

#include "base/errors/tpukernel.h"
#include "ops/rules/rule.h"

namespace tputwin {

// Checks memory, extents and alignment of one operand of a BDC function.
inline Status check_bm1684x_operand(std::string_view name, const TensorView& view,
                                    const Chip& chip) {
  const Shape& s = view.shape;
  auto within = [&](uint32_t extent) { return extent - 1 < chip.limits.extent; };
  TW_RETURN_IF_ERROR(require(view.space == Space::local, errors::tpu_space, name, view));
  TW_RETURN_IF_ERROR(require(within(s.n) && within(s.c) && within(s.h) && within(s.w),
                             errors::tpu_shape, name, s));
  TW_RETURN_IF_ERROR(require(chip.types.has(view.dtype), errors::tpu_dtype, name, view));
  TW_RETURN_IF_ERROR(require(view.pack == 1 && is_run(view), errors::tpu_element, name, view));
  return require(view.address % element_bytes(view.dtype) == 0, errors::tpu_address_element, name,
                 view);
}

inline Status check_bm1684x_shape(std::string_view name, const TensorView& view,
                                  const Shape& shape) {
  return require(view.shape == shape, errors::tpu_extents, name, view.shape);
}

inline Status check_bm1684x_start(std::string_view name, const TensorView& view,
                                  const TensorView& result, const Chip& chip) {
  return require(same_start_lane(view, result, chip), errors::tpu_start_npu, name, view);
}

inline Status check_bm1684x_npu_0(std::string_view name, const TensorView& view, const Chip& chip) {
  return require(view.address < chip.lane_bytes, errors::tpu_npu_0, name, view);
}

// Checks that all operands are tensors of one shape that start in one NPU; the first one is the
// result. A view that repeats elements must have stride 0, not a smaller shape.
inline Status check_bm1684x_elementwise(const OperandList& operands, const Chip& chip) {
  const TensorView& result = *operands[0].view;
  for (const Operand& operand : operands) {
    TW_RETURN_IF_ERROR(check_bm1684x_operand(operand.name, *operand.view, chip));
    TW_RETURN_IF_ERROR(check_bm1684x_shape(operand.name, *operand.view, result.shape));
    TW_RETURN_IF_ERROR(check_bm1684x_start(operand.name, *operand.view, result, chip));
  }
  return {};
}

// Warnings, which must be checked after the errors.

// Returns true if a copy from `in` to `out` overwrites elements of `in` only with their own values:
// `in` is `out` with some dimensions repeated.
bool repeats_itself(const TensorView& out, const TensorView& in);

// Warns if the tensors share banks. The banks of a tensor are those from its first to its last
// byte.
Status advise_bm1684x_banks(std::string_view name, const TensorView& view, const TensorView& other,
                            const Chip& chip);

}  // namespace tputwin
