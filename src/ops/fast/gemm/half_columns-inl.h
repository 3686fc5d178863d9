// One row of fp16 or bf16 times columns that are stored as rows: vectors lie along a column, and
// what groups come to is joined in pairs. Included once per target (see Highway's
// foreach_target.h).
#if defined(TPUTWIN_FAST_HALF_COLUMNS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_HALF_COLUMNS_INL_H
#undef TPUTWIN_FAST_HALF_COLUMNS_INL_H
#else
#define TPUTWIN_FAST_HALF_COLUMNS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "ops/fast/gemm/half_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using HalfVector = hn::Vec<Halves>;
static_assert(kAddTreeGroup % kHalves == 0);

// A column, and the groups of the row that it meets. What comes `ahead` of it is asked for in both
// passes over the column, every second line in each.
struct HalfColumn {
  const uint16_t *at, *ahead;
  const int16_t* drops;
  const float* factors;
  size_t groups;
};

// Joins vectors, one of every group, to one that has a lane of every group: `leaf(group)` is the
// vector of a group, `join(a, b)` what two lanes come to together. In blocks of 128 bits first:
// that of two vectors interleaves their lanes.
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
  constexpr size_t kLanes = hn::MaxLanes(D()), kInBlock = 16 / sizeof(hn::TFromD<D>);
  constexpr size_t kBlocks = kLanes < kInBlock ? 1 : kLanes / kInBlock;
  constexpr size_t kCount = kLanes < kInBlock ? kLanes : kInBlock;
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

// The largest differences of as many groups as a vector has lanes; none where the column has ended,
// which it has not if it is kWhole. `largest`: magnitudes, lane by lane.
template <bool kWhole>
HWY_INLINE HalfVector DifferencesOfGroups(const HalfColumn& c, size_t first_group,
                                          HalfVector& largest) {
  const Halves d;
  const auto of_group = [&](size_t group) HWY_ATTR {
    const size_t first = group * kAddTreeGroup;
    auto difference = hn::Zero(d);
    if (!kWhole && group >= c.groups) return difference;
    if (group % 2 == 0) __builtin_prefetch(c.ahead + first);
    for (size_t i = 0; i < kAddTreeGroup; i += kHalves) {
      const auto* from = reinterpret_cast<const int16_t*>(c.at + first + i);
      const auto magnitude = hn::And(hn::LoadU(d, from), hn::Set(d, 0x7fff));
      const auto found = hn::Sub(magnitude, hn::LoadU(d, c.drops + first + i));
      largest = hn::Max(largest, magnitude);
      difference = i == 0 ? found : hn::Max(difference, found);
    }
    return difference;
  };
  return JoinedGroups(d, first_group, of_group,
                      [](auto a, auto b) HWY_ATTR { return hn::Max(a, b); });
}

// The same of sums of aligned products.
template <DType kType, bool kWhole>
HWY_INLINE Ints TotalsOfGroups(const HalfColumn& c, size_t first_group, const float* aligning) {
  const F32 d;
  const auto of_group = [&](size_t group) HWY_ATTR {
    const size_t first = group * kAddTreeGroup;
    Ints total = hn::Zero(I32());
    if (!kWhole && group >= c.groups) return total;
    if (group % 2 != 0) __builtin_prefetch(c.ahead + first);
    const Floats align = hn::Set(d, aligning[group]);
    for (size_t i = 0; i < kAddTreeGroup; i += kLanes32) {
      const Floats aligned = hn::Mul(LoadAs<kType>(c.at + first + i), align);
      const Ints product = Truncated(hn::Mul(aligned, hn::LoadU(d, c.factors + first + i)));
      total = i == 0 ? product : hn::Add(total, product);
    }
    return total;
  };
  return JoinedGroups(I32(), first_group, of_group,
                      [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); });
}

// Of every group of a slice of columns: what it comes to, and whether that is not known of one of
// the columns.
struct PartsOfColumns {
  float parts[HalfColumns::kMost][HalfRow::kMostGroups] = {};
  bool are_unsure[HalfRow::kMostGroups] = {};
};

// What aligns the products of every group of a column, and the unit of their sums.
struct Alignments {
  HWY_ALIGN int16_t differences[HalfRow::kMostGroups];
  HWY_ALIGN float factors[HalfRow::kMostGroups], units[HalfRow::kMostGroups];
};

template <DType kType>
HWY_INLINE void AlignGroups(const int32_t* tops, const HalfColumn& c, Alignments& to) {
  constexpr int kFractionBits = kType == DType::f16 ? 10 : 7;
  const hn::Rebind<int16_t, I32> d;
  for (size_t g = 0; g < c.groups; g += kLanes32) {
    const Ints difference = hn::PromoteTo(I32(), hn::Load(d, to.differences + g));
    const Ints exponent =
        hn::Add(hn::LoadU(I32(), tops + g), hn::ShiftRight<kFractionBits>(difference));
    hn::Store(floats(hn::ShiftLeft<23>(hn::Sub(ints(127 + kUnitBelow), exponent))), F32(),
              to.factors + g);
    hn::Store(floats(hn::ShiftLeft<23>(hn::Add(exponent, ints(127 - kUnitBelow)))), F32(),
              to.units + g);
  }
}

// False if one of the differences is not sure.
template <bool kWhole>
HWY_INLINE bool FindDifferences(const HalfRow& row, const HalfColumn& c, const int16_t* leasts,
                                int16_t* to) {
  const Halves d;
  auto largest = hn::Zero(d), low = hn::Zero(d);
  for (size_t g = 0; g < c.groups; g += kHalves) {
    const auto difference = DifferencesOfGroups<kWhole>(c, g, largest);
    const auto raised = hn::Max(difference, hn::LoadU(d, leasts + g));
    low = hn::Or(low, hn::Xor(raised, difference));
    hn::Store(raised, d, to + g);
  }
  const auto high = hn::VecFromMask(d, hn::Gt(largest, hn::Set(d, row.largest)));
  return hn::AllTrue(d, hn::Eq(hn::Or(low, high), hn::Zero(d)));
}

// Which groups are not sure of a column that has some.
HWY_NOINLINE void FindUnsureGroups(const HalfRow& row, const HalfColumn& c, const int16_t* leasts,
                                   bool* are_unsure) {
  for (size_t g = 0; g < c.groups; ++g) {
    const uint16_t* const at = c.at + g * kAddTreeGroup;
    int difference = 0, largest = 0;
    for (size_t i = 0; i < kAddTreeGroup; ++i) {
      const int magnitude = at[i] & 0x7fff;
      largest = std::max(largest, magnitude);
      difference = std::max(difference, magnitude - c.drops[g * kAddTreeGroup + i]);
    }
    // groups of zeros have no exponent, and need none
    if (largest > row.largest || (difference < leasts[g] && largest != 0)) are_unsure[g] = true;
  }
}

template <DType kType, bool kWhole>
HWY_INLINE void AddGroupsOfColumn(const HalfColumn& c, const Alignments& alignments, float* parts) {
  for (size_t g = 0; g < c.groups; g += kLanes32) {
    const Ints totals = TotalsOfGroups<kType, kWhole>(c, g, alignments.factors);
    const Floats units = hn::Load(F32(), alignments.units + g);
    hn::StoreU(hn::Mul(hn::ConvertTo(F32(), totals), units), F32(), parts + g);
  }
}

// The parts of all columns. Differences of a column are found before the products of the one before
// are added, which do not wait for them.
template <DType kType, bool kWhole>
HWY_NOINLINE void FindParts(const HalfRow& row, const HalfColumns& columns, PartsOfColumns& to) {
  const size_t first_group = columns.first / kAddTreeGroup;
  const int16_t* const leasts = row.leasts.data() + first_group;
  const auto column = [&](size_t j) {
    return HalfColumn{reinterpret_cast<const uint16_t*>(columns.columns[j]),
                      reinterpret_cast<const uint16_t*>(columns.ahead[j]),
                      row.drops.data() + columns.first, row.factors.data() + columns.first,
                      columns.groups};
  };
  Alignments alignments[2];
  for (size_t j = 0; j <= columns.count; ++j) {
    if (j < columns.count) {
      Alignments& found = alignments[j % 2];
      const HalfColumn c = column(j);
      if (!FindDifferences<kWhole>(row, c, leasts, found.differences)) [[unlikely]]
        FindUnsureGroups(row, c, leasts, to.are_unsure);
      AlignGroups<kType>(row.tops.data() + first_group, c, found);
    }
    if (j > 0)
      AddGroupsOfColumn<kType, kWhole>(column(j - 1), alignments[(j - 1) % 2], to.parts[j - 1]);
  }
}

// A group of any numbers, of all columns; those that need the reference body become NaN.
template <DType kType>
HWY_NOINLINE void PartsOfAnyGroup(const HalfRow& row, const HalfColumns& columns, size_t group,
                                  PartsOfColumns& to) {
  const F32 d;
  HWY_ALIGN float inputs[kAddTreeGroup][HalfColumns::kMost] = {}, found[kLanes32];
  for (size_t j = 0; j < columns.count; ++j) {
    HWY_ALIGN float column[kAddTreeGroup];
    const auto* from =
        reinterpret_cast<const uint16_t*>(columns.columns[j]) + group * kAddTreeGroup;
    for (size_t i = 0; i < kAddTreeGroup; i += kLanes32)
      hn::Store(LoadAs<kType>(from + i), d, column + i);
    for (size_t i = 0; i < kAddTreeGroup; ++i) inputs[i][j] = column[i];
  }
  const float* const factors = row.factors.data() + columns.first + group * kAddTreeGroup;
  for (size_t j = 0; j < columns.count; j += kLanes32) {
    Ints doubt = hn::Zero(I32());
    const Floats sum =
        PartOfGroup({factors, 1, inputs[0] + j, HalfColumns::kMost}, kAddTreeGroup, doubt);
    hn::Store(hn::Or(sum, floats(doubt)), d, found);
    for (size_t i = j; i < std::min(j + kLanes32, columns.count); ++i)
      to.parts[i][group] = found[i - j];
  }
}

// Turns kLanes32 parts of four columns: to[i] holds, in the order of blocks of 128 bits, those of
// the groups i, i + 4 and so on.
HWY_INLINE void TurnParts(const float (*parts)[HalfRow::kMostGroups], float (*to)[kLanes32]) {
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
  if constexpr (kLanes32 < 4) {
    for (size_t g = 0; g < groups; ++g)
      for (size_t j = 0; j < HalfColumns::kMost; ++j) sums[j] += from.parts[j][g];
  } else {
    constexpr size_t kQuads = HalfColumns::kMost / 4;
    const hn::FixedTag<float, 4> d;
    hn::Vec<decltype(d)> sum[kQuads];
#pragma GCC unroll 4
    for (size_t q = 0; q < kQuads; ++q) sum[q] = hn::LoadU(d, sums + q * 4);
    for (size_t g = 0; g < groups; g += kLanes32) {
      HWY_ALIGN float turned[kQuads][4][kLanes32];
#pragma GCC unroll 4
      for (size_t q = 0; q < kQuads; ++q)
        TurnParts(reinterpret_cast<const float(*)[HalfRow::kMostGroups]>(&from.parts[q * 4][g]),
                  turned[q]);
      const size_t count = std::min(kLanes32, groups - g);
      for (size_t i = 0; i < count; ++i)
#pragma GCC unroll 4
        for (size_t q = 0; q < kQuads; ++q)
          sum[q] = hn::Add(sum[q], hn::Load(d, turned[q][i % 4] + i / 4 * 4));
    }
#pragma GCC unroll 4
    for (size_t q = 0; q < kQuads; ++q) hn::StoreU(sum[q], d, sums + q * 4);
  }
}

template <DType kType>
void ColumnsOfType(const HalfRow& row, const HalfColumns& columns, float* sums) {
  PartsOfColumns room;
  columns.groups == HalfRow::kMostGroups ? FindParts<kType, true>(row, columns, room)
                                         : FindParts<kType, false>(row, columns, room);
  for (size_t g = 0; g < columns.groups; ++g)
    if (room.are_unsure[g]) PartsOfAnyGroup<kType>(row, columns, g, room);
  AddParts(room, columns.groups, sums);
}

void ColumnsOfHalves(const HalfRow& row, const HalfColumns& columns, uint32_t* sums) {
  row.dtype == DType::f16 ? ColumnsOfType<DType::f16>(row, columns, as_floats(sums))
                          : ColumnsOfType<DType::bf16>(row, columns, as_floats(sums));
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
