// Rules of the BM1684's window and matrix operations on bytes.
#pragma once

#include "ops/contract/window.h"
#include "ops/rules/bm1684_window.h"

namespace tputwin {

// Checks a parameter of 8 or 16 bits, which may be at any address.
inline Status check_bm1684_parameter(std::string_view name, const TensorView& view,
                                     const Chip& chip) {
  return check_bm1684_operand(name, view, chip, /*alignment=*/1);
}

inline Status check_bm1684_bytes(std::string_view name, const TensorView& view, const Chip& chip,
                                 uint32_t pack) {
  TW_RETURN_IF_ERROR(check_bm1684_parameter(name, view, chip));
  return check_bm1684_element(name, view, 1, pack);
}

// Checks that the input is in 4N mode, and that a cell of the result has four images of 8 or 16
// bits.
inline Status check_bm1684_byte_sides(const TensorView& out, const TensorView& in,
                                      const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684_operand("output_addr", out, chip));
  TW_RETURN_IF_ERROR(check_bm1684_operand("input_addr", in, chip));
  TW_RETURN_IF_ERROR(check_bm1684_element("input_addr", in, 1, /*pack=*/4));
  return require(!is_32bit(out.dtype) && out.pack == 4 && is_run(out), errors::okk_element,
                 "output_addr", out);
}

// The last checks of a filter of bytes: shift and bias, and warnings about its window.
template <class Filter>
Status check_bm1684_byte_filter_end(const Filter& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684_rshift(op.rshift));
  if (op.bias) {
    TW_RETURN_IF_ERROR(check_bm1684_parameter("bias_addr", *op.bias, chip));
    TW_RETURN_IF_ERROR(require(is_16bit(op.bias->dtype) && op.bias->pack == 1 && is_run(*op.bias),
                               errors::okk_element, "bias_addr", *op.bias));
    TW_RETURN_IF_ERROR(check_bm1684_shape("bias_addr", *op.bias, {1, op.out.shape.c, 1, 1}));
  }
  return advise_bm1684_window(op.window, op.in.shape, chip);
}

}  // namespace tputwin
