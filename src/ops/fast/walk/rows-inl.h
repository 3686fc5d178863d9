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

// Vectors of words from lane i of a block on.
HWY_INLINE Floats LoadFloats(const RowBlock& block, size_t operand, size_t i) {
  return hn::LoadU(F32(), block.source<float>(operand) + i);
}
HWY_INLINE Ints LoadInts(const RowBlock& block, size_t operand, size_t i) {
  return hn::LoadU(I32(), block.source<int32_t>(operand) + i);
}
// The same of elements of a floating-point type.
template <DType kType>
HWY_INLINE const uint8_t* ElementsAt(const RowBlock& block, size_t operand, size_t i) {
  return block.source<uint8_t>(operand) + i * element_bytes(kType);
}

// step(i) for the first lane of every vector of 32-bit lanes of a block.
template <class Step>
HWY_INLINE void ForEachVector(const RowBlock& block, const Step& step) {
  for (size_t i = 0; i < block.count; i += hn::Lanes(I32())) step(i);
}

// What a formula computes: one result, or also what goes into a work tensor.
struct WithWork {
  Floats result, work;
};
HWY_INLINE Floats result_of(Floats values) { return values; }
HWY_INLINE Floats result_of(const WithWork& values) { return values.result; }

template <class Formula, size_t kFirst, size_t... I>
HWY_NOINLINE void ComputeElements(const Formula& formula, std::index_sequence<I...>,
                                  const RowBlock& block, size_t i) {
  for (size_t end = i + hn::Lanes(F32()); i < end; ++i) {
    const auto value = formula.Element(block.source<float>(kFirst + I)[i]...);
    if constexpr (kFirst == 1) {
      block.result<float>()[i] = value;
    } else {
      block.result<float>(0)[i] = value.result;
      block.result<float>(1)[i] = value.work;
    }
  }
}

template <class Formula, size_t... I>
HWY_INLINE void ComputeBlock(const Formula& formula, std::index_sequence<I...> sources,
                             const RowBlock& block) {
  constexpr size_t kFirst = Formula::kHasWork ? 2 : 1;
  ForEachVector(block, [&](size_t i) HWY_ATTR {
    const auto values = formula.Apply(LoadFloats(block, kFirst + I, i)...);
    if constexpr (Formula::kMakesNan)
      if (HWY_UNLIKELY(has_nan(result_of(values))))
        return ComputeElements<Formula, kFirst>(formula, sources, block, i);
    if constexpr (Formula::kHasWork) hn::StoreU(values.work, F32(), block.result<float>(1) + i);
    hn::StoreU(result_of(values), F32(), block.result<float>() + i);
  });
}

// A formula of fp32 over a block: its results, then its sources. It is a FormulaOf and has
//   Apply(Floats a, ...), vectors of results from vectors of sources
//   Element(float a, ...), the same for one element, if
//   kMakesNan: vector units differ in which NaN they keep, and compilers exchange operands, so
//     elements that come out as NaN are computed again by Element; not where results are copied.
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
