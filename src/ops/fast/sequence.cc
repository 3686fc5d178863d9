// sequence: rows of 32-bit elements.
#include "ops/elementwise/sequence.h"

#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/nest.h"

namespace tputwin::fast {

namespace {

Declined rows(const Sequence& op, const Memory& memory) {
  const Shape& s = op.out.shape;
  if (op.by_lane || !is_32bit(op.out.dtype) || !has_dense_rows(op.out) || s.n != 1 || s.h != 1)
    return "no rows of 32-bit elements, one of each channel";
  if (const Declined why = overlap(op.out, {}, memory.local)) return why;
  share_out(s.c, s.count() * 4, bytes_per_task(), [&](size_t begin, size_t end) {
    for (auto c = static_cast<uint32_t>(begin); c < end; ++c) {
      uint8_t* row = memory.byte(op.out, 0, c, 0, 0);
      uint32_t value = op.start + op.step_c * c;
      for (uint32_t w = 0; w < s.w; ++w, value += op.step_w)
        Memory::store(row + w * size_t{4}, value);
    }
  });
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(Sequence, {"rows", rows})

}  // namespace tputwin::fast
