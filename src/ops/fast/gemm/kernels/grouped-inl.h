// Sums of groups of products in fixed point, as defined by numerics/add_tree.h, for the tiles of
// tiles.h. Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_GROUPED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_GROUPED_INL_H
#undef TPUTWIN_FAST_GROUPED_INL_H
#else
#define TPUTWIN_FAST_GROUPED_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "numerics/add_tree.h"
#include "ops/fast/gemm/kernels/tiles.h"
#include "ops/fast/vec/float32-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

// Below this exponent, the factors that align products are not fp32 numbers.
constexpr int32_t kLeastExponent = 32, kInfinite = 255;
// kAlignExponent is the exponent of the factor that aligns products of exponent 0. kUnitBelow is
// the distance from a sum's largest product to its unit, in bits.
constexpr int32_t kAlignExponent = 127 + 127 + 24, kUnitBelow = 24;

// Converts numbers that fit in 32 bits, rounding towards zero, with the processor's own conversion.
HWY_INLINE Ints Truncated(Floats v) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return Ints{_mm512_cvttps_epi32(v.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET == HWY_AVX2
  return Ints{_mm256_cvttps_epi32(v.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE2
  return Ints{_mm_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(I32(), v);
#endif
}

// Returns the larger magnitude, as bits. Larger magnitudes are larger integers, and NaN is the
// largest.
HWY_INLINE Ints Larger(Ints largest, Floats product) {
  return hn::Max(largest, bits(hn::Abs(product)));
}
// Returns the larger magnitude of two numbers that are not NaN.
HWY_INLINE Floats LargerNumber(Floats largest, Floats product) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  constexpr int kLargerMagnitude = 0b1011;  // magnitude without its sign
  return Floats{_mm512_range_ps(largest.raw, product.raw, kLargerMagnitude)};
#else
  return floats(Larger(bits(largest), product));
#endif
}

// The factors that align products of a group to their largest exponent.
struct Alignment {
  Floats align, unit;

  // Sets elements that need the reference kernel to NaN in `doubt`.
  HWY_INLINE Alignment(Ints largest, Ints& doubt) {
    const I32 d;
    const Ints exponent = hn::ShiftRight<23>(largest), least = hn::Set(d, kLeastExponent);
    const auto tiny = hn::And(hn::Lt(exponent, least), hn::Gt(exponent, hn::Zero(d)));
    const auto infinite = hn::Eq(exponent, hn::Set(d, kInfinite));
    doubt = hn::Or(doubt, hn::VecFromMask(d, hn::Or(tiny, infinite)));
    set(hn::ShiftLeft<23>(hn::Max(exponent, least)));
  }
  // Requires that have_normal_products() holds for the factors. Products then cannot overflow or
  // underflow.
  HWY_INLINE explicit Alignment(Floats largest) {
    set(hn::Max(hn::And(bits(largest), ints(0x7f80'0000)), ints(kLeastExponent << 23)));
  }
  HWY_INLINE void set(Ints power) {
    align = floats(hn::Sub(ints(static_cast<int32_t>(uint32_t{kAlignExponent} << 23)), power));
    unit = floats(hn::Sub(power, ints(kUnitBelow << 23)));
  }
  HWY_INLINE Ints aligned(Floats product) const { return Truncated(hn::Mul(product, align)); }
  HWY_INLINE Floats sum(Ints total) const { return hn::Mul(hn::ConvertTo(F32(), total), unit); }
};

// The weights of one row and one vector of inputs of a group, channel by channel.
struct GroupFactors {
  const float* weights;
  size_t weight_step;
  const float* inputs;
  size_t input_step;

  HWY_INLINE Floats product(size_t channel) const {
    return multiply(hn::LoadU(F32(), inputs + channel * input_step),
                    hn::Set(F32(), weights[channel * weight_step]));
  }
};

// Returns the sum of a whole group, whose products stay in registers as far as they fit.
HWY_INLINE Floats WholeGroup(const GroupFactors& factors, Ints& doubt) {
  // several chains of maxima, to hide the latency of comparisons
  constexpr size_t kChains = 4;
  Floats products[kAddTreeGroup];
  Ints largest[kChains], total[2];
#pragma GCC unroll 32
  for (size_t i = 0; i < kAddTreeGroup; ++i) {
    products[i] = factors.product(i);
    largest[i % kChains] =
        i < kChains ? bits(hn::Abs(products[i])) : Larger(largest[i % kChains], products[i]);
  }
  const Alignment a(hn::Max(hn::Max(largest[0], largest[1]), hn::Max(largest[2], largest[3])),
                    doubt);
#pragma GCC unroll 32
  for (size_t i = 0; i < kAddTreeGroup; ++i)
    total[i % 2] = i < 2 ? a.aligned(products[i]) : hn::Add(total[i % 2], a.aligned(products[i]));
  return a.sum(hn::Add(total[0], total[1]));
}

// Returns the sum of a group of `count` products.
HWY_INLINE Floats PartOfGroup(const GroupFactors& factors, size_t count, Ints& doubt) {
  const F32 d;
  HWY_ALIGN float products[kElements32 * kAddTreeGroup];
  Ints largest = hn::Zero(I32()), total = hn::Zero(I32());
  for (size_t i = 0; i < count; ++i) {
    const Floats product = factors.product(i);
    hn::Store(product, d, products + i * kElements32);
    largest = Larger(largest, product);
  }
  const Alignment a(largest, doubt);
  for (size_t i = 0; i < count; ++i)
    total = hn::Add(total, a.aligned(hn::Load(d, products + i * kElements32)));
  return a.sum(total);
}

// Adds one group of one tap for all rows and vectors of a tile, whose inputs stay in the cache.
HWY_NOINLINE void AddGroup(const Tile& tile, GroupFactors factors, size_t count) {
  const F32 d;
  const float* const inputs = factors.inputs;
  for (size_t row = 0; row < tile.rows; ++row, ++factors.weights)
    for (size_t v = 0; v < tile.vectors; ++v) {
      factors.inputs = inputs + v * kElements32;
      float* at = as_floats(tile.sums) + row * kTilePitch + v * kElements32;
      Ints doubt = hn::Zero(I32());
      const Floats group =
          count == kAddTreeGroup ? WholeGroup(factors, doubt) : PartOfGroup(factors, count, doubt);
      const Floats sum = hn::Add(hn::LoadU(d, at), group);
      hn::StoreU(hn::Or(sum, floats(doubt)), d, at);  // all bits set: NaN
    }
}

// Adds groups for which have_normal_products() holds, one row and vector after the other. While the
// products of one are aligned and added, those of the next replace them.
template <size_t kCount>
class NormalGroups {
 public:
  HWY_INLINE NormalGroups(const Tile& tile, const GroupFactors& factors)
      : tile_(tile), factors_(factors) {}

  HWY_INLINE void add() {
    Floats products[kCount];
    Floats largest[kChains];
    const Place first = place(0, 0);
#pragma GCC unroll 32
    for (size_t i = 0; i < kCount; ++i) take(products[i], largest, i, first);
    float* at = sums(0, 0);
    for (size_t row = 0; row < tile_.rows; ++row)
      for (size_t v = row == 0 ? 1 : 0; v < tile_.vectors; ++v) {
        const Place next = place(row, v);
        const Alignment a(all(largest));
        Ints total = hn::Zero(I32());
#pragma GCC unroll 32
        for (size_t i = 0; i < kCount; ++i) {
          total = i == 0 ? a.aligned(products[i]) : hn::Add(total, a.aligned(products[i]));
          take(products[i], largest, i, next);
        }
        finish(a, total, at);
        at = sums(row, v);
      }
    const Alignment a(all(largest));
    Ints total = a.aligned(products[0]);
#pragma GCC unroll 32
    for (size_t i = 1; i < kCount; ++i) total = hn::Add(total, a.aligned(products[i]));
    finish(a, total, at);
  }

 private:
  // several chains of maxima, to hide the latency of comparisons
  static constexpr size_t kChains = kCount < 8 ? 1 : 2;
  struct Place {
    const float *weights, *inputs;
  };
  HWY_INLINE Place place(size_t row, size_t v) const {
    return {factors_.weights + row, factors_.inputs + v * kElements32};
  }
  HWY_INLINE float* sums(size_t row, size_t v) const {
    return as_floats(tile_.sums) + row * kTilePitch + v * kElements32;
  }
  HWY_INLINE void take(Floats& product, Floats (&largest)[kChains], size_t i,
                       const Place& from) const {
    const F32 d;
    product = hn::Mul(hn::LoadU(d, from.inputs + i * factors_.input_step),
                      hn::Set(d, from.weights[i * factors_.weight_step]));
    Floats& chain = largest[i % kChains];
    chain = i < kChains ? hn::Abs(product) : LargerNumber(chain, product);
  }
  HWY_INLINE static Floats all(const Floats (&largest)[kChains]) {
    if constexpr (kChains == 1)
      return largest[0];
    else
      return LargerNumber(largest[0], largest[1]);
  }
  HWY_INLINE static void finish(const Alignment& a, Ints total, float* at) {
    const F32 d;
    hn::StoreU(hn::Add(hn::LoadU(d, at), a.sum(total)), d, at);
  }

  const Tile& tile_;
  const GroupFactors& factors_;
};

template <size_t kCount>
HWY_NOINLINE void AddNormalGroup(const Tile& tile, const GroupFactors& factors) {
  NormalGroups<kCount>(tile, factors).add();
}

// Adds like AddNormalGroup, for any number of products.
HWY_NOINLINE void AddNormalPart(const Tile& tile, GroupFactors factors, size_t count) {
  const F32 d;
  const float* const inputs = factors.inputs;
  for (size_t row = 0; row < tile.rows; ++row, ++factors.weights)
    for (size_t v = 0; v < tile.vectors; ++v) {
      factors.inputs = inputs + v * kElements32;
      Floats largest = hn::Zero(d);
      for (size_t i = 0; i < count; ++i) largest = LargerNumber(largest, factors.product(i));
      const Alignment a(largest);
      Ints total = hn::Zero(I32());
      for (size_t i = 0; i < count; ++i) total = hn::Add(total, a.aligned(factors.product(i)));
      float* at = as_floats(tile.sums) + row * kTilePitch + v * kElements32;
      hn::StoreU(hn::Add(hn::LoadU(d, at), a.sum(total)), d, at);
    }
}

void AddNormal(const Tile& tile, const GroupFactors& factors, size_t count) {
  switch (count) {
    case 1:
      return AddNormalGroup<1>(tile, factors);
    case 2:
      return AddNormalGroup<2>(tile, factors);
    case 3:
      return AddNormalGroup<3>(tile, factors);
    case 4:
      return AddNormalGroup<4>(tile, factors);
    case 8:
      return AddNormalGroup<8>(tile, factors);
    case 16:
      return AddNormalGroup<16>(tile, factors);
    case kAddTreeGroup:
      return AddNormalGroup<kAddTreeGroup>(tile, factors);
    default:
      return AddNormalPart(tile, factors, count);
  }
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
