// fixed_point, fixed_point_wide: vectors of cells, whose elements are computed in 32 bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/fixed_point.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "numerics/integer.h"
#include "ops/elementwise/bitwise.h"
#include "ops/elementwise/fixed_point.h"
#include "ops/elementwise/fixed_point_wide.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/walk/cells-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using Kind = FixedPoint::Kind;

// (v + 2^(shift-1)) >> shift. Values are below 2^30, so that the sum does not overflow.
struct Round {
  V32 half;
  int shift;

  explicit Round(uint32_t by)
      : half(hn::Set(D32(), by == 0 ? 0 : int32_t{1} << (by - 1))), shift(static_cast<int>(by)) {}
  HWY_INLINE V32 operator()(V32 v) const { return hn::ShiftRightSame(hn::Add(v, half), shift); }
};

// The same for all values.
HWY_INLINE V32 RoundAny(V32 v, int shift) {
  if (shift == 0) return v;
  const V32 half = hn::ShiftRightSame(v, shift - 1);
  return hn::Add(hn::ShiftRight<1>(half), hn::And(half, hn::Set(D32(), 1)));
}

struct Range {
  V32 low, high;
  explicit Range(DType type)
      : low(hn::Set(D32(), saturate(INT64_MIN, type))),
        high(hn::Set(D32(), saturate(INT64_MAX, type))) {}
  HWY_INLINE V32 Clamp(V32 v) const { return hn::Min(hn::Max(v, low), high); }
};

// Everything about an operation that its inner loop needs.
struct Formula {
  V32 a_mask, b_mask, old_mask;
  Range range;
  Round round;
  int lshift;

  explicit Formula(const FixedPoint& op)
      : a_mask(ElementMask(op.a_type)),
        b_mask(ElementMask(op.b_type)),
        old_mask(ElementMask(op.old_type)),
        range(op.out.dtype),
        round(op.rshift),
        lshift(static_cast<int>(op.lshift)) {}

  template <Kind kKind>
  HWY_INLINE V32 Result(V32 a, V32 b, V32 old) const {
    if constexpr (kKind == Kind::add) return range.Clamp(round(hn::Add(a, b)));
    if constexpr (kKind == Kind::sub) return range.Clamp(round(hn::Sub(a, b)));
    if constexpr (kKind == Kind::mul) return range.Clamp(round(hn::Mul(a, b)));
    if constexpr (kKind == Kind::mac)
      return range.Clamp(
          RoundAny(hn::Add(hn::ShiftLeftSame(old, lshift), hn::Mul(a, b)), round.shift));
    if constexpr (kKind == Kind::max) return range.Clamp(hn::Max(a, b));
    if constexpr (kKind == Kind::min) return range.Clamp(hn::Min(a, b));
    // One of the two counts is 0; what leaves 16 bits on the left is cut off.
    const D32 d;
    const V32 left = hn::Min(hn::Max(b, hn::Zero(d)), hn::Set(d, 16));
    const V32 right = hn::Min(hn::Max(hn::Neg(b), hn::Zero(d)), hn::Set(d, 16));
    return hn::Shr(hn::Shl(a, left), right);
  }
};

template <Kind kKind, int kIn, int kOut>
void Cells(const FixedPoint& op, const CellBlock& block) {
  using In = Elements<kIn>;
  using Out = Elements<kOut>;
  constexpr int kGroup = kIn == 16 && kOut == 16 ? 2 : 4;
  const Formula formula(op);
  ForEachVector(block, 3, [&](const CellParts& p, size_t i) HWY_ATTR {
    V32 a[2], b[2], old[2], out[2];
    for (int part = 0; part < kGroup / In::kPerCell; ++part) {
      a[part] = LoadCells(p[1][part] + i);
      b[part] = LoadCells(p[2][part] + i);
    }
    for (int part = 0; part < kGroup / Out::kPerCell; ++part) {
      old[part] = kKind == Kind::mac ? LoadCells(p[0][part] + i) : hn::Zero(D32());
      out[part] = hn::Zero(D32());
    }
    auto element = [&](auto index) HWY_ATTR {
      constexpr int k = decltype(index)::value;
      Out::template Put<k>(out, formula.Result<kKind>(In::template Get<k>(a, formula.a_mask),
                                                      In::template Get<k>(b, formula.b_mask),
                                                      Out::template Get<k>(old, formula.old_mask)));
    };
    element(std::integral_constant<int, 0>());
    element(std::integral_constant<int, 1>());
    if constexpr (kGroup == 4) {
      element(std::integral_constant<int, 2>());
      element(std::integral_constant<int, 3>());
    }
    for (int part = 0; part < kGroup / Out::kPerCell; ++part) StoreCells(out[part], p[0][part] + i);
  });
}

// Sums, differences and extrema: of 8 or 16 bits to 8 or 16 bits.
template <Kind kKind>
void AnyWidth(const FixedPoint& op, const CellBlock& block) {
  const bool in_16 = is_16bit(op.a_type), out_16 = is_16bit(op.out.dtype);
  if (in_16) return out_16 ? Cells<kKind, 16, 16>(op, block) : Cells<kKind, 16, 8>(op, block);
  return out_16 ? Cells<kKind, 8, 16>(op, block) : Cells<kKind, 8, 8>(op, block);
}

void FixedPointCells(const void* operation, const CellBlock& block) {
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
  }
}

using Bytes = Elements<8>;
using Halves = Elements<16>;

// Calls element(k) for the four elements of a group.
template <class Element>
HWY_INLINE void ForEachElement(const Element& element) {
  element(std::integral_constant<int, 0>());
  element(std::integral_constant<int, 1>());
  element(std::integral_constant<int, 2>());
  element(std::integral_constant<int, 3>());
}

void SplitByteCells(const void* operation, const CellBlock& block) {
  const auto& op = *static_cast<const SplitByte*>(operation);
  const V32 all = hn::Set(D32(), -1), low = hn::Set(D32(), 0x00ff'00ff);
  const bool has_work = op.work.has_value();
  ForEachVector(block, has_work ? 3 : 2, [&](const CellParts& p, size_t i) HWY_ATTR {
    const V32 in[2] = {LoadCells(p[1][0] + i), LoadCells(p[1][1] + i)};
    V32 out[1] = {hn::Zero(D32())};
    ForEachElement([&](auto index) HWY_ATTR {
      constexpr int k = decltype(index)::value;
      const V32 value = Halves::Get<k>(in, all);
      Bytes::Put<k>(out, has_work ? value : hn::ShiftRight<8>(value));
    });
    StoreCells(out[0], p[0][0] + i);
    if (!has_work) return;
    StoreCells(hn::And(in[0], low), p[2][0] + i);
    StoreCells(hn::And(in[1], low), p[2][1] + i);
  });
}

void Mul16By8Cells(const void* operation, const CellBlock& block) {
  const auto& op = *static_cast<const Mul16By8*>(operation);
  const V32 high_mask = ElementMask(op.high.dtype), low_mask = ElementMask(DType::u8);
  const V32 b_mask = ElementMask(op.b.dtype);
  const Range range(op.out.dtype);
  const Round round(op.rshift);
  ForEachVector(block, 4, [&](const CellParts& p, size_t i) HWY_ATTR {
    const V32 high[1] = {LoadCells(p[1][0] + i)}, low[1] = {LoadCells(p[2][0] + i)};
    const V32 b[1] = {LoadCells(p[3][0] + i)};
    V32 out[2] = {hn::Zero(D32()), hn::Zero(D32())};
    ForEachElement([&](auto index) HWY_ATTR {
      constexpr int k = decltype(index)::value;
      const V32 wide =
          hn::Add(hn::ShiftLeft<8>(Bytes::Get<k>(high, high_mask)), Bytes::Get<k>(low, low_mask));
      Halves::Put<k>(out, range.Clamp(round(hn::Mul(wide, Bytes::Get<k>(b, b_mask)))));
    });
    StoreCells(out[0], p[0][0] + i);
    StoreCells(out[1], p[0][1] + i);
  });
}

void MulS16ByU8Cells(const void* operation, const CellBlock& block) {
  const auto& op = *static_cast<const MulS16ByU8*>(operation);
  const D32 d;
  const V32 zero = hn::Zero(d), most = hn::Set(d, 32767), all = hn::Set(d, -1);
  const V32 byte = ElementMask(DType::u8);
  const Round round(op.rshift);
  ForEachVector(block, 6, [&](const CellParts& p, size_t i) HWY_ATTR {
    const V32 a[2] = {LoadCells(p[1][0] + i), LoadCells(p[1][1] + i)};
    const V32 b[1] = {LoadCells(p[2][0] + i)};
    V32 out[2] = {zero, zero}, work[2] = {zero, zero}, high[1] = {zero}, low[1] = {zero};
    ForEachElement([&](auto index) HWY_ATTR {
      constexpr int k = decltype(index)::value;
      const V32 value = Halves::Get<k>(a, all);
      const V32 magnitude = hn::Min(hn::Abs(value), most);
      const V32 product = hn::Min(round(hn::Mul(magnitude, Bytes::Get<k>(b, byte))), most);
      const auto negative = hn::Lt(value, zero);
      Halves::Put<k>(out, hn::IfThenElse(negative, hn::Neg(product), product));
      Halves::Put<k>(work, hn::IfThenElseZero(negative, product));
      Bytes::Put<k>(high, hn::ShiftRight<8>(magnitude));
      Bytes::Put<k>(low, magnitude);
    });
    for (int part = 0; part < 2; ++part) {
      StoreCells(out[part], p[0][part] + i);
      StoreCells(work[part], p[3][part] + i);
    }
    StoreCells(high[0], p[4][0] + i);
    StoreCells(low[0], p[5][0] + i);
  });
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(FixedPointCells);
HWY_EXPORT(SplitByteCells);
HWY_EXPORT(Mul16By8Cells);
HWY_EXPORT(MulS16ByU8Cells);

void fixed_point_cells(const void* op, const CellBlock& block) {
  HWY_DYNAMIC_DISPATCH(FixedPointCells)(op, block);
}
void split_byte_cells(const void* op, const CellBlock& block) {
  HWY_DYNAMIC_DISPATCH(SplitByteCells)(op, block);
}
void mul_16_by_8_cells(const void* op, const CellBlock& block) {
  HWY_DYNAMIC_DISPATCH(Mul16By8Cells)(op, block);
}
void mul_s16_by_u8_cells(const void* op, const CellBlock& block) {
  HWY_DYNAMIC_DISPATCH(MulS16ByU8Cells)(op, block);
}

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

// Widths that the kernels were made for, and intermediate values that fit 32 bits.
bool is_valid(const FixedPoint& op) {
  const bool in_16 = is_16bit(op.a_type), out_16 = is_16bit(op.out.dtype);
  const bool narrow = op.kind == Kind::mul || op.kind == Kind::mac;
  const bool shift = op.kind == Kind::arithmetic_shift || op.kind == Kind::logical_shift;
  return is_packed(op.out, out_16) && is_valid(op.a, op.a_type, in_16) &&
         is_valid(op.b, op.b_type, in_16) && !(narrow && in_16) &&
         !(op.kind == Kind::mac && (!out_16 || !is_16bit(op.old_type))) &&
         !(shift && !(in_16 && out_16)) && op.rshift < 32 && op.lshift <= 14;
}

// The view without elements that only fill cells.
TensorView cut(TensorView view, const Shape& shape) {
  view.shape = shape;
  return view;
}

// out = in & mask in the cells of the last n, which are not full.
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

}  // namespace

bool execute(const FixedPoint& op, const Memory& memory) {
  if (!vectors_enabled() || !is_valid(op)) return false;
  const CellOperand out{&op.out, op.kind == Kind::mac ? Access::read_write : Access::write};
  const uint8_t pack = is_16bit(op.a_type) ? 2 : 4;
  return run_cells({out, cell_source(op.a, pack), cell_source(op.b, pack)}, memory,
                   fixed_point_cells, &op);
}

bool execute(const SplitByte& op, const Memory& memory) {
  if (!vectors_enabled() || !is_packed(op.out, false) || !is_packed(op.in, true)) return false;
  const TensorView in = cut(op.in, op.out.shape);
  if (!op.work)
    return run_cells({cell_write(op.out), cell_read(in)}, memory, split_byte_cells, &op);
  const TensorView work = cut(*op.work, op.out.shape);
  if (!is_packed(work, true)) return false;
  if (!run_cells({cell_write(op.out), cell_read(in), cell_write(work)}, memory, split_byte_cells,
                 &op))
    return false;
  if (op.in.shape != op.out.shape) mask_last_cells(work, in, 0x00ff'00ff, memory);
  return true;
}

bool execute(const Mul16By8& op, const Memory& memory) {
  return vectors_enabled() && is_packed(op.out, true) && is_packed(op.high, false) &&
         is_packed(op.low, false) && is_packed(op.b, false) && op.rshift < 32 &&
         run_cells({cell_write(op.out), cell_read(op.high), cell_read(op.low), cell_read(op.b)},
                   memory, mul_16_by_8_cells, &op);
}

// Cells that are not full are left to the reference body.
bool execute(const MulS16ByU8& op, const Memory& memory) {
  return vectors_enabled() && op.out.shape == op.a.shape && is_packed(op.out, true) &&
         is_packed(op.a, true) && is_packed(op.b, false) && is_packed(op.work, true) &&
         is_packed(op.work_high, false) && is_packed(op.work_low, false) && op.rshift < 32 &&
         run_cells({cell_write(op.out), cell_read(op.a), cell_read(op.b), cell_write(op.work),
                    cell_write(op.work_high), cell_write(op.work_low)},
                   memory, mul_s16_by_u8_cells, &op);
}

}  // namespace tputwin::fast
#endif
