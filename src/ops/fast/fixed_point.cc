// fixed_point, fixed_point_wide: vectors of cells, whose elements are computed in 32 bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/fixed_point.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/elementwise/bitwise.h"
#include "ops/elementwise/fixed_point.h"
#include "ops/elementwise/fixed_point_wide.h"
#include "ops/fast/fast.h"
#include "ops/fast/vec/packed-inl.h"
#include "ops/fast/vec/rounding-inl.h"
#include "ops/fast/walk/cells.h"
#include "ops/fast/walk/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using Kind = FixedPoint::Kind;

HWY_INLINE void StoreInts(Ints v, const RowBlock& block, size_t operand, size_t i) {
  hn::StoreU(v, I32(), block.result<int32_t>(operand) + i);
}

// Everything about an operation that its inner loop needs.
struct Formula {
  Ints a_mask, b_mask, old_mask;
  TypeRange range;
  SmallRoundShift round;  // numbers are below 2^30, except for mac
  int lshift;

  explicit Formula(const FixedPoint& op)
      : a_mask(ElementMask(op.a_type)),
        b_mask(ElementMask(op.b_type)),
        old_mask(ElementMask(op.old_type)),
        range(op.out.dtype),
        round(op.rshift),
        lshift(static_cast<int>(op.lshift)) {}

  template <Kind kKind>
  HWY_INLINE Ints Result(Ints a, Ints b, Ints old) const {
    if constexpr (kKind == Kind::add) return range.Clamp(round(hn::Add(a, b)));
    if constexpr (kKind == Kind::sub) return range.Clamp(round(hn::Sub(a, b)));
    if constexpr (kKind == Kind::mul) return range.Clamp(round(hn::Mul(a, b)));
    if constexpr (kKind == Kind::mac)
      return range.Clamp(
          RoundShift(I32(), hn::Add(hn::ShiftLeftSame(old, lshift), hn::Mul(a, b)), round.shift));
    if constexpr (kKind == Kind::max) return range.Clamp(hn::Max(a, b));
    if constexpr (kKind == Kind::min) return range.Clamp(hn::Min(a, b));
    if constexpr (kKind == Kind::bit_and) return hn::And(a, b);
    if constexpr (kKind == Kind::bit_or) return hn::Or(a, b);
    if constexpr (kKind == Kind::bit_xor) return hn::Xor(a, b);
    // Only the low byte of the amount b counts. It shifts to the left if it is positive, else to
    // the right. Put() keeps only the bits of the element.
    const I32 d;
    b = hn::ShiftRight<24>(hn::ShiftLeft<24>(b));
    const Ints left = hn::Min(hn::Max(b, hn::Zero(d)), hn::Set(d, 16));
    const Ints right = hn::Min(hn::Max(hn::Neg(b), hn::Zero(d)), hn::Set(d, 16));
    return hn::Shr(hn::Shl(a, left), right);
  }
};

// Operands: out, a, b, and the old out. Each has as many cells as a group.
template <Kind kKind, int kIn, int kOut>
void Cells(const FixedPoint& op, const RowBlock& block) {
  using In = PackedElements<kIn>;
  using Out = PackedElements<kOut>;
  constexpr int kGroup = kIn == 16 && kOut == 16 ? 2 : 4;
  constexpr size_t kInCells = kGroup / In::kPerCell, kOutCells = kGroup / Out::kPerCell;
  const Formula formula(op);
  ForEachVector(block, [&](size_t i) HWY_ATTR {
    Ints a[2], b[2], old[2], out[2];
    for (size_t cell = 0; cell < kInCells; ++cell) {
      a[cell] = LoadInts(block, kOutCells + cell, i);
      b[cell] = LoadInts(block, kOutCells + kInCells + cell, i);
    }
    for (size_t cell = 0; cell < kOutCells; ++cell) {
      old[cell] = kKind == Kind::mac ? LoadInts(block, kOutCells + 2 * kInCells + cell, i)
                                     : hn::Zero(I32());
      out[cell] = hn::Zero(I32());
    }
    ForEachElement<kGroup>([&](auto index) HWY_ATTR {
      constexpr int k = decltype(index)::value;
      Out::template Put<k>(out, formula.Result<kKind>(In::template Get<k>(a, formula.a_mask),
                                                      In::template Get<k>(b, formula.b_mask),
                                                      Out::template Get<k>(old, formula.old_mask)));
    });
    for (size_t cell = 0; cell < kOutCells; ++cell) StoreInts(out[cell], block, cell, i);
  });
}

// Computes a sum, difference or extremum of 8-bit or 16-bit operands, with 8-bit or 16-bit results.
template <Kind kKind>
void AnyWidth(const FixedPoint& op, const RowBlock& block) {
  const bool in_16 = is_16bit(op.a_type), out_16 = is_16bit(op.out.dtype);
  if (in_16) return out_16 ? Cells<kKind, 16, 16>(op, block) : Cells<kKind, 16, 8>(op, block);
  return out_16 ? Cells<kKind, 8, 16>(op, block) : Cells<kKind, 8, 8>(op, block);
}

// Computes bit logic. Operands and results have equal widths.
template <Kind kKind>
void SameWidth(const FixedPoint& op, const RowBlock& block) {
  return is_16bit(op.out.dtype) ? Cells<kKind, 16, 16>(op, block) : Cells<kKind, 8, 8>(op, block);
}

void FixedPointCells(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const FixedPoint*>(operation);
  switch (op.kind) {
    case Kind::add:
      return AnyWidth<Kind::add>(op, block);
    case Kind::sub:
      return AnyWidth<Kind::sub>(op, block);
    case Kind::mul:
      return is_16bit(op.out.dtype) ? Cells<Kind::mul, 8, 16>(op, block)
                                    : Cells<Kind::mul, 8, 8>(op, block);
    case Kind::mac:
      return Cells<Kind::mac, 8, 16>(op, block);
    case Kind::max:
      return AnyWidth<Kind::max>(op, block);
    case Kind::min:
      return AnyWidth<Kind::min>(op, block);
    case Kind::arithmetic_shift:
    case Kind::logical_shift:
      return Cells<Kind::arithmetic_shift, 16, 16>(op, block);
    case Kind::bit_and:
      return SameWidth<Kind::bit_and>(op, block);
    case Kind::bit_or:
      return SameWidth<Kind::bit_or>(op, block);
    case Kind::bit_xor:
      return SameWidth<Kind::bit_xor>(op, block);
  }
}

// Operands: out (1 cell), in (2), and optionally work (2).
void SplitByteCells(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const SplitByte*>(operation);
  const Ints all = ints(-1), low = ints(0x00ff'00ff);
  const bool has_work = op.work.has_value();
  ForEachVector(block, [&](size_t i) HWY_ATTR {
    const Ints in[2] = {LoadInts(block, 1, i), LoadInts(block, 2, i)};
    Ints out[1] = {hn::Zero(I32())};
    ForEachElement([&](auto index) HWY_ATTR {
      constexpr int k = decltype(index)::value;
      const Ints value = Elements16::Get<k>(in, all);
      Bytes::Put<k>(out, has_work ? value : hn::ShiftRight<8>(value));
    });
    StoreInts(out[0], block, 0, i);
    if (!has_work) return;
    StoreInts(hn::And(in[0], low), block, 3, i);
    StoreInts(hn::And(in[1], low), block, 4, i);
  });
}

// Operands: out (2 cells), high, low, b (1 each).
void Mul16By8Cells(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const Mul16By8*>(operation);
  const Ints high_mask = ElementMask(op.high.dtype), low_mask = ElementMask(DType::u8);
  const Ints b_mask = ElementMask(op.b.dtype);
  const TypeRange range(op.out.dtype);
  const SmallRoundShift round(op.rshift);
  ForEachVector(block, [&](size_t i) HWY_ATTR {
    const Ints high[1] = {LoadInts(block, 2, i)}, low[1] = {LoadInts(block, 3, i)};
    const Ints b[1] = {LoadInts(block, 4, i)};
    Ints out[2] = {hn::Zero(I32()), hn::Zero(I32())};
    ForEachElement([&](auto index) HWY_ATTR {
      constexpr int k = decltype(index)::value;
      const Ints wide =
          hn::Add(hn::ShiftLeft<8>(Bytes::Get<k>(high, high_mask)), Bytes::Get<k>(low, low_mask));
      Elements16::Put<k>(out, range.Clamp(round(hn::Mul(wide, Bytes::Get<k>(b, b_mask)))));
    });
    for (size_t cell = 0; cell < 2; ++cell) StoreInts(out[cell], block, cell, i);
  });
}

// Operands: out, a (2 cells each), b (1), work (2), work_high, work_low (1 each).
void MulS16ByU8Cells(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const MulS16ByU8*>(operation);
  const Ints zero = hn::Zero(I32()), most = ints(32767), all = ints(-1);
  const Ints byte = ElementMask(DType::u8);
  const SmallRoundShift round(op.rshift);
  ForEachVector(block, [&](size_t i) HWY_ATTR {
    const Ints a[2] = {LoadInts(block, 2, i), LoadInts(block, 3, i)};
    const Ints b[1] = {LoadInts(block, 4, i)};
    Ints out[2] = {zero, zero}, work[2] = {zero, zero}, high[1] = {zero}, low[1] = {zero};
    ForEachElement([&](auto index) HWY_ATTR {
      constexpr int k = decltype(index)::value;
      const Ints value = Elements16::Get<k>(a, all);
      const Ints magnitude = hn::Min(hn::Abs(value), most);
      const Ints product = hn::Min(round(hn::Mul(magnitude, Bytes::Get<k>(b, byte))), most);
      const auto negative = hn::Lt(value, zero);
      Elements16::Put<k>(out, hn::IfThenElse(negative, hn::Neg(product), product));
      Elements16::Put<k>(work, hn::IfThenElseZero(negative, product));
      Bytes::Put<k>(high, hn::ShiftRight<8>(magnitude));
      Bytes::Put<k>(low, magnitude);
    });
    for (size_t cell = 0; cell < 2; ++cell) {
      StoreInts(out[cell], block, cell, i);
      StoreInts(work[cell], block, 5 + cell, i);
    }
    StoreInts(high[0], block, 7, i);
    StoreInts(low[0], block, 8, i);
  });
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

TW_ROW_KERNEL(fixed_point_cells, FixedPointCells)
TW_ROW_KERNEL(split_byte_cells, SplitByteCells)
TW_ROW_KERNEL(mul_16_by_8_cells, Mul16By8Cells)
TW_ROW_KERNEL(mul_s16_by_u8_cells, MulS16ByU8Cells)

using Kind = FixedPoint::Kind;

bool is_packed(const TensorView& view, bool wide) {
  return view.pack == (wide ? 2 : 4) && element_bytes(view.dtype) == (wide ? 2u : 1u);
}

bool is_valid(const Source& source, DType type, bool wide) {
  if (element_bytes(type) != (wide ? 2u : 1u)) return false;
  if (!source.is_constant) return is_packed(source.view, wide) && source.view.dtype == type;
  const auto value = static_cast<int32_t>(source.constant);
  return value == saturate(value, type);
}

// Returns true if the kernels cover the widths, and intermediate values fit in 32 bits.
bool is_valid(const FixedPoint& op) {
  const bool in_16 = is_16bit(op.a_type), out_16 = is_16bit(op.out.dtype);
  const bool narrow = op.kind == Kind::mul || op.kind == Kind::mac;
  const bool shift = op.kind == Kind::arithmetic_shift || op.kind == Kind::logical_shift;
  return is_packed(op.out, out_16) && is_valid(op.a, op.a_type, in_16) &&
         is_valid(op.b, op.b_type, in_16) && !(narrow && in_16) &&
         !(op.kind == Kind::mac && (!out_16 || !is_16bit(op.old_type))) &&
         !(shift && !(in_16 && out_16)) && !(op.kind >= Kind::bit_and && in_16 != out_16) &&
         op.rshift < 32 && op.lshift <= 14;
}

// Returns the view without elements that only fill cells.
TensorView cut(TensorView view, const Shape& shape) {
  view.shape = shape;
  return view;
}

// Computes out = in & mask in the cells of the last n, which are not full.
void mask_last_cells(const TensorView& out, const TensorView& in, uint32_t mask,
                     const Memory& memory) {
  auto last_cells = [](TensorView view) {
    view.address += uint64_t{cells(view) - 1} * view.stride.n;
    view.dtype = DType::b32;
    view.plane_stride = 0;
    view.pack = 1;
    view.shape.n = 1;
    return view;
  };
  fast::execute(Bitwise{.kind = Bitwise::Kind::bit_and,
                        .out = last_cells(out),
                        .a = Source::tensor(last_cells(in)),
                        .b = Source::value(mask)},
                memory);
}

constexpr Declined kOtherWidths = "elements are not packed as the kernels take them";

Declined cells_of(const FixedPoint& op, const Memory& memory) {
  if (!is_valid(op)) return kOtherWidths;
  const uint8_t pack = is_16bit(op.a_type) ? 2 : 4;
  const CellOperand out = cell_write(op.out);
  const CellOperand a = cell_source(op.a, pack), b = cell_source(op.b, pack);
  if (op.kind == Kind::mac)
    return run_cells({out, a, b, cell_read(op.out)}, memory, fixed_point_cells, &op);
  return run_cells({out, a, b}, memory, fixed_point_cells, &op);
}

Declined cells_of(const SplitByte& op, const Memory& memory) {
  if (!is_packed(op.out, false) || !is_packed(op.in, true)) return kOtherWidths;
  const TensorView in = cut(op.in, op.out.shape);
  if (!op.work)
    return run_cells({cell_write(op.out), cell_read(in)}, memory, split_byte_cells, &op);
  const TensorView work = cut(*op.work, op.out.shape);
  if (!is_packed(work, true)) return kOtherWidths;
  if (const Declined why = run_cells({cell_write(op.out), cell_read(in), cell_write(work)}, memory,
                                     split_byte_cells, &op))
    return why;
  if (op.in.shape != op.out.shape) mask_last_cells(work, in, 0x00ff'00ff, memory);
  return kRan;
}

Declined cells_of(const Mul16By8& op, const Memory& memory) {
  if (!is_packed(op.out, true) || !is_packed(op.high, false) || !is_packed(op.low, false) ||
      !is_packed(op.b, false) || op.rshift >= 32)
    return kOtherWidths;
  return run_cells({cell_write(op.out), cell_read(op.high), cell_read(op.low), cell_read(op.b)},
                   memory, mul_16_by_8_cells, &op);
}

Declined cells_of(const MulS16ByU8& op, const Memory& memory) {
  if (op.out.shape != op.a.shape) return "cells that are not full";
  if (!is_packed(op.out, true) || !is_packed(op.a, true) || !is_packed(op.b, false) ||
      !is_packed(op.work, true) || !is_packed(op.work_high, false) ||
      !is_packed(op.work_low, false) || op.rshift >= 32)
    return kOtherWidths;
  return run_cells({cell_write(op.out), cell_read(op.a), cell_read(op.b), cell_write(op.work),
                    cell_write(op.work_high), cell_write(op.work_low)},
                   memory, mul_s16_by_u8_cells, &op);
}

}  // namespace

TW_FAST_KERNELS(FixedPoint, {"cells", cells_of})
TW_FAST_KERNELS(SplitByte, {"cells", cells_of})
TW_FAST_KERNELS(Mul16By8, {"cells", cells_of})
TW_FAST_KERNELS(MulS16ByU8, {"cells", cells_of})

}  // namespace tputwin::fast
#endif
