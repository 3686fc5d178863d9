// Weighted sums of sliding blocks, where the processor permutes bytes and multiplies them four at a
// time. Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_SLIDING_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_SLIDING_INL_H
#undef TPUTWIN_FAST_SLIDING_INL_H
#else
#define TPUTWIN_FAST_SLIDING_INL_H
#endif

#include <hwy/highway.h>

#include <cstring>

#include "ops/fast/gemm/dot-inl.h"
#include "ops/fast/window/sliding.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {

#undef TPUTWIN_HAVE_SLIDING
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
#define TPUTWIN_HAVE_SLIDING 1

// One channel: out = max(saturate((start + sum of products) >> shift), floor), in signed bytes. The
// sums of signed inputs lack 128 times the sum of the weights, which `start` has less.
template <bool kSigned, size_t kSteps>
HWY_INLINE void SlidingSteps(const SlidingBlocks& blocks, size_t steps, const uint8_t* in,
                             const uint32_t* weights, int32_t start, int shift, int32_t floor,
                             uint8_t* out) {
  static_assert(kLanes32 == SlidingBlocks::kResults);
  if constexpr (kSteps != 0) steps = kSteps;
  const SlidingBlocks::Step* step = blocks.steps(0);
  for (const SlidingBlocks::Block& block : blocks.blocks()) {
    Ints sum = ints(start);
    for (size_t s = 0; s < steps; ++s, ++step) {
      const SlidingBlocks::Pattern& pattern = blocks.pattern(step->pattern);
      const __m512i loaded = _mm512_maskz_loadu_epi8(pattern.load, in + step->offset);
      __m512i taken = _mm512_maskz_permutexvar_epi8(
          pattern.take, _mm512_load_si512(pattern.index.data()), loaded);
      if constexpr (kSigned)
        taken = _mm512_xor_si512(taken, _mm512_set1_epi32(INT32_C(-0x7f7f7f80)));
      sum = UnsignedBySignedDot::step(sum, Ints{taken}, ints(static_cast<int32_t>(weights[s])));
    }
    const Ints shifted = hn::Max(hn::ShiftRightSame(sum, shift), ints(floor));
    const __m128i bytes = _mm512_maskz_cvtsepi32_epi8(0xffff, shifted.raw);
    if (block.results == SlidingBlocks::kResults) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + block.out), bytes);
    } else {
      alignas(16) uint8_t results[SlidingBlocks::kResults];
      _mm_store_si128(reinterpret_cast<__m128i*>(results), bytes);
      std::memcpy(out + block.out, results, block.results);
    }
  }
}

template <bool kSigned>
HWY_INLINE void SlidingChannel(const SlidingBlocks& blocks, const uint8_t* in,
                               const uint32_t* weights, int32_t start, int shift, int32_t floor,
                               uint8_t* out) {
  const size_t steps = blocks.steps_per_block();
  if (steps == 3)  // 3x3
    SlidingSteps<kSigned, 3>(blocks, steps, in, weights, start, shift, floor, out);
  else
    SlidingSteps<kSigned, 0>(blocks, steps, in, weights, start, shift, floor, out);
}

#else
#define TPUTWIN_HAVE_SLIDING 0
#endif

// Whether this target has SlidingChannel.
HWY_INLINE bool HasSliding() { return TPUTWIN_HAVE_SLIDING != 0; }

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
