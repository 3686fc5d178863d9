// gather: indices are decoded once per channel (shared ones once for all channels). Then rows or
// elements are copied.
#include "ops/index/gather.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/prefetch.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/by_width.h"
#include "ops/fast/walk/copy.h"
#include "ops/fast/walk/indexed.h"
#include "ops/fast/walk/nest.h"

namespace tputwin::fast {
namespace {

using Outside = Gather::Outside;

Indexing indexing(const Gather& op) {
  const Shape& p = op.param.shape;
  return {op.by,
          op.index,
          op.out.shape,
          {std::min(int64_t{op.first_row} + p.h, int64_t{op.last_row} + 1), p.w, op.first_row},
          op.param.stride};
}

template <class T>
void pick(const Gather& op, uint8_t* out, const uint8_t* param, const int64_t* offset) {
  const Shape& s = op.out.shape;
  const T fill = static_cast<T>(op.fill);
  for (uint32_t h = 0; h < s.h; ++h, out += op.out.stride.h) {
    uint8_t* to = out;
    for (uint32_t w = 0; w < s.w; ++w, ++offset, to += op.out.stride.w) {
      if (*offset != kOutside) [[likely]]
        Memory::store(to, Memory::load<T>(param + *offset));
      else if (op.outside == Outside::fill)
        Memory::store(to, fill);
    }
  }
}

// Rows are at any addresses, so that the processor cannot predict them.
constexpr uint32_t kRowsAhead = 4;
void prefetch(const uint8_t* row, size_t bytes) {
  for (size_t i = 0; i < std::min<size_t>(bytes, 1024); i += 64) prefetch_line(row + i);
}

template <class T>
void pick_rows(const Gather& op, uint8_t* out, const uint8_t* param, const int64_t* offset) {
  const Shape& s = op.out.shape;
  for (uint32_t h = 0; h < s.h; ++h, out += op.out.stride.h) {
    if (h + kRowsAhead < s.h && offset[h + kRowsAhead] != kOutside)
      prefetch(param + offset[h + kRowsAhead], s.w * sizeof(T));
    if (offset[h] != kOutside)
      copy_bytes(out, param + offset[h], s.w * sizeof(T));
    else if (op.outside == Outside::fill)
      for (uint32_t w = 0; w < s.w; ++w)
        Memory::store(out + w * sizeof(T), static_cast<T>(op.fill));
  }
}

template <class T>
void pick_channel(const Gather& op, const Memory& memory, uint32_t n, uint32_t c,
                  const int64_t* offset) {
  uint8_t* out = memory.byte(op.out, n, c, 0, 0);
  const uint8_t* param = memory.byte(op.param, op.param.shape.n == 1 ? 0 : n, c, 0, 0);
  if (op.by == IndexedBy::h)
    pick_rows<T>(op, out, param, offset);
  else
    pick<T>(op, out, param, offset);
}

// The reference kernel then runs, and records the index that is outside.
constexpr Declined kIndexOutside = "an index is outside";

// Gathers one element of the same row for each index. Rows must have no gaps. Declines if an index
// is outside.
template <class T, class Index>
class RowGather {
 public:
  RowGather(const Gather& op, const Memory& memory) : op_(op), memory_(memory) {}

  Declined run() const {
    const Shape& s = op_.out.shape;
    const uint64_t bytes = s.count() * (sizeof(T) + sizeof(Index));
    std::atomic<bool> inside = true;
    share_out(size_t{s.n} * s.c, bytes, bytes_per_task(), [&](size_t begin, size_t end) {
      for (size_t item = begin; item < end; ++item)
        if (!is_inside(item)) inside = false;
    });
    if (!inside) return kIndexOutside;
    share_out(size_t{s.n} * s.c, bytes, bytes_per_task(), [&](size_t begin, size_t end) {
      for (size_t item = begin; item < end; ++item) pick(item);
    });
    return kRan;
  }

 private:
  const uint8_t* row(const TensorView& view, size_t item, uint32_t h) const {
    const uint32_t channels = view.shape.c, n = static_cast<uint32_t>(item / channels);
    return memory_.byte(view, view.shape.n == 1 ? 0 : n, static_cast<uint32_t>(item % channels), h,
                        0);
  }
  bool is_inside(size_t item) const {
    Index largest = 0;
    for (uint32_t h = 0; h < op_.out.shape.h; ++h) {
      const uint8_t* index = row(op_.index, item, h);
      for (uint32_t w = 0; w < op_.out.shape.w; ++w)
        largest = std::max(largest, Memory::load<Index>(index + w * sizeof(Index)));
    }
    return largest < op_.param.shape.w;
  }
  void pick(size_t item) const {
    for (uint32_t h = 0; h < op_.out.shape.h; ++h) {
      auto* out = const_cast<uint8_t*>(row(op_.out, item, h));
      const uint8_t *param = row(op_.param, item, h), *index = row(op_.index, item, h);
      for (uint32_t w = 0; w < op_.out.shape.w; ++w) {
        const size_t from = Memory::load<Index>(index + w * sizeof(Index));
        Memory::store(out + w * sizeof(T), Memory::load<T>(param + from * sizeof(T)));
      }
    }
  }

  const Gather& op_;
  const Memory& memory_;
};

Declined operands_decline(const Gather& op, const Memory& memory) {
  if (is_empty(op.out.shape) || !is_run(op.out) || !is_run(op.param) || !is_run(op.index))
    return "no elements, or values in two planes";
  return overlap(op.out, {&op.param, &op.index}, memory.local);
}

Declined dense_rows(const Gather& op, const Memory& memory) {
  if (op.by != IndexedBy::w || op.outside != Outside::fault || op.first_row != 0 ||
      op.last_row != UINT32_MAX)
    return "indices may be outside";
  if (op.index.dtype != DType::u8 && op.index.dtype != DType::u16) return "indices of 32 bits";
  if (!has_dense_rows(op.out) || !has_dense_rows(op.param) || !has_dense_rows(op.index))
    return "rows have gaps";
  if (const Declined why = operands_decline(op, memory)) return why;
  return by_width(element_bytes(op.out.dtype), [&]<class T>(T) {
    return op.index.dtype == DType::u8 ? RowGather<T, uint8_t>(op, memory).run()
                                       : RowGather<T, uint16_t>(op, memory).run();
  });
}

// A gather that may have to decline checks all indices before it writes anything.
Declined decoded(const Gather& op, const Memory& memory) {
  if (const Declined why = operands_decline(op, memory)) return why;
  if (op.by == IndexedBy::h && !(has_dense_rows(op.out) && has_dense_rows(op.param)))
    return "rows have gaps";
  if (op.outside == Outside::fault && !all_inside(indexing(op), memory)) return kIndexOutside;
  const uint32_t bytes = element_bytes(op.out.dtype);
  by_width(bytes, [&]<class T>(T) {
    for_each_decoded(indexing(op), bytes, memory,
                     [&](uint32_t n, uint32_t c, const int64_t* offset) {
                       pick_channel<T>(op, memory, n, c, offset);
                     });
  });
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(Gather, {"dense rows", dense_rows}, {"decoded indices", decoded})

}  // namespace tputwin::fast
