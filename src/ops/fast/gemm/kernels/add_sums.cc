// Adds short sums to a tile of results.
#include "ops/fast/gemm/kernels/add_sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/gemm/kernels/add_sums.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "ops/fast/vec/float32-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

// Registers hold the results of kSumRows rows. If sums have several terms, they need registers,
// too, and results have fewer vectors.
constexpr uint32_t kProductVectors = kElements32 == 16 ? 4 : 2, kSumVectors = kProductVectors / 2;
static_assert(kProductVectors * kElements32 <= kTilePitch);

// Calls f(row, vector) for every vector of a tile.
template <size_t kR, size_t kV, class F>
HWY_INLINE void ForEachVector(const F& f) {
#pragma GCC unroll 4
  for (size_t r = 0; r < kR; ++r)
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v) f(r, v);
}

// Calls use(row, vector, product) for the products of a term.
template <size_t kR, size_t kV, class F>
HWY_INLINE void MultiplyTerm(const SumFactors& f, size_t term, const F& use) {
  const F32 d;
  Floats right[kV];
#pragma GCC unroll 4
  for (size_t v = 0; v < kV; ++v)
    right[v] = hn::LoadU(d, f.right + term * f.right_pitch + v * kElements32);
#pragma GCC unroll 4
  for (size_t r = 0; r < kR; ++r) {
    const Floats left = hn::Set(d, f.left[term * f.left_pitch + r]);
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v) use(r, v, multiply(right[v], left));
  }
}

// Computes the sum of a chain, which must have at least one term.
template <size_t kR, size_t kV>
HWY_INLINE void SumChain(const Chains& chains, size_t chain, const SumFactors& f,
                         Floats (&sums)[kR][kV]) {
  const size_t begin = chains.begin[chain];
  MultiplyTerm<kR, kV>(f, begin,
                       [&](size_t r, size_t v, Floats product) HWY_ATTR { sums[r][v] = product; });
  for (size_t term = begin + chains.step; term < chains.end[chain]; term += chains.step)
    MultiplyTerm<kR, kV>(f, term, [&](size_t r, size_t v, Floats product) HWY_ATTR {
      sums[r][v] = hn::Add(sums[r][v], product);
    });
}

// Computes the sum of two chains. The second one may have no terms.
template <size_t kR, size_t kV>
HWY_INLINE void SumPair(const Chains& chains, size_t first, const SumFactors& f,
                        Floats (&sums)[kR][kV]) {
  SumChain(chains, first, f, sums);
  if (chains.begin[first + 1] >= chains.end[first + 1]) return;
  Floats more[kR][kV];
  SumChain(chains, first + 1, f, more);
  ForEachVector<kR, kV>([&](size_t r, size_t v)
                            HWY_ATTR { sums[r][v] = hn::Add(sums[r][v], more[r][v]); });
}

template <size_t kR, size_t kV>
HWY_INLINE void AddSum(const Chains& chains, const SumFactors& f, Floats (&results)[kR][kV]) {
  Floats sums[kR][kV];
  SumPair(chains, 0, f, sums);
  if (chains.count > 2 && chains.begin[2] < chains.end[2]) {
    Floats more[kR][kV];
    SumPair(chains, 2, f, more);
    ForEachVector<kR, kV>([&](size_t r, size_t v)
                              HWY_ATTR { sums[r][v] = hn::Add(sums[r][v], more[r][v]); });
  }
  ForEachVector<kR, kV>([&](size_t r, size_t v)
                            HWY_ATTR { results[r][v] = hn::Add(results[r][v], sums[r][v]); });
}

// Adds the sums to a tile of results. If kProducts is true, each sum must have one term.
template <size_t kR, size_t kV, bool kProducts>
bool AddTile(std::span<const ShortSum> sums, const SumFactors& f, float* to) {
  const F32 d;
  Floats results[kR][kV];
  ForEachVector<kR, kV>([&](size_t r, size_t v) HWY_ATTR {
    results[r][v] = hn::LoadU(d, to + r * kTilePitch + v * kElements32);
  });
  for (const ShortSum& sum : sums) {
    if constexpr (kProducts)
      MultiplyTerm<kR, kV>(f, sum.chains.begin[0],
                           [&](size_t r, size_t v, Floats product)
                               HWY_ATTR { results[r][v] = hn::Add(results[r][v], product); });
    else
      AddSum(sum.chains, f, results);
  }
  Floats doubt = hn::Zero(d);
  ForEachVector<kR, kV>([&](size_t r, size_t v) HWY_ATTR {
    const Floats result = results[r][v];
    const auto is_negative_zero = of_floats(hn::Eq(bits(result), ints(INT32_MIN)));
    doubt = hn::Or(doubt, hn::Or(nan_elements(result), hn::VecFromMask(d, is_negative_zero)));
    hn::StoreU(result, d, to + r * kTilePitch + v * kElements32);
  });
  return any_set(doubt);
}

template <size_t kR, bool kProducts>
bool AddColumns(std::span<const ShortSum> sums, const SumFactors& f, uint32_t columns, float* to) {
  constexpr size_t kMost = kProducts ? kProductVectors : kSumVectors;
  bool in_doubt = false;
  SumFactors rest = f;
  size_t vectors = (columns + kElements32 - 1) / kElements32;
  const auto run = [&]<size_t kV>(std::integral_constant<size_t, kV>) HWY_ATTR {
    for (; vectors >= kV; vectors -= kV, rest.right += kV * kElements32, to += kV * kElements32)
      in_doubt |= AddTile<kR, kV, kProducts>(sums, rest, to);
  };
  if constexpr (kMost > 2) run(std::integral_constant<size_t, 4>());
  if constexpr (kMost > 1) run(std::integral_constant<size_t, 2>());
  run(std::integral_constant<size_t, 1>());
  return in_doubt;
}

template <bool kProducts>
bool AddRows(std::span<const ShortSum> sums, const SumFactors& f, uint32_t rows, uint32_t columns,
             float* to) {
  if (rows == kSumRows) return AddColumns<kSumRows, kProducts>(sums, f, columns, to);
  bool in_doubt = false;
  SumFactors rest = f;
  for (; rows > 0; --rows, ++rest.left, to += kTilePitch)
    in_doubt |= AddColumns<1, kProducts>(sums, rest, columns, to);
  return in_doubt;
}

bool AddSums(std::span<const ShortSum> sums, const SumFactors& f, uint32_t rows, uint32_t columns,
             float* to) {
  const bool are_products =
      std::all_of(sums.begin(), sums.end(), [](const ShortSum& sum) { return sum.terms == 1; });
  return are_products ? AddRows<true>(sums, f, rows, columns, to)
                      : AddRows<false>(sums, f, rows, columns, to);
}

uint32_t SumColumns() { return kProductVectors * static_cast<uint32_t>(kElements32); }

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {

HWY_EXPORT(AddSums);
HWY_EXPORT(SumColumns);

bool add_sums(std::span<const ShortSum> sums, const SumFactors& factors, uint32_t rows,
              uint32_t columns, float* results) {
  return HWY_DYNAMIC_DISPATCH(AddSums)(sums, factors, rows, columns, results);
}

uint32_t sum_columns() { return HWY_DYNAMIC_DISPATCH(SumColumns)(); }

}  // namespace tputwin::fast
#endif
