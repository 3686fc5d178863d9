// Source: what an element-wise operation reads: a tensor, or one value for all elements.
#pragma once

#include "numerics/float32.h"
#include "ops/contract.h"

namespace tputwin {

struct Source {
  TensorView view;  // of a tensor
  bool is_constant = false;
  uint32_t constant = 0;  // its bits; integers are sign or zero extended

  static Source tensor(const TensorView& view) { return {.view = view}; }
  static Source value(uint32_t bits) { return {.is_constant = true, .constant = bits}; }
  static Source value(float x) { return value(f32::bits(x)); }

  // The element's bits; 8 and 16-bit elements are extended by their sign.
  int32_t read(const Memory& memory, uint32_t n, uint32_t c, uint32_t h, uint32_t w) const {
    return is_constant ? static_cast<int32_t>(constant) : memory.read(view, n, c, h, w);
  }
  float read_f32(const Memory& memory, uint32_t n, uint32_t c, uint32_t h, uint32_t w) const {
    return f32::from_bits(static_cast<uint32_t>(read(memory, n, c, h, w)));
  }
};

// Appends the tensors among the two operands of an operation: src0 and src1, or src beside a
// constant.
inline void add_sources(OperandList& list, const Source& a, const Source& b) {
  if (!a.is_constant)
    list.push_back({b.is_constant ? "src_addr" : "src0_addr", &a.view, Access::read});
  if (!b.is_constant)
    list.push_back({a.is_constant ? "src_addr" : "src1_addr", &b.view, Access::read});
}

}  // namespace tputwin
