// Sizes of the factors of groups, which bound the errors of plain sums (rounded_groups-inl.h), and
// factors in pairs of bf16 for such sums. Included once per target (see Highway's
// foreach_target.h).
#if defined(TPUTWIN_FAST_GROUP_SIZES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_GROUP_SIZES_INL_H
#undef TPUTWIN_FAST_GROUP_SIZES_INL_H
#else
#define TPUTWIN_FAST_GROUP_SIZES_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "ops/fast/gemm/kernels/tiles.h"
#include "ops/fast/vec/types-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

constexpr size_t kChainOfGroup = 4;
constexpr float kLeastSquare = 0x1p-110f, kSizeSlack = 1 + 0x1p-10f;
constexpr float kUsuallySmall = 3;  // r^2, a usual number of small factors; any gives a bound

// Factors of a vector of positions, `step` apart.
struct SizedFactors {
  const float* factors;
  size_t step, count;

  HWY_INLINE Uints magnitude(size_t i) const {
    return hn::BitCast(U32(), hn::Abs(hn::LoadU(F32(), factors + i * step)));
  }
};

// Returns the number of factors, not 0, whose exponent is `distance` or more below that of the
// largest.
HWY_INLINE Floats CountSmall(const SizedFactors& factors, Uints largest, uint32_t distance) {
  const U32 d;
  const Uints one = hn::Set(d, 1), least = hn::Set(d, distance - 1);
  const Uints exponent = hn::Max(hn::ShiftRight<23>(largest), least);
  const Uints limit = hn::Sub(hn::ShiftLeft<23>(hn::Sub(exponent, least)), one);
  Uints count = hn::Zero(d);
  for (size_t i = 0; i < factors.count; ++i) {
    const auto is_small = hn::Lt(hn::Sub(factors.magnitude(i), one), limit);
    count = hn::Sub(count, hn::VecFromMask(d, is_small));
  }
  return hn::ConvertTo(F32(), hn::BitCast(I32(), count));
}

HWY_INLINE Floats SizeOf(const SizedFactors& factors, uint32_t distance) {
  const F32 d;
  Floats squares = hn::Set(d, kLeastSquare);
  Uints largest = hn::Zero(U32());
  for (size_t i = 0; i < factors.count; ++i) {
    const Uints magnitude = factors.magnitude(i);
    const float times = i % kChainOfGroup < kChainOfGroup / 2 ? 3 : 2;
    const Floats factor = hn::BitCast(d, magnitude);
    squares = hn::MulAdd(hn::Mul(factor, factor), hn::Set(d, times), squares);
    largest = hn::Max(largest, magnitude);
  }
  const Floats small = CountSmall(factors, largest, distance), most = hn::BitCast(d, largest);
  const Floats times =
      hn::MulAdd(hn::Mul(small, small), hn::Set(d, 1 / kUsuallySmall), hn::Set(d, kUsuallySmall));
  squares = hn::MulAdd(hn::Mul(most, most), times, squares);
  return hn::Mul(hn::Sqrt(squares), hn::Set(d, kSizeSlack));
}

void Sizes(const uint32_t* words, size_t step, size_t channels, size_t count, DType type,
           float* to) {
  const uint32_t distance = type == DType::f16 ? 12 - 10 : 12 - 7;
  const auto size = [&](size_t i) HWY_ATTR {
    return SizeOf({as_floats(words) + i, step, channels}, distance);
  };
  size_t i = 0;
  for (; i + kElements32 <= count; i += kElements32) hn::StoreU(size(i), F32(), to + i);
  if (i == count) return;
  HWY_ALIGN float rest[kElements32];
  hn::Store(size(i), F32(), rest);
  std::copy_n(rest, count - i, to + i);
}

// Joins fp32 factors of two channels, which are bf16, to a cell: to[channel / 2 * step]. The
// channel after the last one has factors 0.
void Pairs(const uint32_t* words, size_t step, size_t channels, size_t count, uint32_t* to) {
  const U32 d;
  const Uints zero = hn::Zero(d);
  for (size_t c = 0; c < channels; c += 2, words += 2 * step, to += step) {
    const auto pair = [&](size_t i) HWY_ATTR {
      const Uints second = c + 1 < channels ? hn::LoadU(d, words + step + i) : zero;
      return hn::Or(hn::ShiftRight<16>(hn::LoadU(d, words + i)), second);
    };
    size_t i = 0;
    for (; i + kElements32 <= count; i += kElements32) hn::StoreU(pair(i), d, to + i);
    if (i == count) continue;
    HWY_ALIGN uint32_t rest[kElements32];
    hn::Store(pair(i), d, rest);
    std::copy_n(rest, count - i, to + i);
  }
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
