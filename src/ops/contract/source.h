// Source: an operand of an element-wise operation that is a tensor, or one value for all elements.
#pragma once

#include "numerics/float32.h"
#include "ops/contract/contract.h"

namespace tputwin {

struct Source {
  // A constant uses only the type.
  TensorView view;
  bool is_constant = false;
  // A vector along n: element (n,c,h,w) is number n of the matrix row in `view`, which has W =
  // view.shape.w elements in a channel.
  bool along_n = false;
  // Bits of the constant; integers are sign or zero extended.
  uint32_t constant = 0;

  static Source tensor(const TensorView& view) { return {.view = view}; }
  static Source value(uint32_t bits) { return {.is_constant = true, .constant = bits}; }
  static Source value(float x) { return value(f32::bits(x)); }
  static Source value(uint32_t bits, DType dtype) {
    return {.view = {.dtype = dtype}, .is_constant = true, .constant = bits};
  }
  static Source vector_along_n(const TensorView& view) { return {.view = view, .along_n = true}; }

  // Returns the bits of an element; 8 and 16-bit elements are sign or zero extended.
  int32_t read(const Memory& memory, uint32_t n, uint32_t c, uint32_t h, uint32_t w) const {
    if (is_constant) return static_cast<int32_t>(constant);
    if (along_n) return memory.read(view, 0, n / view.shape.w, 0, n % view.shape.w);
    return memory.read(view, n, c, h, w);
  }
  float read_f32(const Memory& memory, uint32_t n, uint32_t c, uint32_t h, uint32_t w) const {
    return f32::from_bits(static_cast<uint32_t>(read(memory, n, c, h, w)));
  }
};

// Appends the tensors among the two operands of an operation: src0 and src1, or src if the other
// operand is a constant.
inline void add_sources(OperandList& list, const Source& a, const Source& b) {
  if (!a.is_constant)
    list.push_back({b.is_constant ? "src_addr" : "src0_addr", &a.view, Access::read});
  if (!b.is_constant)
    list.push_back({a.is_constant ? "src_addr" : "src1_addr", &b.view, Access::read});
}

}  // namespace tputwin
