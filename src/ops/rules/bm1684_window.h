// Rules of the OKKernel functions with a sliding window, and of results that share bytes with
// operands.
#pragma once

#include "ops/rules/bm1684.h"

namespace tputwin {

// The window's numbers, and a result (n, channels, output_h, output_w) of them.
Status check_bm1684_window(const Window& window, const TensorView& in, const TensorView& out,
                           uint32_t channels, const Chip& chip);
// Warnings, to be looked at after the errors.
Status advise_bm1684_window(const Window& window, const Shape& in, const Chip& chip);

// The output of a convolution shares no byte with its input: which inputs the model still reads
// after it wrote an output no document tells.
Status check_bm1684_apart_from_input(const TensorView& out, const TensorView& in, const Chip& chip);
// Warning: the first operand, the result, shares no byte with another one.
Status advise_bm1684_apart(const OperandList& operands, const Chip& chip);

}  // namespace tputwin
