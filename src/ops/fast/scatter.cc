// scatter: indices are decoded once per channel (shared ones once at all), then rows or elements
// follow in their order.
#include "ops/index/scatter.h"

#include <vector>

#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/copy.h"
#include "ops/fast/walk/indexed.h"
#include "ops/fast/walk/nest.h"

namespace tputwin::fast {
namespace {

Shape walked(const Scatter& op) {
  const Shape& p = op.param.shape;
  return {op.out.shape.n, p.c, p.h, p.w};
}

Limits limits(const Scatter& op) { return {op.out.shape.h, op.out.shape.w}; }

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

void scatter(const Scatter& op, const Memory& memory) {
  const Shape s = walked(op);
  const uint32_t bytes = element_bytes(op.out.dtype);
  const size_t entries = op.by == IndexedBy::h ? s.h : size_t{s.h} * s.w;
  auto offsets = [&](uint32_t n, uint32_t c, std::vector<int64_t>& offset) {
    decode(op.by, op.index, s, limits(op), op.out.stride, memory, n, c, offset.data());
  };
  std::vector<int64_t> shared(entries);
  if (is_shared(op.by)) offsets(0, 0, shared);
  share_out(size_t{s.n} * s.c, s.count() * (bytes + 4), [&](size_t begin, size_t end) {
    std::vector<int64_t> own(is_shared(op.by) ? 0 : entries);
    for (size_t item = begin; item < end; ++item) {
      const auto n = static_cast<uint32_t>(item / s.c), c = static_cast<uint32_t>(item % s.c);
      if (!is_shared(op.by)) offsets(n, c, own);
      const int64_t* offset = is_shared(op.by) ? shared.data() : own.data();
      bytes == 4   ? put_channel<uint32_t>(op, memory, n, c, offset)
      : bytes == 2 ? put_channel<uint16_t>(op, memory, n, c, offset)
                   : put_channel<uint8_t>(op, memory, n, c, offset);
    }
  });
}

}  // namespace

bool execute(const Scatter& op, const Memory& memory) {
  const LocalMemory& local = memory.local;
  if (!vectors_enabled() || walked(op).count() == 0 || !is_run(op.out) || !is_run(op.param) ||
      !is_run(op.index) || !distinct_elements(op.out, local) ||
      !disjoint({&op.out}, {&op.param}, local) || !disjoint({&op.out}, {&op.index}, local) ||
      (op.by == IndexedBy::h && !(has_dense_rows(op.out) && has_dense_rows(op.param))))
    return false;
  if (!op.leaves_out && !all_inside(op.by, op.index, walked(op), limits(op), op.out.stride, memory))
    return false;  // the reference body notes which one
  scatter(op, memory);
  return true;
}

}  // namespace tputwin::fast
