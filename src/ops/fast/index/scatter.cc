// scatter: indices are decoded once per channel (shared ones once for all channels). Then rows or
// elements are written in their order.
#include "ops/index/scatter.h"

#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/by_width.h"
#include "ops/fast/walk/copy.h"
#include "ops/fast/walk/indexed.h"
#include "ops/fast/walk/nest.h"

namespace tputwin::fast {
namespace {

Shape walked(const Scatter& op) {
  const Shape& p = op.param.shape;
  return {op.out.shape.n, p.c, p.h, p.w};
}

Indexing indexing(const Scatter& op) {
  return {op.by, op.index, walked(op), {op.out.shape.h, op.out.shape.w}, op.out.stride};
}

template <class T>
void put_channel(const Scatter& op, const Memory& memory, uint32_t n, uint32_t c,
                 const int64_t* offset) {
  const TensorView& param = op.param;
  uint8_t* out = memory.byte(op.out, n, c, 0, 0);
  const uint8_t* row = memory.byte(param, param.shape.n == 1 ? 0 : n, c, 0, 0);
  for (uint32_t h = 0; h < param.shape.h; ++h, row += param.stride.h) {
    if (op.by == IndexedBy::h) {
      if (*offset != kOutside) copy_bytes(out + *offset, row, param.shape.w * sizeof(T));
      ++offset;
      continue;
    }
    const uint8_t* from = row;
    for (uint32_t w = 0; w < param.shape.w; ++w, ++offset, from += param.stride.w)
      if (*offset != kOutside) [[likely]]
        Memory::store(out + *offset, Memory::load<T>(from));
  }
}

Declined rows(const Scatter& op, const Memory& memory) {
  if (is_empty(walked(op)) || !is_run(op.out) || !is_run(op.param) || !is_run(op.index))
    return "no elements, or values in two planes";
  if (const Declined why = overlap(op.out, {&op.param, &op.index}, memory.local)) return why;
  if (op.by == IndexedBy::h && !(has_dense_rows(op.out) && has_dense_rows(op.param)))
    return "rows have gaps";
  if (!op.leaves_out && !all_inside(indexing(op), memory))
    return "an index is outside";  // the reference kernel records the index
  const uint32_t bytes = element_bytes(op.out.dtype);
  by_width(bytes, [&]<class T>(T) {
    for_each_decoded(indexing(op), bytes, memory,
                     [&](uint32_t n, uint32_t c, const int64_t* offset) {
                       put_channel<T>(op, memory, n, c, offset);
                     });
  });
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(Scatter, {"rows", rows})

}  // namespace tputwin::fast
