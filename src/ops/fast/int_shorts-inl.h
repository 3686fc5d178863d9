// The kernels of int_arithmetic in 16-bit elements, for one Highway target (include in a
// foreach_target file, after hwy/highway.h).
#if defined(TPUTWIN_FAST_INT_SHORTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_INT_SHORTS_INL_H
#undef TPUTWIN_FAST_INT_SHORTS_INL_H
#else
#define TPUTWIN_FAST_INT_SHORTS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "ops/fast/int_job.h"
#include "ops/fast/vec/narrow-inl.h"
#include "ops/fast/vec/rounding-inl.h"
#include "ops/fast/walk/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

// ---- 8-bit operands, 16-bit intermediate values ----

using WordTag = hn::CappedTag<int16_t, kRowUnit>;
using Shorts = hn::Vec<WordTag>;

HWY_INLINE Shorts LoadShorts(const RowBlock& block, size_t operand, size_t i, Shorts mask) {
  const hn::Rebind<int8_t, WordTag> bytes;
  return hn::And(hn::PromoteTo(WordTag(), hn::LoadU(bytes, block.source<int8_t>(operand) + i)),
                 mask);
}

template <IntArithmetic::Kind kKind, bool kToBytes, bool kHalfUp>
void ShortBlock(const IntJob& job, const RowBlock& block) {
  const WordTag d;
  // keeps or clears the sign extension of an operand
  const auto mask_of = [&](const Source& source) HWY_ATTR {
    return hn::Set(d, static_cast<int16_t>(is_signed(source.view.dtype) ? -1 : 0xff));
  };
  const auto limit = [&](int64_t value) HWY_ATTR {
    return hn::Set(d, static_cast<int16_t>(std::clamp<int64_t>(value, INT16_MIN, INT16_MAX)));
  };
  const Shorts low = limit(job.limits.low), high = limit(job.limits.high);
  const Shorts a_mask = mask_of(job.op.a), b_mask = mask_of(job.op.b);
  const int left = std::max(job.shift, 0), right = std::max(-job.shift, 0);
  for (size_t i = 0; i < block.count; i += hn::Lanes(d)) {
    const Shorts a = LoadShorts(block, 1, i, a_mask), b = LoadShorts(block, 2, i, b_mask);
    Shorts x = kKind == IntArithmetic::Kind::add   ? hn::Add(a, b)
               : kKind == IntArithmetic::Kind::sub ? hn::Sub(a, b)
                                                   : hn::Mul(a, b);
    if constexpr (kHalfUp)
      x = RoundShift(d, x, right);
    else
      x = right == 0 ? hn::ShiftLeftSame(x, left) : RoundShift(d, x, right, job.op.rounding);
    x = hn::Min(hn::Max(x, low), high);
    if constexpr (kToBytes) {
      const hn::Rebind<uint8_t, WordTag> bytes;
      hn::StoreU(LowBits<uint8_t>(d, x), bytes, block.result<uint8_t>() + i);
    } else {
      hn::StoreU(x, d, block.result<int16_t>() + i);
    }
  }
}

template <IntArithmetic::Kind kKind, bool kToBytes>
void ShortBlockTo(const IntJob& job, const RowBlock& block) {
  job.shift < 0 && job.op.rounding == Rounding::half_up
      ? ShortBlock<kKind, kToBytes, true>(job, block)
      : ShortBlock<kKind, kToBytes, false>(job, block);
}

template <IntArithmetic::Kind kKind>
void ShortBlockOf(const IntJob& job, const RowBlock& block) {
  element_bytes(job.op.out.dtype) == 1 ? ShortBlockTo<kKind, true>(job, block)
                                       : ShortBlockTo<kKind, false>(job, block);
}

void ShortRows(const void* operation, const RowBlock& block) {
  const auto& job = *static_cast<const IntJob*>(operation);
  if (job.op.kind == IntArithmetic::Kind::add)
    return ShortBlockOf<IntArithmetic::Kind::add>(job, block);
  if (job.op.kind == IntArithmetic::Kind::sub)
    return ShortBlockOf<IntArithmetic::Kind::sub>(job, block);
  ShortBlockOf<IntArithmetic::Kind::mul>(job, block);
}

// ---- saturated sums of 16-bit operands ----

// Returns the sum of an unsigned and a signed number, saturated to a signed one: the unsigned
// number is at most 32767 - b. For a = 65000 and b = -300, the lower one is 33067, and the sum is
// 32767.
HWY_INLINE Shorts MixedSum(Shorts a, Shorts b) {
  const WordTag d;
  const hn::RebindToUnsigned<WordTag> unsigned_words;
  const Shorts limit = hn::Sub(hn::Set(d, INT16_MAX), b);
  const auto lower = hn::Min(hn::BitCast(unsigned_words, a), hn::BitCast(unsigned_words, limit));
  return hn::Add(hn::BitCast(d, lower), b);
}

// Calls sum(a, b) for vectors of a block. Sums saturated to 16 bits saturate to bytes as exact ones
// do.
template <class Sum>
HWY_INLINE void SumBlock(const IntJob& job, const RowBlock& block, const Sum& sum) {
  const WordTag d;
  const bool to_bytes = element_bytes(job.op.out.dtype) == 1;
  const Shorts low = hn::Set(d, static_cast<int16_t>(job.limits.low)),
               high = hn::Set(d, static_cast<int16_t>(job.limits.high));
  for (size_t i = 0; i < block.count; i += hn::Lanes(d)) {
    const Shorts x =
        sum(hn::LoadU(d, block.source<int16_t>(1) + i), hn::LoadU(d, block.source<int16_t>(2) + i));
    if (to_bytes)
      hn::StoreU(LowBits<uint8_t>(d, hn::Min(hn::Max(x, low), high)),
                 hn::Rebind<uint8_t, WordTag>(), block.result<uint8_t>() + i);
    else
      hn::StoreU(x, d, block.result<int16_t>() + i);
  }
}

void ShortSumRows(const void* operation, const RowBlock& block) {
  const auto& job = *static_cast<const IntJob*>(operation);
  if (!is_signed(job.op.a.view.dtype))
    return SumBlock(job, block, [](Shorts a, Shorts b) HWY_ATTR { return MixedSum(a, b); });
  if (!is_signed(job.op.b.view.dtype))
    return SumBlock(job, block, [](Shorts a, Shorts b) HWY_ATTR { return MixedSum(b, a); });
  SumBlock(job, block, [](Shorts a, Shorts b) HWY_ATTR { return hn::SaturatedAdd(a, b); });
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
