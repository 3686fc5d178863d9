// bitwise: vectors of cells, or rows of bytes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/bitwise.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/elementwise/bitwise.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/walk/cells-inl.h"
#include "ops/fast/walk/rows.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using Kind = Bitwise::Kind;

// Of amounts outside [-32, 32] the low 6 bits, as a signed number.
HWY_INLINE V32 Amount(V32 b) {
  const D32 d;
  const V32 six = hn::Sub(hn::Xor(hn::And(b, hn::Set(d, 63)), hn::Set(d, 32)), hn::Set(d, 32));
  const auto outside = hn::Or(hn::Gt(b, hn::Set(d, 32)), hn::Lt(b, hn::Set(d, -32)));
  return hn::IfThenElse(outside, six, b);
}

template <Kind kKind>
HWY_INLINE V32 Shifted(V32 a, V32 amount, bool keeps_at_32) {
  const D32 d;
  const hn::RebindToUnsigned<D32> du;
  const V32 zero = hn::Zero(d), most = hn::Set(d, 31);
  const V32 left = hn::Min(hn::Max(amount, zero), most);
  const V32 right = hn::Min(hn::Max(hn::Neg(amount), zero), most);
  const auto by_32_left = hn::Eq(amount, hn::Set(d, 32));
  const auto by_32 = hn::Or(by_32_left, hn::Eq(amount, hn::Set(d, -32)));
  V32 v = hn::Shl(a, left);  // one of the two counts is 0
  if constexpr (kKind == Kind::arithmetic_shift)
    v = hn::IfThenZeroElse(by_32_left, hn::Shr(v, right));
  else
    v = hn::IfThenZeroElse(by_32,
                           hn::BitCast(d, hn::Shr(hn::BitCast(du, v), hn::BitCast(du, right))));
  return keeps_at_32 ? hn::IfThenElse(by_32, a, v) : v;
}

template <Kind kKind>
HWY_INLINE V32 Result(V32 a, V32 b, bool keeps_at_32) {
  if constexpr (kKind == Kind::bit_and) return hn::And(a, b);
  if constexpr (kKind == Kind::bit_or) return hn::Or(a, b);
  if constexpr (kKind == Kind::bit_xor) return hn::Xor(a, b);
  return Shifted<kKind>(a, Amount(b), keeps_at_32);
}

template <Kind kKind>
void Cells(const Bitwise& op, const CellBlock& block) {
  const bool keeps_at_32 = op.keeps_at_32;
  ForEachVector(block, 3, [&](const CellParts& p, size_t i) HWY_ATTR {
    StoreCells(Result<kKind>(LoadCells(p[1][0] + i), LoadCells(p[2][0] + i), keeps_at_32),
               p[0][0] + i);
  });
}

void BitwiseCells(const void* operation, const CellBlock& block) {
  const auto& op = *static_cast<const Bitwise*>(operation);
  switch (op.kind) {
    case Kind::bit_and:
      return Cells<Kind::bit_and>(op, block);
    case Kind::bit_or:
      return Cells<Kind::bit_or>(op, block);
    case Kind::bit_xor:
      return Cells<Kind::bit_xor>(op, block);
    case Kind::arithmetic_shift:
      return Cells<Kind::arithmetic_shift>(op, block);
    case Kind::logical_shift:
      return Cells<Kind::logical_shift>(op, block);
  }
}

// Logic does not mind the width of elements.
void LogicRows(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const Bitwise*>(operation);
  const hn::CappedTag<uint8_t, kRowUnit> d;
  const auto run = [&](const auto& logic) HWY_ATTR {
    const auto *a = block.source<uint8_t>(1), *b = block.source<uint8_t>(2);
    const size_t bytes = block.count * element_bytes(op.out.dtype);
    for (size_t i = 0; i < bytes; i += hn::Lanes(d))
      hn::StoreU(logic(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, block.result<uint8_t>() + i);
  };
  using V = hn::Vec<hn::CappedTag<uint8_t, kRowUnit>>;
  if (op.kind == Kind::bit_and) return run([](V a, V b) HWY_ATTR { return hn::And(a, b); });
  if (op.kind == Kind::bit_or) return run([](V a, V b) HWY_ATTR { return hn::Or(a, b); });
  run([](V a, V b) HWY_ATTR { return hn::Xor(a, b); });
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {

namespace {

HWY_EXPORT(BitwiseCells);
HWY_EXPORT(LogicRows);

void logic_rows(const void* op, const RowBlock& block) {
  HWY_DYNAMIC_DISPATCH(LogicRows)(op, block);
}

void bitwise32_cells(const void* op, const CellBlock& block) {
  HWY_DYNAMIC_DISPATCH(BitwiseCells)(op, block);
}

}  // namespace

bool execute(const Bitwise& op, const Memory& memory) {
  if (!vectors_enabled()) return false;
  const bool logic = op.kind <= Bitwise::Kind::bit_xor;
  if (!op.a.along_n && is_32bit(op.out.dtype) &&
      run_cells({cell_write(op.out), cell_source(op.a, 1), cell_source(op.b, 1)}, memory,
                bitwise32_cells, &op))
    return true;
  const auto typed = [&](Source source) {
    source.view.dtype = op.out.dtype;
    return row_source(source);
  };
  return logic && run_rows({row_result(op.out), typed(op.a), typed(op.b)}, memory,
                           RowLanes::elements, logic_rows, &op);
}

}  // namespace tputwin::fast
#endif
