// Weighted sums of the results of a convolution and an addend. Included once per target (see
// Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_SUMMING_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_SUMMING_INL_H
#undef TPUTWIN_FAST_SUMMING_INL_H
#else
#define TPUTWIN_FAST_SUMMING_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "ops/fast/gemm/kernels/dot-inl.h"
#include "ops/fast/prepared/prepared.h"
#include "ops/fast/vec/narrow-inl.h"
#include "ops/fast/vec/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {

// Computes weighted sums of results and addends, as WeightedAddend defines them.
class Summing {
 public:
  Summing(const WeightedAddend& sum, bool signed_results, int32_t floor)
      : sum_(sum),
        signed_results_(signed_results),
        signed_addends_(is_signed(sum.addend.dtype)),
        signed_sums_(is_signed(sum.out.dtype)),
        floor_(floor) {}

  // Computes `count` sums. Reads and writes whole vectors of results and sums, but reads no byte
  // after the last addend.
  void run(const uint8_t* results, const uint8_t* addends, size_t count, uint8_t* sums) const {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
    if (has_pairs()) {
      const I16 d;
      const auto factors =
          hn::BitCast(d, ints(static_cast<int32_t>(static_cast<uint32_t>(sum_.factor & 0xffff) |
                                                   static_cast<uint32_t>(scaled_factor()) << 16)));
      return blocks(d, results, addends, count, sums,
                    [&](auto r, auto a) HWY_ATTR { return pairs(r, a, factors); });
    }
#endif
    const I32 d;
    blocks(d, results, addends, count, sums, [&](Ints r, Ints a) HWY_ATTR { return wide(r, a); });
  }

 private:
  // Computes sums = the low bits of f(results, addends), in vectors of D.
  template <class D, class F>
  HWY_INLINE void blocks(D d, const uint8_t* results, const uint8_t* addends, size_t count,
                         uint8_t* sums, const F& f) const {
    constexpr size_t kElements = hn::MaxLanes(d);
    uint8_t last[kElements];
    for (size_t x = 0; x < count; x += kElements) {
      const uint8_t* from = addends + x;
      if (count - x < kElements) {
        std::memcpy(last, from, count - x);
        from = last;
      }
      const auto sum = f(load(d, results + x, signed_results_), load(d, from, signed_addends_));
      hn::StoreU(LowBits<uint8_t>(d, sum), hn::Rebind<uint8_t, D>(), sums + x);
    }
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const uint8_t* from, bool is_signed) {
    const hn::Rebind<uint8_t, D> unsigned_bytes;
    const hn::Rebind<int8_t, D> signed_bytes;
    if (!is_signed) return hn::PromoteTo(d, hn::LoadU(unsigned_bytes, from));
    return hn::PromoteTo(d, hn::LoadU(signed_bytes, reinterpret_cast<const int8_t*>(from)));
  }
  // Returns the value saturated to 8 bits, and at least the floor.
  template <class D>
  HWY_INLINE hn::Vec<D> clamped(D d, hn::Vec<D> value) const {
    using T = hn::TFromD<D>;
    const int32_t low = std::max(floor_, signed_sums_ ? -128 : 0);
    return hn::Min(hn::Max(value, hn::Set(d, static_cast<T>(low))),
                   hn::Set(d, static_cast<T>(signed_sums_ ? 127 : 255)));
  }

  HWY_INLINE Ints wide(Ints result, Ints addend) const {
    const I32 d;
    Ints t = RoundShift(d, hn::Mul(addend, ints(sum_.addend_factor)),
                        static_cast<int>(sum_.addend_rshift));
    t = hn::Min(hn::Max(t, ints(signed_sums_ ? -32768 : 0)), ints(signed_sums_ ? 32767 : 65535));
    const Ints all = hn::Add(hn::Mul(result, ints(sum_.factor)),
                             hn::ShiftLeftSame(t, static_cast<int>(sum_.lshift)));
    return clamped(d, RoundShift(d, all, static_cast<int>(sum_.rshift)));
  }

#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  int32_t scaled_factor() const { return sum_.addend_factor * (1 << sum_.lshift); }
  // Returns true if each scaled addend and its factor fit in 16 bits.
  bool has_pairs() const {
    const int32_t a = sum_.addend_factor * (signed_addends_ ? -128 : 0);
    const int32_t b = sum_.addend_factor * (signed_addends_ ? 127 : 255);
    const bool fits = signed_sums_ ? std::min(a, b) >= -32768 && std::max(a, b) <= 32767
                                   : std::min(a, b) >= 0 && std::max(a, b) <= 65535;
    return fits && sum_.addend_rshift == 0 && std::abs(scaled_factor()) <= 32767;
  }
  // Returns result * factor + addend * scaled_factor() as sums of neighbouring products.
  // Interleaving and packing both work inside blocks of 128 bits, so that the order of elements is
  // kept.
  template <class V>
  HWY_INLINE V pairs(V result, V addend, V factors) const {
    const I16 d;
    const I32 d32;
    const int shift = static_cast<int>(sum_.rshift);
    const Ints half = ints(shift == 0 ? 0 : 1 << (shift - 1));
    Ints unused = hn::Zero(d32);
    const Ints low = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveLower(d, result, addend),
                                                   factors, half, unused);
    const Ints high = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveUpper(d, result, addend),
                                                    factors, half, unused);
    return clamped(d, SaturatedInterleaved(d, hn::ShiftRightSame(low, shift),
                                           hn::ShiftRightSame(high, shift)));
  }
#endif

  const WeightedAddend& sum_;
  bool signed_results_, signed_addends_, signed_sums_;
  int32_t floor_;
};

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
