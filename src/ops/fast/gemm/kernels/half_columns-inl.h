// One row of fp16 or bf16 times columns that are stored as rows. Vectors go along a column, and the
// results of groups are joined in pairs. Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_HALF_COLUMNS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_HALF_COLUMNS_INL_H
#undef TPUTWIN_FAST_HALF_COLUMNS_INL_H
#else
#define TPUTWIN_FAST_HALF_COLUMNS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "memory/memory.h"
#include "ops/fast/gemm/kernels/half_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using HalfVector = hn::Vec<Int16Tag>;
static_assert(kAddTreeGroup % kInt16Elements == 0);

// A column, and the groups of the row that it is multiplied by. The second pass over the column
// prefetches `ahead`, one cache line with every group.
struct HalfColumn {
  const uint16_t *at, *ahead;
  const int16_t* thresholds;
  size_t groups;

  // Columns may begin at any byte.
  int magnitude(size_t term) const {
    return Memory::load<uint16_t>(reinterpret_cast<const uint8_t*>(at + term)) & 0x7fff;
  }
  bool is_zero(size_t group) const {
    int any = 0;
    for (size_t i = 0; i < kAddTreeGroup; ++i) any |= magnitude(group * kAddTreeGroup + i);
    return any == 0;
  }
};

// Joins vectors, one for every group, to one vector with an element for every group. `leaf(group)`
// returns the vector of a group, and `join(a, b)` combines two elements. Blocks of 128 bits come
// first: joining two vectors interleaves their elements.
template <size_t kCount, size_t kStep, class D, class Leaf, class Join>
HWY_INLINE hn::Vec<D> JoinedInBlocks(D d, size_t group, const Leaf& leaf, const Join& join) {
  if constexpr (kCount == 1) {
    return leaf(group);
  } else {
    const auto a = JoinedInBlocks<kCount / 2, 2 * kStep>(d, group, leaf, join);
    const auto b = JoinedInBlocks<kCount / 2, 2 * kStep>(d, group + kStep, leaf, join);
    return join(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  }
}

template <class D, class Leaf, class Join>
HWY_INLINE hn::Vec<D> JoinedGroups(D d, size_t group, const Leaf& leaf, const Join& join) {
  constexpr size_t kElements = hn::MaxLanes(D()), kInBlock = 16 / sizeof(hn::TFromD<D>);
  constexpr size_t kBlocks = kElements < kInBlock ? 1 : kElements / kInBlock;
  constexpr size_t kCount = kElements < kInBlock ? kElements : kInBlock;
  const auto block = [&](size_t b) HWY_ATTR {
    return JoinedInBlocks<kCount, 1>(d, group + b * kInBlock, leaf, join);
  };
  if constexpr (kBlocks == 1) {
    return block(0);
  } else {
    const auto halves = [&](auto a, auto b) HWY_ATTR {
      return join(hn::ConcatLowerLower(d, b, a), hn::ConcatUpperUpper(d, b, a));
    };
    if constexpr (kBlocks == 2) return halves(block(0), block(1));
    const auto neighbours = [&](auto a, auto b) HWY_ATTR {
      return join(hn::OddEvenBlocks(b, a), hn::SwapAdjacentBlocks(hn::OddEvenBlocks(a, b)));
    };
    if constexpr (kBlocks == 4)
      return halves(neighbours(block(0), block(1)), neighbours(block(2), block(3)));
  }
}

// Returns a vector with the largest difference m(b) - threshold(a) (half_row.h) of each group from
// `first_group` on, 0 after the end of the column (not if kWhole). `largest` collects magnitudes.
template <bool kWhole>
HWY_INLINE HalfVector DifferencesOfGroups(const HalfColumn& c, size_t first_group,
                                          HalfVector& largest) {
  const Int16Tag d;
  const auto of_group = [&](size_t group) HWY_ATTR {
    const size_t first = group * kAddTreeGroup;
    auto difference = hn::Zero(d);
    if (!kWhole && group >= c.groups) return difference;
    for (size_t i = 0; i < kAddTreeGroup; i += kInt16Elements) {
      const auto* from = reinterpret_cast<const int16_t*>(c.at + first + i);
      const auto magnitude = hn::And(hn::LoadU(d, from), hn::Set(d, 0x7fff));
      const auto found = hn::Sub(magnitude, hn::LoadU(d, c.thresholds + first + i));
      largest = hn::Max(largest, magnitude);
      difference = i == 0 ? found : hn::Max(difference, found);
    }
    return difference;
  };
  return JoinedGroups(d, first_group, of_group,
                      [](auto a, auto b) HWY_ATTR { return hn::Max(a, b); });
}

// True if a vector of 16-bit factors becomes two of fp32 as the elements at even and at odd
// positions. That takes one instruction each for bf16.
template <DType kType>
constexpr bool kIsEvenOdd = (kType == DType::bf16) && (kInt16Elements == 2 * kElements32);

template <DType kType>
HWY_INLINE void LoadFloat16(const uint16_t* from, Floats& first, Floats& second) {
  if constexpr (kIsEvenOdd<kType>) {
    const Ints pairs = hn::LoadU(I32(), reinterpret_cast<const int32_t*>(from));
    first = floats(hn::ShiftLeft<16>(pairs));
    second = floats(hn::And(pairs, ints(static_cast<int32_t>(0xffff'0000))));
  } else {
    first = LoadAs<kType>(from);
    second = LoadAs<kType>(from + kElements32);
  }
}

// Returns the sums of products of as many groups as a vector has elements. `factors` has the
// distance of each group's factors, in bytes, from the first aligned ones.
template <DType kType, bool kWhole>
HWY_INLINE Ints TotalsOfGroups(const HalfColumn& c, size_t first_group, const float* aligned,
                               const uint32_t* factors) {
  const size_t first = first_group * kAddTreeGroup;
  const uint16_t *const at = c.at + first, *const ahead = c.ahead + first;
  const auto* const with = reinterpret_cast<const uint8_t*>(aligned + first);
  const auto of_group = [&](size_t i) HWY_ATTR {
    Ints total = hn::Zero(I32());
    if (!kWhole && first_group + i >= c.groups) return total;
    const size_t term = i * kAddTreeGroup;
    __builtin_prefetch(ahead + term);
    const auto* const factor = reinterpret_cast<const float*>(with + factors[first_group + i]);
    for (size_t k = term; k < term + kAddTreeGroup; k += 2 * kElements32) {
      Floats first_half, second_half;
      LoadFloat16<kType>(at + k, first_half, second_half);
      const Ints a = Truncated(hn::Mul(first_half, hn::Load(F32(), factor + k)));
      const Ints b = Truncated(hn::Mul(second_half, hn::Load(F32(), factor + k + kElements32)));
      total = k == term ? hn::Add(a, b) : hn::Add(total, hn::Add(a, b));
    }
    return total;
  };
  return JoinedGroups(I32(), 0, of_group, [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); });
}

// Holds the sums of each group of a slice. PartsOfAnyGroup() must compute groups in `are_unsure`.
struct PartsOfColumns {
  HWY_ALIGN float parts[HalfColumns::kMost][HalfRow::kMostGroups];
  bool are_unsure[HalfRow::kMostGroups] = {};
};

// Holds, for each group of a column, its largest difference, the factors that this difference
// aligns, and the unit of sums.
struct Alignments {
  HWY_ALIGN int16_t differences[HalfRow::kMostGroups];
  HWY_ALIGN uint32_t factors[HalfRow::kMostGroups];  // see TotalsOfGroups
  HWY_ALIGN float units[HalfRow::kMostGroups];
};

template <DType kType>
constexpr int kFractionBits = kType == DType::f16 ? 10 : 7;

// Finds the aligned factors of all groups. Returns false if some are missing.
template <DType kType, bool kWhole>
HWY_INLINE bool AlignGroups(const int32_t* base_exponents, const HalfColumn& c,
                            const AlignedFactors& aligned, Alignments& to) {
  constexpr int kLogOfRow = std::bit_width(sizeof AlignedFactors::rows[0]) - 1;
  const I32 d;
  const hn::Rebind<int16_t, I32> d16;
  const Ints lowest = ints(aligned.lowest), highest = ints(aligned.highest);
  auto misses = hn::FirstN(d, 0);
  for (size_t g = 0; g < c.groups; g += kElements32) {
    const Ints octave =
        hn::ShiftRight<kFractionBits<kType>>(hn::PromoteTo(d, hn::Load(d16, to.differences + g)));
    const auto missing = hn::Or(hn::Lt(octave, lowest), hn::Gt(octave, highest));
    misses = hn::Or(misses, kWhole ? missing : hn::And(missing, hn::FirstN(d, c.groups - g)));
    const Ints row = hn::IfThenElse(missing, ints(AlignedFactors::kZeros),
                                    hn::And(octave, ints(AlignedFactors::kOctaves - 1)));
    hn::Store(hn::BitCast(U32(), hn::ShiftLeft<kLogOfRow>(row)), U32(), to.factors + g);
    const Ints exponent = hn::Add(hn::LoadU(d, base_exponents + g), octave);
    hn::Store(floats(hn::ShiftLeft<23>(hn::Add(exponent, ints(127 - kUnitBelow)))), F32(),
              to.units + g);
  }
  return hn::AllFalse(d, misses);
}

// Computes the factors of a slice, aligned for one octave. Groups without so low an octave get
// unspecified values.
template <DType kType>
HWY_NOINLINE void AlignFactors(const HalfRow& row, const HalfColumns& columns, int octave,
                               float* to) {
  const F32 d;
  const size_t first_group = columns.first / kAddTreeGroup;
  for (size_t g = 0; g < columns.groups; ++g) {
    const int exponent = row.base_exponents[first_group + g] + octave;
    const Floats align = floats(hn::ShiftLeft<23>(ints(127 + kUnitBelow - exponent)));
    const float* const from = row.factors.data() + columns.first + g * kAddTreeGroup;
    for (size_t i = 0; i < kAddTreeGroup; i += 2 * kElements32, to += 2 * kElements32) {
      Floats first = hn::LoadU(d, from + i), second = hn::LoadU(d, from + i + kElements32);
      if constexpr (kIsEvenOdd<kType>) {
        const Floats even = hn::ConcatEven(d, second, first);
        second = hn::ConcatOdd(d, second, first);
        first = even;
      }
      hn::Store(hn::Mul(first, align), d, to);
      hn::Store(hn::Mul(second, align), d, to + kElements32);
    }
  }
}

// Computes the aligned factors that are missing for a column. Groups in `are_unsure` are computed
// by PartsOfAnyGroup() instead: those whose octave is too low to be kept with the higher ones. If
// octaves must be evicted, all groups are, because two columns may still need their factors.
template <DType kType>
HWY_NOINLINE void FindFactors(const HalfRow& row, const HalfColumns& columns, const HalfColumn& c,
                              const int16_t* differences, AlignedFactors& aligned,
                              bool* are_unsure) {
  for (size_t g = 0; g < c.groups; ++g) {
    const int octave = differences[g] >> kFractionBits<kType>;
    if (are_unsure[g] || (octave >= aligned.lowest && octave <= aligned.highest) || c.is_zero(g))
      continue;
    if (aligned.evicts_for(octave)) std::fill_n(are_unsure, c.groups, true);
    const bool is_kept = aligned.extend(
        octave, [&](int of, float* to) { AlignFactors<kType>(row, columns, of, to); });
    if (!is_kept) are_unsure[g] = true;
  }
}

// Computes the largest difference of each group of a column (DifferencesOfGroups), raised to
// `min_exact`. Returns false if a group may need the general kernel (FindUnsureGroups).
template <bool kWhole>
HWY_INLINE bool FindDifferences(const HalfRow& row, const HalfColumn& c, const int16_t* min_exact,
                                int16_t* to) {
  const Int16Tag d;
  auto largest = hn::Zero(d), low = hn::Zero(d);
  for (size_t g = 0; g < c.groups; g += kInt16Elements) {
    const auto difference = DifferencesOfGroups<kWhole>(c, g, largest);
    const auto raised = hn::Max(difference, hn::LoadU(d, min_exact + g));
    low = hn::Or(low, hn::Xor(raised, difference));
    hn::Store(raised, d, to + g);
  }
  const auto high = hn::VecFromMask(d, hn::Gt(largest, hn::Set(d, row.max_magnitude)));
  return hn::AllTrue(d, hn::Eq(hn::Or(low, high), hn::Zero(d)));
}

// Marks the groups of a column that need the general kernel. A magnitude is above
// row.max_magnitude, or the largest difference is below `min_exact` and not all elements are 0.
HWY_NOINLINE void FindUnsureGroups(const HalfRow& row, const HalfColumn& c,
                                   const int16_t* min_exact, bool* are_unsure) {
  for (size_t g = 0; g < c.groups; ++g) {
    int difference = 0, largest = 0;
    for (size_t i = 0; i < kAddTreeGroup; ++i) {
      const int magnitude = c.magnitude(g * kAddTreeGroup + i);
      largest = std::max(largest, magnitude);
      difference = std::max(difference, magnitude - c.thresholds[g * kAddTreeGroup + i]);
    }
    // groups of zeros need no exponent
    if (largest > row.max_magnitude || (difference < min_exact[g] && largest != 0))
      are_unsure[g] = true;
  }
}

template <DType kType, bool kWhole>
HWY_INLINE void AddGroupsOfColumn(const HalfColumn& c, const AlignedFactors& aligned,
                                  const Alignments& alignments, float* parts) {
  for (size_t g = 0; g < c.groups; g += kElements32) {
    const Ints totals = TotalsOfGroups<kType, kWhole>(c, g, aligned.rows[0], alignments.factors);
    const Floats units = hn::Load(F32(), alignments.units + g);
    hn::StoreU(hn::Mul(hn::ConvertTo(F32(), totals), units), F32(), parts + g);
  }
}

// Computes the parts of all columns. The differences of a column are found before the products of
// the previous column are added, which do not depend on them.
template <DType kType, bool kWhole>
HWY_NOINLINE void FindParts(const HalfRow& row, const HalfColumns& columns, AlignedFactors& aligned,
                            PartsOfColumns& to) {
  const size_t first_group = columns.first / kAddTreeGroup;
  const int16_t* const min_exact = row.min_exact_differences.data() + first_group;
  const auto column = [&](size_t j) {
    return HalfColumn{reinterpret_cast<const uint16_t*>(columns.columns[j]),
                      reinterpret_cast<const uint16_t*>(columns.ahead[j]),
                      row.thresholds.data() + columns.first, columns.groups};
  };
  Alignments alignments[2];
  for (size_t j = 0; j <= columns.count; ++j) {
    if (j < columns.count) {
      Alignments& found = alignments[j % 2];
      const HalfColumn c = column(j);
      if (!FindDifferences<kWhole>(row, c, min_exact, found.differences)) [[unlikely]]
        FindUnsureGroups(row, c, min_exact, to.are_unsure);
      const auto align = [&] {
        return AlignGroups<kType, kWhole>(row.base_exponents.data() + first_group, c, aligned,
                                          found);
      };
      if (!align()) [[unlikely]] {
        FindFactors<kType>(row, columns, c, found.differences, aligned, to.are_unsure);
        align();
      }
    }
    if (j > 0)
      AddGroupsOfColumn<kType, kWhole>(column(j - 1), aligned, alignments[(j - 1) % 2],
                                       to.parts[j - 1]);
  }
}

// Computes a group of any numbers for all columns. Parts that need the reference kernel become NaN.
template <DType kType>
HWY_NOINLINE void PartsOfAnyGroup(const HalfRow& row, const HalfColumns& columns, size_t group,
                                  PartsOfColumns& to) {
  const F32 d;
  HWY_ALIGN float inputs[kAddTreeGroup][HalfColumns::kMost] = {}, found[kElements32];
  for (size_t j = 0; j < columns.count; ++j) {
    HWY_ALIGN float column[kAddTreeGroup];
    const auto* from =
        reinterpret_cast<const uint16_t*>(columns.columns[j]) + group * kAddTreeGroup;
    for (size_t i = 0; i < kAddTreeGroup; i += kElements32)
      hn::Store(LoadAs<kType>(from + i), d, column + i);
    for (size_t i = 0; i < kAddTreeGroup; ++i) inputs[i][j] = column[i];
  }
  const float* const factors = row.factors.data() + columns.first + group * kAddTreeGroup;
  for (size_t j = 0; j < columns.count; j += kElements32) {
    Ints doubt = hn::Zero(I32());
    const Floats sum =
        PartOfGroup({factors, 1, inputs[0] + j, HalfColumns::kMost}, kAddTreeGroup, doubt);
    hn::Store(hn::Or(sum, floats(doubt)), d, found);
    for (size_t i = j; i < std::min(j + kElements32, columns.count); ++i)
      to.parts[i][group] = found[i - j];
  }
}

// Transposes kElements32 parts of four columns. to[i] holds the parts of groups i, i + 4 and so on,
// in the order of blocks of 128 bits.
HWY_INLINE void TransposeParts(const float (*parts)[HalfRow::kMostGroups],
                               float (*to)[kElements32]) {
  const F32 d;
  const auto of = [&](size_t column) HWY_ATTR { return hn::LoadU(d, parts[column]); };
  const auto low02 = hn::InterleaveLower(d, of(0), of(2));
  const auto low13 = hn::InterleaveLower(d, of(1), of(3));
  const auto high02 = hn::InterleaveUpper(d, of(0), of(2));
  const auto high13 = hn::InterleaveUpper(d, of(1), of(3));
  hn::Store(hn::InterleaveLower(d, low02, low13), d, to[0]);
  hn::Store(hn::InterleaveUpper(d, low02, low13), d, to[1]);
  hn::Store(hn::InterleaveLower(d, high02, high13), d, to[2]);
  hn::Store(hn::InterleaveUpper(d, high02, high13), d, to[3]);
}

// Adds the parts of all groups, one group after the other.
HWY_NOINLINE void AddParts(const PartsOfColumns& from, size_t groups, float* sums) {
  if constexpr (kElements32 < 4) {
    for (size_t g = 0; g < groups; ++g)
      for (size_t j = 0; j < HalfColumns::kMost; ++j) sums[j] += from.parts[j][g];
  } else {
    constexpr size_t kQuads = HalfColumns::kMost / 4;
    const hn::FixedTag<float, 4> d;
    hn::Vec<decltype(d)> sum[kQuads];
#pragma GCC unroll 4
    for (size_t q = 0; q < kQuads; ++q) sum[q] = hn::LoadU(d, sums + q * 4);
    for (size_t g = 0; g < groups; g += kElements32) {
      HWY_ALIGN float transposed[kQuads][4][kElements32];
#pragma GCC unroll 4
      for (size_t q = 0; q < kQuads; ++q)
        TransposeParts(
            reinterpret_cast<const float(*)[HalfRow::kMostGroups]>(&from.parts[q * 4][g]),
            transposed[q]);
      const size_t count = std::min(kElements32, groups - g);
      for (size_t i = 0; i < count; ++i)
#pragma GCC unroll 4
        for (size_t q = 0; q < kQuads; ++q)
          sum[q] = hn::Add(sum[q], hn::Load(d, transposed[q][i % 4] + i / 4 * 4));
    }
#pragma GCC unroll 4
    for (size_t q = 0; q < kQuads; ++q) hn::StoreU(sum[q], d, sums + q * 4);
  }
}

template <DType kType>
void ColumnsOfType(const HalfRow& row, const HalfColumns& columns, AlignedFactors& aligned,
                   float* sums) {
  PartsOfColumns found;
  for (size_t j = columns.count; j < HalfColumns::kMost; ++j)
    std::ranges::fill(found.parts[j], 0.0f);
  columns.groups == HalfRow::kMostGroups ? FindParts<kType, true>(row, columns, aligned, found)
                                         : FindParts<kType, false>(row, columns, aligned, found);
  for (size_t g = 0; g < columns.groups; ++g)
    if (found.are_unsure[g]) PartsOfAnyGroup<kType>(row, columns, g, found);
  AddParts(found, columns.groups, sums);
}

void ColumnsOfFloat16(const HalfRow& row, const HalfColumns& columns, AlignedFactors& aligned,
                      uint32_t* sums) {
  row.dtype == DType::f16 ? ColumnsOfType<DType::f16>(row, columns, aligned, as_floats(sums))
                          : ColumnsOfType<DType::bf16>(row, columns, aligned, as_floats(sums));
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
