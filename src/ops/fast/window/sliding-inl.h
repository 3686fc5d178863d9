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

// What the inputs of a channel become before they are multiplied: bytes outside the input are
// `padding`, and of a `flip` other than 0 all are xored with it (Flip in pack-inl.h).
struct SlidingInputs {
  const uint8_t* first;
  uint8_t padding = 0;
  uint32_t flip = 0;
};

// One channel: emit(block, start + sums of products) for every block of results.
template <class Dot, size_t kSteps, class Emit>
HWY_INLINE void SlidingSteps(const SlidingBlocks& blocks, const SlidingInputs& inputs,
                             const uint32_t* weights, int32_t start, const Emit& emit) {
  static_assert(kLanes32 == SlidingBlocks::kResults);
  const size_t steps = kSteps != 0 ? kSteps : blocks.steps_per_block();
  const SlidingBlocks::Step* step = blocks.steps(0);
  const __m512i padding = _mm512_set1_epi8(static_cast<char>(inputs.padding));
  const __m512i flip = _mm512_set1_epi32(static_cast<int>(inputs.flip));
  for (const SlidingBlocks::Block& block : blocks.blocks()) {
    Ints sum = ints(start);
    for (size_t s = 0; s < steps; ++s, ++step) {
      const SlidingBlocks::Pattern& pattern = blocks.pattern(step->pattern);
      const __m512i loaded = _mm512_maskz_loadu_epi8(pattern.load, inputs.first + step->offset);
      const __m512i taken = _mm512_mask_permutexvar_epi8(
          padding, pattern.take, _mm512_load_si512(pattern.index.data()), loaded);
      sum = Dot::step(sum, Ints{_mm512_xor_si512(taken, flip)},
                      ints(static_cast<int32_t>(weights[s])));
    }
    emit(block, sum);
  }
}

template <class Dot, class Emit>
HWY_INLINE void SlidingChannel(const SlidingBlocks& blocks, const SlidingInputs& inputs,
                               const uint32_t* weights, int32_t start, const Emit& emit) {
  if (blocks.steps_per_block() == 3)  // 3x3
    SlidingSteps<Dot, 3>(blocks, inputs, weights, start, emit);
  else
    SlidingSteps<Dot, 0>(blocks, inputs, weights, start, emit);
}

#else
#define TPUTWIN_HAVE_SLIDING 0
#endif

// Whether this target has SlidingChannel.
HWY_INLINE bool HasSliding() { return TPUTWIN_HAVE_SLIDING != 0; }

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
