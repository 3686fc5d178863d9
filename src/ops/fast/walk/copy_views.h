// Copies and fills of views whose elements may be written in any order, over threads where it pays.
#pragma once

#include "memory/memory.h"
#include "ops/fast/select/body.h"
#include "ops/fast/views/views.h"

namespace tputwin::fast {

// Elements, not cells, whose bytes lie together: what these take.
inline bool has_plain_elements(const TensorView& v) { return v.pack == 1 && is_run(v); }
// And which may be written in any order.
inline bool is_writable(const TensorView& dst, const Memory& memory) {
  return has_plain_elements(dst) && distinct(dst, memory.local);
}
constexpr Declined kNotFree = "packed, or results overlap each other";

// Views of one shape, elements of one size.
void copy_view(const TensorView& dst, const TensorView& src, const Memory& memory);
// Every element is the low bytes of the constant.
void fill_view(const TensorView& dst, uint32_t constant, const Memory& memory);

}  // namespace tputwin::fast
