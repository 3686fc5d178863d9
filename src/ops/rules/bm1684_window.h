// Rules of the OKKernel functions with a sliding window.
#pragma once

#include "ops/contract/filter_operands.h"
#include "ops/rules/bm1684.h"

namespace tputwin {

// Zeros between the elements of an input. No function inserts them; commands of compilers do.
enum class Insertion : bool { none, allowed };

// Checks the numbers of the window and a result (n, channels, h, w). h and w must be at most those
// that the window makes. Functions make all of them, commands of compilers may make fewer.
Status check_bm1684_window(const Window& window, const TensorView& in, const TensorView& out,
                           uint32_t channels, const Chip& chip,
                           Insertion insertion = Insertion::none);
// Warnings, which must be checked after the errors.
Status advise_bm1684_window(const Window& window, const Shape& in, const Chip& chip);

// The last checks of a filter: its bias, and warnings about its weights and its window.
template <class Filter>
Status check_bm1684_filter_end(const Filter& op, const Chip& chip) {
  if (op.bias) {
    TW_RETURN_IF_ERROR(check_bm1684_operand("bias_addr", *op.bias, chip));
    TW_RETURN_IF_ERROR(check_bm1684_shape("bias_addr", *op.bias, {1, op.out.shape.c, 1, 1}));
    TW_RETURN_IF_ERROR(advise_bm1684_same_npu("bias_addr", *op.bias, op.out, chip));
  }
  if (has_weights(op))
    TW_RETURN_IF_ERROR(advise_bm1684_same_npu("weight_addr", op.weight, op.out, chip));
  return advise_bm1684_window(op.window, op.in.shape, chip);
}

}  // namespace tputwin
