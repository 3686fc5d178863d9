// select: comparisons and choices in 32-bit elements.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/select.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/elementwise/select.h"
#include "ops/fast/fast.h"
#include "ops/fast/walk/by_kind.h"
#include "ops/fast/walk/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using Compare = Select::Compare;

// Operands: out, a, b, if_true, if_false, and optionally the extreme.
enum { kOut, kA, kB, kTrue, kFalse, kExtreme };

// Returns true for floats with equal values, or with equal patterns, as NaN may have.
HWY_INLINE hn::Mask<F32> equal(Floats a, Floats b) {
  return hn::Or(hn::Eq(a, b), of_floats(hn::Eq(bits(a), bits(b))));
}
HWY_INLINE hn::Mask<I32> equal(Ints a, Ints b) { return hn::Eq(a, b); }

template <Compare kCompare, class V>
HWY_INLINE auto Holds(V a, V b) {
  if constexpr (kCompare == Compare::greater) return hn::Gt(a, b);
  if constexpr (kCompare == Compare::at_most) return hn::Not(hn::Gt(a, b));
  if constexpr (kCompare == Compare::less) return hn::Not(hn::Or(hn::Gt(a, b), equal(a, b)));
  if constexpr (kCompare == Compare::at_least) return hn::Or(hn::Gt(a, b), equal(a, b));
  if constexpr (kCompare == Compare::not_equal) return hn::Not(equal(a, b));
  if constexpr (kCompare == Compare::equal) return hn::Not(hn::Or(hn::Gt(a, b), hn::Gt(b, a)));
  if constexpr (kCompare == Compare::equal_value) return equal(a, b);
}

template <Compare kCompare, bool kFloats>
HWY_INLINE hn::Mask<I32> HoldsFor(Ints a, Ints b) {
  if constexpr (kCompare == Compare::equal_bits)
    return hn::Eq(a, b);
  else if constexpr (kFloats)
    return of_ints(Holds<kCompare>(floats(a), floats(b)));
  else
    return Holds<kCompare>(a, b);
}

template <Compare kCompare, bool kFloats>
void SelectBlock(const Select& op, const RowBlock& block) {
  const RowSource source_a = block.row_source(kA), source_b = block.row_source(kB);
  const RowSource yes = block.row_source(kTrue), no = block.row_source(kFalse);
  auto* const out = block.result<int32_t>(kOut);
  auto* const extreme = op.extreme ? block.result<int32_t>(kExtreme) : nullptr;
  for (size_t i = 0, count = block.count; i < count; i += hn::Lanes(I32())) {
    const Ints a = LoadInts(source_a, i), b = LoadInts(source_b, i);
    const auto first = HoldsFor<kCompare, kFloats>(a, b);
    const Ints chosen = hn::IfThenElse(first, LoadInts(yes, i), LoadInts(no, i));
    if (extreme != nullptr) hn::StoreU(hn::IfThenElse(first, a, b), I32(), extreme + i);
    hn::StoreU(chosen, I32(), out + i);
  }
}

template <Compare kCompare>
void SelectBlock(const Select& op, const RowBlock& block) {
  is_float(op.type) ? SelectBlock<kCompare, true>(op, block)
                    : SelectBlock<kCompare, false>(op, block);
}

void SelectRows(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const Select*>(operation);
  by_kind<Compare::not_equal>(op.compare,
                              [&]<Compare kCompare>(std::integral_constant<Compare, kCompare>)
                                  HWY_ATTR { SelectBlock<kCompare>(op, block); });
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

TW_ROW_KERNEL(select_rows, SelectRows)

// 16-bit floating-point values are copied as bits.
RowOperand moved(const Source& source) {
  return is_half(source.view.dtype) ? row_source_as(source, DType::u16) : row_source(source);
}

Declined rows(const Select& op, const Memory& memory) {
  using Compare = Select::Compare;
  if (op.type == DType::u32) return "comparisons of u32";
  if (is_half(op.type) && op.compare != Compare::greater && op.compare != Compare::at_most)
    return "widened NaN of 16 bits do not show whether they had the same pattern";
  if (op.extreme && is_float(op.type) && !op.keeps_extreme_bits)
    return "extremes of floats are flushed";
  RowOperand out = moved(Source::tensor(op.out));
  out.written = true;
  const RowOperand a = row_source(op.a), b = row_source(op.b);
  const RowOperand yes = moved(op.if_true), no = moved(op.if_false);
  const RowWork work{.form = RowForm::wide,
                     .kernel = select_rows,
                     .operation = &op,
                     .weight = 2,
                     .repeats = true,
                     .keep = keep_copy<Select>};
  if (op.extreme) return run_rows({out, a, b, yes, no, row_result(*op.extreme)}, memory, work);
  return run_rows({out, a, b, yes, no}, memory, work);
}

}  // namespace

TW_FAST_KERNELS(Select, {"rows", rows})

}  // namespace tputwin::fast
#endif
