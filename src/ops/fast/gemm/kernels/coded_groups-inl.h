// Sums of groups of products, like grouped-inl.h, for factors with codes. A code is a 16-bit
// logarithm. Sums of two codes give the exponent of the largest product of a group without
// computing a product. Products are then computed in aligned form, and none has to be kept.
// Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_CODED_GROUPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_CODED_GROUPS_INL_H
#undef TPUTWIN_FAST_CODED_GROUPS_INL_H
#else
#define TPUTWIN_FAST_CODED_GROUPS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "ops/fast/gemm/kernels/dot-inl.h"
#include "ops/fast/gemm/kernels/grouped-inl.h"
#include "ops/fast/vec/narrow-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

// A code is 512 times the base-2 logarithm of a magnitude, rounded down. It may be one less if the
// unrounded value is less than 0.4 above the rounded one. So the sum of two codes is at most the
// code of the product, and less than 2.8 below it. The product can have the next exponent only if
// the fraction of the sum is one of the last two.
constexpr int kCodeBits = 9;
constexpr int32_t kCodeOne = 1 << kCodeBits, kLastSureFraction = kCodeOne - 3;
constexpr int32_t kCodeOfZero = INT16_MIN;

// Returns 512 * log2(1 + t) for t in [0,1), minus 0.2 on average. Exact for t = 0, as powers of two
// are common. A test compares all t of 10 bits, the precision of fp16 and bf16 factors.
HWY_INLINE Ints CodeOfFraction(Floats t) {
  const F32 d;
  Floats code = hn::Set(d, -17.340269088745117f);
  for (const float c : {115.72557067871094f, -317.11968994140625f, 730.7411499023438f})
    code = hn::Add(hn::Mul(code, t), hn::Set(d, c));
  return Truncated(hn::Mul(code, t));
}

// kInPlaceOfZero replaces 0 where factors are scaled by adding to their exponents. It is so small
// that its products are cut off.
constexpr int32_t kInPlaceOfZero = 16 << 23;

template <bool kReplacesZeros>
HWY_INLINE void CodeVector(int32_t* words, int16_t* codes) {
  const I32 d;
  const Ints word = hn::LoadU(d, words), magnitude = hn::And(word, ints(0x7fff'ffff));
  const auto is_zero = hn::Eq(magnitude, hn::Zero(d));
  const Ints fraction = hn::Or(hn::And(word, ints(0x7f'ffff)), ints(127 << 23));
  const Ints exponent = hn::Sub(hn::ShiftRight<23>(magnitude), ints(127));
  Ints code = hn::Add(hn::ShiftLeft<kCodeBits>(exponent),
                      CodeOfFraction(hn::Sub(floats(fraction), hn::Set(F32(), 1.0f))));
  code = hn::IfThenElse(is_zero, ints(kCodeOfZero), hn::Max(code, ints(kCodeOfZero)));
  hn::StoreU(LowBits<uint16_t>(d, code), hn::Rebind<uint16_t, I32>(),
             reinterpret_cast<uint16_t*>(codes));
  if constexpr (kReplacesZeros)
    hn::StoreU(hn::IfThenElse(is_zero, ints(kInPlaceOfZero), word), d, words);
}

template <bool kReplacesZeros>
void CodeFactors(int32_t* words, size_t count, int16_t* codes) {
  size_t i = 0;
  for (; i + kElements32 <= count; i += kElements32)
    CodeVector<kReplacesZeros>(words + i, codes + i);
  if (i == count) return;
  int32_t last[kElements32] = {};
  int16_t codes_of_last[kElements32];
  std::copy_n(words + i, count - i, last);
  CodeVector<kReplacesZeros>(last, codes_of_last);
  std::copy_n(last, count - i, words + i);
  std::copy_n(codes_of_last, count - i, codes + i);
}

void Code(uint32_t* words, size_t count, bool replaces_zeros, int16_t* codes) {
  auto* const as_ints = reinterpret_cast<int32_t*>(words);
  replaces_zeros ? CodeFactors<true>(as_ints, count, codes)
                 : CodeFactors<false>(as_ints, count, codes);
}

// The factors of a group and their codes, in the same layout.
struct CodedFactors {
  GroupFactors numbers;
  const int16_t *weights, *inputs;

  HWY_INLINE CodedFactors at(size_t row, size_t column) const {
    CodedFactors moved = *this;
    moved.numbers.weights += row, moved.weights += row;
    moved.numbers.inputs += column, moved.inputs += column;
    return moved;
  }
};

// Writes the largest sums of codes of kR rows, a vector of D each: to[row * kTilePitch].
template <size_t kR, class D>
HWY_INLINE void LargestCodes(D d, const CodedFactors& factors, size_t count, int16_t* to) {
  hn::Vec<D> largest[kR];
#pragma GCC unroll 8
  for (auto& row : largest) row = hn::Set(d, int16_t{kCodeOfZero});
  const int16_t *weights = factors.weights, *inputs = factors.inputs;
  for (size_t i = 0; i < count; ++i) {
    const auto input = hn::LoadU(d, inputs);
#pragma GCC unroll 8
    for (size_t r = 0; r < kR; ++r)
      largest[r] = hn::Max(largest[r], hn::SaturatedAdd(input, hn::Set(d, weights[r])));
    weights += factors.numbers.weight_step;
    inputs += factors.numbers.input_step;
  }
#pragma GCC unroll 8
  for (size_t r = 0; r < kR; ++r) hn::StoreU(largest[r], d, to + r * kTilePitch);
}

// Returns the exponents of the largest products of one row whose codes do not determine them.
HWY_NOINLINE Ints ExponentsOfProducts(const GroupFactors& factors, size_t count) {
  Floats largest = hn::Zero(F32());
  for (size_t i = 0; i < count; ++i) largest = LargerNumber(largest, factors.product(i));
  // The exponent is at least that of the lowest sum of codes, because products of 0 must be cut
  // off.
  return hn::Max(hn::Sub(hn::ShiftRight<23>(bits(largest)), ints(127)),
                 ints(INT16_MIN >> kCodeBits));
}

// Adds the group to the sums of kR rows and one vector.
template <size_t kR>
HWY_INLINE void AddAligned(const GroupFactors& factors, size_t count, const int16_t* largest,
                           float* sums) {
  const F32 d;
  Ints exponents[kR], steps[kR], totals[kR];
#pragma GCC unroll 8
  for (size_t r = 0; r < kR; ++r) {
    const Ints code =
        hn::PromoteTo(I32(), hn::LoadU(hn::Rebind<int16_t, I32>(), largest + r * kTilePitch));
    const auto unsure = hn::Gt(hn::And(code, ints(kCodeOne - 1)), ints(kLastSureFraction));
    exponents[r] = hn::ShiftRight<kCodeBits>(code);
    if (!hn::AllFalse(I32(), unsure)) [[unlikely]] {
      GroupFactors row = factors;
      row.weights += r;
      exponents[r] = hn::IfThenElse(unsure, ExponentsOfProducts(row, count), exponents[r]);
    }
    steps[r] = hn::ShiftLeft<23>(hn::Sub(ints(kUnitBelow), exponents[r]));
    totals[r] = hn::Zero(I32());
  }
  const float *weights = factors.weights, *inputs = factors.inputs;
  for (size_t i = 0; i < count; ++i) {
    const Ints input = bits(hn::LoadU(d, inputs));
#pragma GCC unroll 8
    for (size_t r = 0; r < kR; ++r)
      totals[r] = hn::Add(
          totals[r], Truncated(hn::Mul(floats(hn::Add(input, steps[r])), hn::Set(d, weights[r]))));
    weights += factors.weight_step;
    inputs += factors.input_step;
  }
#pragma GCC unroll 8
  for (size_t r = 0; r < kR; ++r) {
    float* const at = sums + r * kTilePitch;
    const Floats unit = floats(hn::ShiftLeft<23>(hn::Add(exponents[r], ints(127 - kUnitBelow))));
    hn::StoreU(hn::Add(hn::LoadU(d, at), hn::Mul(hn::ConvertTo(d, totals[r]), unit)), d, at);
  }
}

// Adds a group of kR rows to all vectors of a tile.
template <size_t kR>
HWY_NOINLINE void AddCodedRows(const CodedFactors& factors, size_t count, size_t vectors,
                               float* sums) {
  const hn::ScalableTag<int16_t> pair;
  const hn::Rebind<int16_t, I32> single;
  HWY_ALIGN int16_t largest[kR * kTilePitch];
  for (size_t v = 0; v < vectors;) {
    const CodedFactors from = factors.at(0, v * kElements32);
    int16_t* const to = largest + v * kElements32;
    const bool is_pair = v + 1 < vectors;
    is_pair ? LargestCodes<kR>(pair, from, count, to) : LargestCodes<kR>(single, from, count, to);
    v += is_pair ? 2 : 1;
  }
  for (size_t v = 0; v < vectors; ++v)
    AddAligned<kR>(factors.at(0, v * kElements32).numbers, count, largest + v * kElements32,
                   sums + v * kElements32);
}

// Adds the group to all rows of a tile, kR rows at a time. The last rows may be fewer.
template <size_t kR = kTileRows>
void AddCoded(const Tile& tile, const CodedFactors& factors, size_t count, size_t row = 0) {
  for (; row + kR <= tile.rows; row += kR)
    AddCodedRows<kR>(factors.at(row, 0), count, tile.vectors,
                     as_floats(tile.sums) + row * kTilePitch);
  if constexpr (kR > 1)
    if (row < tile.rows) AddCoded<kR / 2>(tile, factors, count, row);
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
