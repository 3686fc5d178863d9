#include "ops/fast/select_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/select_rows.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/elementwise/select.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/walk/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using Compare = Select::Compare;

// Operands: out, a, b, if_true, if_false, and perhaps the extreme.
enum { kOut, kA, kB, kTrue, kFalse, kExtreme };

// `equal`: the values or the patterns are.
template <class D, class V = hn::Vec<D>, class M = hn::Mask<D>>
HWY_INLINE M Holds(Compare compare, V a, V b, M equal) {
  const M greater = hn::Gt(a, b);
  switch (compare) {
    case Compare::greater:
      return greater;
    case Compare::less:
      return hn::Not(hn::Or(greater, equal));
    case Compare::at_least:
      return hn::Or(greater, equal);
    case Compare::at_most:
      return hn::Not(greater);
    case Compare::not_equal:
      return hn::Not(equal);
    default:
      return equal;
  }
}

HWY_INLINE hn::Mask<RowInts> HoldsFloats(Compare compare, RowFloatVector a, RowFloatVector b) {
  const RowInts d;
  const RowFloats df;
  const auto same = hn::RebindMask(df, hn::Eq(hn::BitCast(d, a), hn::BitCast(d, b)));
  return hn::RebindMask(d, Holds<RowFloats>(compare, a, b, hn::Or(hn::Eq(a, b), same)));
}

HWY_INLINE hn::Mask<RowInts> HoldsInts(Compare compare, RowIntVector a, RowIntVector b) {
  return Holds<RowInts>(compare, a, b, hn::Eq(a, b));
}

void SelectRows(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const Select*>(operation);
  const RowInts d;
  const bool floats = is_float(op.type);
  ForEachRowVector(block, [&](size_t i) HWY_ATTR {
    const auto first =
        floats ? HoldsFloats(op.compare, LoadFloats(block, kA, i), LoadFloats(block, kB, i))
               : HoldsInts(op.compare, LoadInts(block, kA, i), LoadInts(block, kB, i));
    const auto chosen =
        hn::IfThenElse(first, LoadInts(block, kTrue, i), LoadInts(block, kFalse, i));
    if (op.extreme)
      hn::StoreU(hn::IfThenElse(first, LoadInts(block, kA, i), LoadInts(block, kB, i)), d,
                 block.result<int32_t>(kExtreme) + i);
    hn::StoreU(chosen, d, block.result<int32_t>(kOut) + i);
  });
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(SelectRows);
void run_block(const void* op, const RowBlock& block) {
  HWY_DYNAMIC_DISPATCH(SelectRows)(op, block);
}

// 16-bit floating-point values are moved as their bits.
Source moved(Source source) {
  if (is_half(source.view.dtype)) {
    source.view.dtype = DType::u16;
    source.view.plane_stride = 1;
  }
  return source;
}

}  // namespace

bool select_rows(const Select& op, const Memory& memory) {
  // widened NaN of 16-bit types do not show whether they had the same pattern
  const bool by_value =
      op.compare == Select::Compare::greater || op.compare == Select::Compare::at_most;
  if (!vectors_enabled() || op.type == DType::u32 || (is_half(op.type) && !by_value)) return false;
  if (op.extreme && is_float(op.type)) return false;  // flushed
  const RowOperand out{moved(Source::tensor(op.out)), true};
  const RowOperand a = row_source(op.a), b = row_source(op.b);
  const RowOperand yes = row_source(moved(op.if_true)), no = row_source(moved(op.if_false));
  if (op.extreme)
    return run_rows({out, a, b, yes, no, row_result(*op.extreme)}, memory, RowLanes::words,
                    run_block, &op, 2);
  return run_rows({out, a, b, yes, no}, memory, RowLanes::words, run_block, &op, 2);
}

}  // namespace tputwin::fast
#endif  // HWY_ONCE
