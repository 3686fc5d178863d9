// Vectors over blocks of rows, and formulas of fp32 over them. Included once per target (see
// Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_ROWS_INL_H
#undef TPUTWIN_FAST_ROWS_INL_H
#else
#define TPUTWIN_FAST_ROWS_INL_H
#endif

#include <hwy/highway.h>

#include <type_traits>
#include <utility>

#include "ops/fast/vec/float16-inl.h"
#include "ops/fast/vec/float32-inl.h"
#include "ops/fast/walk/rows.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {

// Load vectors of 32-bit elements from element i of a block on.
HWY_INLINE Floats LoadFloats(const RowBlock& block, size_t operand, size_t i) {
  return hn::LoadU(F32(), block.source<float>(operand) + i);
}
HWY_INLINE Ints LoadInts(const RowBlock& block, size_t operand, size_t i) {
  return hn::LoadU(I32(), block.source<int32_t>(operand) + i);
}
HWY_INLINE Floats LoadFloats(const RowSource& source, size_t i) {
  return hn::LoadU(F32(), source.element_address<float>(i));
}
HWY_INLINE Ints LoadInts(const RowSource& source, size_t i) {
  return hn::LoadU(I32(), source.element_address<int32_t>(i));
}
// Returns the address of element i of a floating-point type.
template <DType kType>
HWY_INLINE const uint8_t* ElementsAt(const RowSource& source, size_t i) {
  return source.at + (i & source.mask) * element_bytes(kType);
}

// Calls step(i) for the first element of every 32-bit vector of a block.
template <class Step>
HWY_INLINE void ForEachVector(const RowBlock& block, const Step& step) {
  for (size_t i = 0; i < block.count; i += hn::Lanes(I32())) step(i);
}

// The results of a formula that also writes a work tensor.
struct WithWork {
  Floats result, work;
};
HWY_INLINE Floats result_of(Floats values) { return values; }
HWY_INLINE Floats result_of(const WithWork& values) { return values.result; }

// Recomputes each element that is NaN, by the formula for a single element.
template <class Formula, size_t kFirst, class Values, size_t... I>
HWY_NOINLINE void ComputeNan(const Formula& formula, std::index_sequence<I...>,
                             const RowBlock& block, size_t first, const Values& values) {
  const RowSource sources[] = {block.row_source(kFirst + I)...};
  HWY_ALIGN float results[2][kElements32];
  hn::Store(result_of(values), F32(), results[0]);
  if constexpr (kFirst == 2) hn::Store(values.work, F32(), results[1]);
  for (size_t i = 0; i < hn::Lanes(F32()); ++i) {
    if (!f32::is_nan(results[0][i])) continue;
    const auto value = formula.Element(sources[I].template element<float>(first + i)...);
    if constexpr (kFirst == 1)
      results[0][i] = value;
    else
      results[0][i] = value.result, results[1][i] = value.work;
  }
  for (size_t k = 0; k < kFirst; ++k)
    hn::StoreU(hn::Load(F32(), results[k]), F32(), block.result<float>(k) + first);
}

template <class Formula, size_t... I>
HWY_INLINE void ComputeBlock(const Formula& shared, std::index_sequence<I...> indices,
                             const RowBlock& block) {
  constexpr size_t kFirst = Formula::kHasWork ? 2 : 1;
  // The copies are local, because every vector store might change the originals through an alias.
  const Formula formula = shared;
  const RowSource sources[] = {block.row_source(kFirst + I)...};
  float *const result = block.result<float>(), *const work = block.result<float>(1);
  for (size_t i = 0, count = block.count; i < count; i += hn::Lanes(F32())) {
    const auto values = formula.Apply(LoadFloats(sources[I], i)...);
    if constexpr (Formula::kMakesNan)
      if (HWY_UNLIKELY(has_nan(result_of(values)))) {
        ComputeNan<Formula, kFirst>(shared, indices, block, i, values);
        continue;
      }
    if constexpr (Formula::kHasWork) hn::StoreU(values.work, F32(), work + i);
    hn::StoreU(result_of(values), F32(), result + i);
  }
}

// A formula of fp32 over a block with its results, then its sources. It is a FormulaOf and has
//   Apply(Floats a, ...), vectors of results from vectors of sources
//   Element(float a, ...), one result from one element of each source, if
//   kMakesNan: vector units differ in which NaN they keep, and compilers exchange operands, so
//     elements that are NaN are computed again by Element; not for formulas that copy results.
template <size_t kSourceCount, bool kNan, bool kWork = false>
struct FormulaOf {
  static constexpr size_t kSources = kSourceCount;
  static constexpr bool kMakesNan = kNan, kHasWork = kWork;
};
template <class Formula>
HWY_INLINE void ComputeBlock(const Formula& formula, const RowBlock& block) {
  ComputeBlock(formula, std::make_index_sequence<Formula::kSources>(), block);
}

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
