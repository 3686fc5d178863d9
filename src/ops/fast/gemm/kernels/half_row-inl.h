// One row of fp16 or bf16 times columns that are read in place, in groups of products as
// numerics/add_tree.h sums them. Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_HALF_ROW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_HALF_ROW_INL_H
#undef TPUTWIN_FAST_HALF_ROW_INL_H
#else
#define TPUTWIN_FAST_HALF_ROW_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "ops/fast/gemm/kernels/grouped-inl.h"
#include "ops/fast/gemm/kernels/half_row.h"
#include "ops/fast/vec/float16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using Int16Tag = hn::ScalableTag<int16_t>;
constexpr size_t kInt16Elements = hn::MaxLanes(Int16Tag());

// Returns magnitudes as bits, which have the order of the numbers.
Magnitudes MagnitudesOfGroup(const float* factors) {
  const I32 d;
  const Ints infinity = ints(static_cast<int32_t>(f32::kInfinity));
  Ints least = infinity, largest = hn::Zero(d);
  for (size_t i = 0; i < kAddTreeGroup; i += kElements32) {
    const Ints magnitude = bits(hn::Abs(hn::LoadU(F32(), factors + i)));
    const auto is_zero = hn::Eq(magnitude, hn::Zero(d));
    least = hn::Min(least, hn::IfThenElse(is_zero, infinity, magnitude));
    largest = hn::Max(largest, magnitude);
  }
  return {static_cast<uint32_t>(hn::GetLane(hn::MinOfLanes(d, least))),
          static_cast<uint32_t>(hn::GetLane(hn::MaxOfLanes(d, largest)))};
}

// Computes the thresholds of HalfRow, and each threshold in both int16 halves of a uint32.
void ThresholdsOfGroup(const HalfGroup& group, int16_t* thresholds, uint32_t* pairs) {
  const I32 d;
  const int bits_below = 23 - group.fraction_bits;
  const Ints exponent_end = ints(group.max_exponent + 1 + 127);
  const Ints max_threshold = ints(HalfRow::kMaxThreshold);
  const Ints fraction_mask = ints((1 << group.fraction_bits) - 1);
  for (size_t i = 0; i < kAddTreeGroup; i += kElements32) {
    const Ints magnitude = bits(hn::Abs(hn::LoadU(F32(), group.factors + i)));
    const Ints fraction = hn::And(hn::ShiftRightSame(magnitude, bits_below), fraction_mask);
    const Ints octaves = hn::Sub(exponent_end, hn::ShiftRight<23>(magnitude));
    const Ints threshold = hn::Sub(hn::ShiftLeftSame(octaves, group.fraction_bits),
                                   hn::GatherIndex(d, group.carry_distance, fraction));
    const auto is_zero = hn::Eq(magnitude, hn::Zero(d));
    const Ints found = hn::IfThenElse(is_zero, max_threshold, hn::Min(threshold, max_threshold));
    hn::StoreU(LowBits<uint16_t>(I32(), found), hn::Rebind<uint16_t, I32>(),
               reinterpret_cast<uint16_t*>(thresholds + i));
    hn::StoreU(hn::BitCast(U32(), hn::Or(found, hn::ShiftLeft<16>(found))), U32(), pairs + i);
  }
}

// Both passes over a group prefetch, so that neither is slowed down. The first pass, which is
// short, prefetches one vector of kVectorsPerAhead, the second pass the others.
constexpr size_t kVectorsPerAhead = 4;

// The rows of the right matrix in one group of terms, from a column on.
struct GroupOfFloat16 {
  const HalfRow& row;
  const HalfTerms& terms;
  size_t first, count, column;  // terms, and their first column

  HWY_INLINE const uint16_t* at(size_t i) const {
    return reinterpret_cast<const uint16_t*>(terms.right[first + i]) + column;
  }
  HWY_INLINE const uint16_t* ahead(size_t i) const {
    return reinterpret_cast<const uint16_t*>(terms.ahead[first + i]) + column;
  }
};

// For each of kV vectors of columns, computes the largest difference m(b) - threshold(a) over the
// group (half_row.h). Returns false if one of them does not determine its exponent.
template <size_t kV>
HWY_INLINE bool LargestDifferences(const GroupOfFloat16& group, int16_t* to) {
  const Int16Tag d;
  const auto magnitude_bits = hn::Set(d, 0x7fff);
  hn::Vec<Int16Tag> largest[kV], difference[kV];
#pragma GCC unroll 4
  for (size_t v = 0; v < kV; ++v) largest[v] = difference[v] = hn::Zero(d);
  for (size_t i = 0; i < group.count; ++i) {
    const auto threshold =
        hn::BitCast(d, hn::Set(U32(), group.row.threshold_pairs[group.first + i]));
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v) {
      if (v % kVectorsPerAhead == 0) __builtin_prefetch(group.ahead(i) + v * kInt16Elements);
      const auto* from = reinterpret_cast<const int16_t*>(group.at(i) + v * kInt16Elements);
      const auto magnitude = hn::And(hn::LoadU(d, from), magnitude_bits);
      largest[v] = hn::Max(largest[v], magnitude);
      difference[v] = hn::Max(difference[v], hn::Sub(magnitude, threshold));
    }
  }
  // columns of zeros need no exponent
  const auto min_exact = hn::Set(d, group.row.min_exact_differences[group.first / kAddTreeGroup]);
  const auto max_magnitude = hn::Set(d, group.row.max_magnitude);
  auto unsure = hn::Zero(d);
#pragma GCC unroll 4
  for (size_t v = 0; v < kV; ++v) {
    const auto raised = hn::Max(difference[v], min_exact);
    const auto is_zero = hn::VecFromMask(d, hn::Eq(largest[v], hn::Zero(d)));
    const auto is_low = hn::VecFromMask(d, hn::Gt(raised, difference[v]));
    const auto is_high = hn::VecFromMask(d, hn::Gt(largest[v], max_magnitude));
    unsure = hn::Or(unsure, hn::Or(hn::AndNot(is_zero, is_low), is_high));
    hn::StoreU(raised, d, to + v * kInt16Elements);
  }
  return hn::AllTrue(d, hn::Eq(unsure, hn::Zero(d)));
}

// Adds a group to the sums of kV vectors of fp32, whose largest differences are known.
template <DType kType, size_t kV>
HWY_INLINE void AddKnownGroup(const GroupOfFloat16& group, const int16_t* differences,
                              float* sums) {
  constexpr int kFractionBits = kType == DType::f16 ? 10 : 7;
  const F32 d;
  const Ints base = ints(group.row.base_exponents[group.first / kAddTreeGroup]);
  Ints exponents[kV], totals[kV];
  Floats aligning[kV];
#pragma GCC unroll 8
  for (size_t v = 0; v < kV; ++v) {
    const Ints difference =
        hn::PromoteTo(I32(), hn::LoadU(hn::Rebind<int16_t, I32>(), differences + v * kElements32));
    exponents[v] = hn::Add(base, hn::ShiftRight<kFractionBits>(difference));
    aligning[v] = floats(hn::ShiftLeft<23>(hn::Sub(ints(127 + kUnitBelow), exponents[v])));
    totals[v] = hn::Zero(I32());
  }
  for (size_t i = 0; i < group.count; ++i) {
    const Floats factor = hn::Set(d, group.row.factors[group.first + i]);
    const uint16_t* from = group.at(i);
#pragma GCC unroll 4
    for (size_t v = 0; v < kV * kElements32; v += kInt16Elements)
      if (v / kInt16Elements % kVectorsPerAhead != 0) __builtin_prefetch(group.ahead(i) + v);
#pragma GCC unroll 8
    for (size_t v = 0; v < kV; ++v) {
      const Floats aligned = hn::Mul(LoadAs<kType>(from + v * kElements32), aligning[v]);
      totals[v] = hn::Add(totals[v], Truncated(hn::Mul(aligned, factor)));
    }
  }
#pragma GCC unroll 8
  for (size_t v = 0; v < kV; ++v) {
    const Floats unit = floats(hn::ShiftLeft<23>(hn::Add(exponents[v], ints(127 - kUnitBelow))));
    float* const at = sums + v * kElements32;
    hn::StoreU(hn::Add(hn::LoadU(d, at), hn::Mul(hn::ConvertTo(d, totals[v]), unit)), d, at);
  }
}

// Adds a group of any numbers to one vector of fp32 sums after the other. Sums that need the
// reference kernel become NaN.
template <DType kType>
HWY_NOINLINE void AddAnyGroup(GroupOfFloat16 group, size_t vectors, float* sums) {
  const F32 d;
  HWY_ALIGN float inputs[kAddTreeGroup * kElements32];
  for (size_t v = 0; v < vectors; ++v, group.column += kElements32, sums += kElements32) {
    for (size_t i = 0; i < group.count; ++i)
      hn::Store(LoadAs<kType>(group.at(i)), d, inputs + i * kElements32);
    Ints doubt = hn::Zero(I32());
    const GroupFactors factors{group.row.factors.data() + group.first, 1, inputs, kElements32};
    const Floats sum = hn::Add(hn::LoadU(d, sums), PartOfGroup(factors, group.count, doubt));
    hn::StoreU(hn::Or(sum, floats(doubt)), d, sums);
  }
}

// Adds all groups to the sums of kV vectors of 16-bit elements.
template <DType kType, size_t kV>
HWY_NOINLINE void AddGroupsOfFloat16(const HalfRow& row, const HalfTerms& terms, size_t column,
                                     float* sums) {
  constexpr size_t kVectors = kV * (kInt16Elements / kElements32);
  HWY_ALIGN int16_t differences[kV * kInt16Elements];
  for (size_t first = 0; first < terms.count; first += kAddTreeGroup) {
    const size_t count = std::min<size_t>(kAddTreeGroup, terms.count - first);
    const GroupOfFloat16 group{row, terms, first, count, column};
    if (LargestDifferences<kV>(group, differences)) [[likely]]
      AddKnownGroup<kType, kVectors>(group, differences, sums);
    else
      AddAnyGroup<kType>(group, kVectors, sums);
  }
}

// Computes a row, kV vectors of columns at a time. Fewer vectors follow for the last columns.
template <DType kType, size_t kV = HWY_ARCH_X86&& HWY_TARGET <= HWY_AVX3 ? 4 : 2>
void RowOfType(const HalfRow& row, const HalfTerms& terms, size_t count, float* sums,
               size_t column = 0) {
  for (; column + (kV - 1) * kInt16Elements < count; column += kV * kInt16Elements)
    AddGroupsOfFloat16<kType, kV>(row, terms, column, sums + column);
  if constexpr (kV > 1) RowOfType<kType, kV / 2>(row, terms, count, sums, column);
}

void RowOfFloat16(const HalfRow& row, const HalfTerms& terms, size_t count, uint32_t* sums) {
  row.dtype == DType::f16 ? RowOfType<DType::f16>(row, terms, count, as_floats(sums))
                          : RowOfType<DType::bf16>(row, terms, count, as_floats(sums));
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
