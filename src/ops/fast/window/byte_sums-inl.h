// Weighted sums under a sliding window, requantized. Depthwise convolution and average pooling
// share them. Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_BYTE_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_BYTE_SUMS_INL_H
#undef TPUTWIN_FAST_BYTE_SUMS_INL_H
#else
#define TPUTWIN_FAST_BYTE_SUMS_INL_H
#endif

#include "ops/fast/vec/bytes-inl.h"
#include "ops/fast/vec/narrow-inl.h"
#include "ops/fast/vec/rounding-inl.h"
#include "ops/fast/window/byte_rows.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {

// Computes `count` consecutive outputs from x on, in kVectors vectors. Only the last vector may be
// partial: `count` must be larger than the elements of kVectors - 1 vectors.
template <bool kSigned, size_t kVectors>
HWY_INLINE void WeightedBlock(const WeightedSum& sum, std::span<const TapRow> taps, uint8_t* out,
                              size_t x, size_t count) {
  const hn::ScalableTag<int32_t> d;
  using Byte = std::conditional_t<kSigned, int8_t, uint8_t>;
  const hn::Rebind<Byte, decltype(d)> d8;
  const hn::Rebind<uint8_t, decltype(d)> du8;
  const size_t elements = hn::Lanes(d);
  hn::Vec<decltype(d)> sums[kVectors];
  for (auto& s : sums) s = hn::Set(d, sum.start);
  for (const TapRow& tap : taps) {
    const auto weight = hn::Set(d, sum.weights[tap.number]);
    for (size_t v = 0; v < kVectors; ++v) {
      const auto* in = reinterpret_cast<const Byte*>(tap.in + x + v * elements);
      sums[v] = hn::Add(sums[v], hn::Mul(hn::PromoteTo(d, hn::LoadU(d8, in)), weight));
    }
  }
  const auto low = hn::Set(d, sum.low), high = hn::Set(d, sum.high);
  for (size_t v = 0; v < kVectors; ++v) {
    const size_t rest = count - v * elements;
    auto result = hn::Min(hn::Max(RoundShift(d, sums[v], sum.rshift), low), high);
    if (rest >= elements)
      StoreBytes<true>(du8, LowBits<uint8_t>(d, result), out + x + v * elements, elements);
    else
      StoreBytes<false>(du8, LowBits<uint8_t>(d, result), out + x + v * elements, rest);
  }
}

// Computes one row of outputs. Reads up to WindowRows::kSlack bytes past the inputs of the last
// output.
template <bool kSigned>
HWY_INLINE void WeightedRow(const WeightedSum& sum, std::span<const TapRow> taps, uint8_t* out,
                            size_t width) {
  const size_t elements = hn::Lanes(hn::ScalableTag<int32_t>());
  size_t x = 0;
  for (; width - x > 3 * elements; x += std::min(width - x, 4 * elements))
    WeightedBlock<kSigned, 4>(sum, taps, out, x, std::min(width - x, 4 * elements));
  if (width - x > 2 * elements)
    WeightedBlock<kSigned, 3>(sum, taps, out, x, width - x);
  else if (width - x > elements)
    WeightedBlock<kSigned, 2>(sum, taps, out, x, width - x);
  else if (width > x)
    WeightedBlock<kSigned, 1>(sum, taps, out, x, width - x);
}

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
