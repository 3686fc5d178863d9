// Copies and fills of views whose elements may be written in any order, on several threads if that
// is faster.
#pragma once

#include "memory/memory.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/views/views.h"

namespace tputwin::fast {

// Returns true if the view has plain elements, not cells, with contiguous bytes.
inline bool has_plain_elements(const TensorView& v) { return v.pack == 1 && is_run(v); }
// Returns true if these elements may also be written in any order.
inline bool is_writable(const TensorView& dst, const Memory& memory) {
  return has_plain_elements(dst) && distinct(dst, memory.local);
}
constexpr Declined kNotFree = "packed, or results overlap each other";

// Copies src to dst. They must have one shape and one element size.
void copy_view(const TensorView& dst, const TensorView& src, const Memory& memory);
// Sets every element to the low bytes of the constant.
void fill_view(const TensorView& dst, uint32_t constant, const Memory& memory);

}  // namespace tputwin::fast
