// Rules of the BM1684X's GDMA for one side of a transfer.
#pragma once

#include "base/errors/tpukernel.h"
#include "ops/rules/bm1684x.h"

namespace tputwin {

// A single row has no limit of its own: longer rows are moved in pieces.
inline Status check_bm1684x_dma_side(std::string_view name, const TensorView& view,
                                     const Chip& chip) {
  const Shape& s = view.shape;
  auto within = [&](uint32_t extent) { return extent - 1 < chip.limits.dma_extent; };
  const bool row = s.n == 1 && s.c == 1 && s.h == 1;
  TW_RETURN_IF_ERROR(require(row || (within(s.n) && within(s.c) && within(s.h) && within(s.w)),
                             errors::tpu_shape, name, s));
  TW_RETURN_IF_ERROR(require(chip.types.has(view.dtype), errors::tpu_dtype, name, view));
  TW_RETURN_IF_ERROR(require(view.pack == 1 && is_run(view), errors::tpu_element, name, view));
  return require(s.w == 1 || view.stride.w <= chip.limits.dma_step, errors::tpu_w_stride, name,
                 view);
}

// Checks that the elements of a row are adjacent.
inline Status check_bm1684x_rows(std::string_view name, const TensorView& view) {
  return require(view.shape.w == 1 || view.stride.w == element_bytes(view.dtype),
                 errors::tpu_w_stride_1, name, view);
}

}  // namespace tputwin
