// Arguments of BMKernel calls as shapes, strides and views.
#pragma once

#include <bmkernel/bm1880/bmkernel_1880.h>

#include <string>
#include <string_view>

#include "base/error.h"
#include "chip/chip.h"
#include "memory/layout.h"
#include "memory/tensor_view.h"

namespace tputwin::bmkernel {

// A tensor argument and its name in the parameter struct.
struct Arg {
  std::string_view name;
  const tensor_lmem* tensor = nullptr;
  const tensor_lmem* operator->() const { return tensor; }
};
#define TW_ARG(member) \
  ::tputwin::bmkernel::Arg { #member, p.member }

constexpr bool is_matrix(const shape_t& s) { return s.dim <= 2; }
constexpr bool is_signed(const tensor_lmem& t) { return t.fmt == FMT_I8; }

// Returns a matrix as the tensor that holds it; three-dimensional tensors have n = 1.
constexpr Shape nchw(const Chip& chip, const shape_t& s) {
  return is_matrix(s) ? matrix_shape(chip, s.row, s.col) : Shape{s.n, s.c, s.h, s.w};
}

constexpr Stride to_stride(const stride_t& s) { return {s.n, s.c, s.h, 1}; }

// Returns the current strides of a tensor.
Stride strides(const Chip& chip, const tensor_lmem& t);
inline Stride default_strides(const Chip& chip, const tensor_lmem& t, bool aligned) {
  return local_stride(chip, nchw(chip, t.shape), aligned);
}

// Returns the bytes of a tensor with given strides, or its own.
TensorView view(const Chip& chip, const tensor_lmem& t, DType dtype, const Stride& stride);
TensorView view(const Chip& chip, const tensor_lmem& t, DType dtype);
inline TensorView view(const Chip& chip, const tensor_lmem& t) {
  return view(chip, t, make_dtype(is_signed(t), /*is_8bit=*/true));
}

// Returns the error of a broken rule. (Out of line: gcc 12 misjudges the assignment of short
// constants.)
Error broken(ErrorId rule, std::string_view argument, std::string value);

// Returns the width of a format; 0 for an unknown format.
uint32_t element_bits(fmt_t fmt);
// Returns the bytes of a lane that a tensor with default strides occupies.
int bytes_per_lane(const Chip& chip, const shape_t& s, bool aligned, fmt_t fmt);

std::string describe(const shape_t& s);      // "(1,32,10,10)", "matrix (4,100)"
std::string describe(const tensor_lmem& t);  // with address, format and layout

}  // namespace tputwin::bmkernel
