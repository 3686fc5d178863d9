// mask_select: rows of the mask together with rows of elements.
#include "ops/index/mask_select.h"

#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/by_width.h"
#include "ops/fast/walk/nest.h"

namespace tputwin::fast {
namespace {

using Kind = MaskSelect::Kind;

// select_row() appends the chosen elements of a row of `count`. find_row() appends their numbers,
// counted from `number` on.
template <class T, class Mask>
uint8_t* select_row(uint8_t* out, const uint8_t* in, const uint8_t* mask, uint32_t count) {
  for (uint32_t w = 0; w < count; ++w)
    if (Memory::load<Mask>(mask + w * sizeof(Mask)) != 0) {
      Memory::store(out, Memory::load<T>(in + w * sizeof(T)));
      out += sizeof(T);
    }
  return out;
}

template <class Mask>
uint8_t* find_row(uint8_t* out, uint32_t number, const uint8_t* mask, uint32_t count) {
  for (uint32_t w = 0; w < count; ++w)
    if (Memory::load<Mask>(mask + w * sizeof(Mask)) != 0) {
      Memory::store(out, number + w);
      out += sizeof number;
    }
  return out;
}

uint8_t* select_row(const MaskSelect& op, uint8_t* out, const uint8_t* in, const uint8_t* mask) {
  return by_width(element_bytes(op.out.dtype), [&]<class T>(T) {
    return by_width(element_bytes(op.mask.dtype), [&]<class Mask>(Mask) {
      return select_row<T, Mask>(out, in, mask, op.in.shape.w);
    });
  });
}

uint8_t* find_row(const MaskSelect& op, uint8_t* out, uint32_t number, const uint8_t* mask) {
  return by_width(element_bytes(op.in.dtype), [&]<class Mask>(Mask) {
    return find_row<Mask>(out, number, mask, op.in.shape.w);
  });
}

void pack(const MaskSelect& op, const Memory& memory) {
  const Shape& s = op.in.shape;
  uint8_t *const begin = memory.byte(op.out, 0, 0, 0, 0), *out = begin;
  uint32_t number = op.base;
  for (uint32_t n = 0; n < s.n; ++n)
    for (uint32_t c = 0; c < s.c; ++c)
      for (uint32_t h = 0; h < s.h; ++h, number += s.w) {
        const uint8_t* in = memory.byte(op.in, n, c, h, 0);
        out = op.kind == Kind::positions
                  ? find_row(op, out, number, in)
                  : select_row(op, out, in, memory.byte(op.mask, n, c, h, 0));
      }
  if (op.chosen != nullptr)
    *op.chosen = static_cast<uint32_t>((out - begin) / element_bytes(op.out.dtype));
}

void pack_rows(const MaskSelect& op, const Memory& memory) {
  const Shape& s = op.out.shape;
  share_out(s.c, s.count() * 8, bytes_per_task(), [&](size_t begin, size_t end) {
    for (auto c = static_cast<uint32_t>(begin); c < end; ++c)
      for (uint32_t n = 0; n < s.n; ++n) {
        uint8_t* out = memory.byte(op.out, n, c, 0, 0);
        const uint8_t* in = memory.byte(op.in, op.in.shape.n == 1 ? 0 : n, c, 0, 0);
        const uint8_t* past = select_row(op, out, in, memory.byte(op.mask, n, c, 0, 0));
        memory.write(*op.count, n, c, 0, 0,
                     static_cast<int32_t>((past - out) / element_bytes(op.out.dtype)));
      }
  });
}

Declined rows(const MaskSelect& op, const Memory& memory) {
  if (op.kind == Kind::row_positions || op.kind == Kind::lines) return "no kernel for its kind";
  if (op.kind == Kind::positions && !is_32bit(op.out.dtype)) return "positions of 16 bits";
  const OperandList list = operands(op);
  if (is_empty(op.in.shape)) return "no elements";
  for (const Operand& operand : list) {
    const TensorView& view = *operand.view;
    if (!is_run(view) || !has_dense_rows(view)) return "rows have gaps";
    if (operand.access == Access::read) continue;
    if (!distinct(view, memory.local)) return "results overlap each other";
    for (const Operand& other : list)
      if (&other != &operand && !disjoint(view, *other.view, memory.local))
        return "results overlap an operand";
  }
  op.kind == Kind::rows ? pack_rows(op, memory) : pack(op, memory);
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(MaskSelect, {"rows", rows})

}  // namespace tputwin::fast
