// Weighted sums of sliding blocks, for processors that permute bytes and multiply them in steps.
// Included once per target (see dispatch/foreach_target.h).
#if defined(TPUTWIN_FAST_SLIDING_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_SLIDING_INL_H
#undef TPUTWIN_FAST_SLIDING_INL_H
#else
#define TPUTWIN_FAST_SLIDING_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "ops/fast/gemm/kernels/dot-inl.h"
#include "ops/fast/window/sliding.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {

#undef TPUTWIN_HAVE_SLIDING
#define TPUTWIN_HAVE_SLIDING TPUTWIN_HAVE_BYTE_STEPS
#if TPUTWIN_HAVE_SLIDING

// The inputs of a channel, and how to change them before they are multiplied. Bytes outside the
// input are `padding`, and all bytes are xored with `flip` (Flip in byte_cells-inl.h).
struct SlidingInputs {
  const uint8_t* first;
  uint8_t padding = 0;
  uint32_t flip = 0;
};

// Number of vectors that hold the sums of a block.
constexpr size_t kSlidingParts = SlidingBlocks::kResults / kElements32;

// InputsOfStep returns the inputs of part of a block's results, four taps for each result. It is
// made for a pattern, and takes the first byte that a step loads.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
constexpr auto kPermutes = SlidingBlocks::Permutes::all;
class InputsOfStep {
 public:
  HWY_INLINE InputsOfStep(const SlidingBlocks::Pattern& pattern, uint8_t padding)
      : padding_(_mm512_set1_epi8(static_cast<char>(padding))),
        index_(_mm512_load_si512(pattern.index.data())),
        take_(pattern.take),
        load_(pattern.load) {}
  HWY_INLINE Ints operator()(const uint8_t* from, size_t) const {
    const __m512i loaded = _mm512_maskz_loadu_epi8(load_, from);
    return Ints{_mm512_mask_permutexvar_epi8(padding_, take_, index_, loaded)};
  }

 private:
  __m512i padding_, index_;
  __mmask64 take_, load_;
};
#else
constexpr auto kPermutes = SlidingBlocks::Permutes::quarters;
constexpr size_t kQuarters = kElements32 / 4;  // quarters in a vector
template <size_t kCount>
HWY_INLINE auto LoadQuarters(const uint8_t* from, const uint8_t* first) {
  const hn::CappedTag<uint8_t, kCount * SlidingBlocks::kQuarter> d;
  if constexpr (kCount == 1)
    return hn::LoadU(d, from + *first);
  else
    return hn::Combine(d, LoadQuarters<kCount / 2>(from, first + kCount / 2),
                       LoadQuarters<kCount / 2>(from, first));
}
class InputsOfStep {
 public:
  HWY_INLINE InputsOfStep(const SlidingBlocks::Pattern& pattern, uint8_t padding)
      : pattern_(pattern), padding_(static_cast<int8_t>(padding)) {}
  HWY_INLINE Ints operator()(const uint8_t* from, size_t part) const {
    const hn::Repartition<int8_t, I32> d;
    const auto loaded =
        hn::BitCast(d, LoadQuarters<kQuarters>(from, &pattern_.first[part * kQuarters]));
    const auto index =
        hn::BitCast(d, hn::Load(hn::Repartition<uint8_t, I32>(),
                                &pattern_.index[part * sizeof(uint32_t) * kElements32]));
    return hn::BitCast(I32(), hn::IfNegativeThenElse(index, hn::Set(d, padding_),
                                                     hn::TableLookupBytes(loaded, index)));
  }

 private:
  const SlidingBlocks::Pattern& pattern_;
  int8_t padding_;
};
#endif

// Adds the products of one step to the sums of a block.
template <class Dot>
HWY_INLINE void AddStep(const InputsOfStep& inputs, const uint8_t* from, Ints flip, Ints weight,
                        Ints (&sums)[kSlidingParts]) {
#pragma GCC unroll 4
  for (size_t part = 0; part < kSlidingParts; ++part)
    sums[part] = Dot::step(sums[part], hn::Xor(inputs(from, part), flip), weight);
}

// Calls emit(block, start + sums of products) for every block of results of one channel. The sums
// are kSlidingParts vectors. A block whose steps have one pattern loads it once.
template <class Dot, size_t kSteps, class Emit>
HWY_INLINE void SlidingSteps(const SlidingBlocks& blocks, const SlidingInputs& inputs,
                             const uint32_t* weights, int32_t start, const Emit& emit) {
  const size_t steps = kSteps != 0 ? kSteps : blocks.steps_per_block();
  const SlidingBlocks::Step* step = blocks.steps(0);
  const Ints flip = ints(static_cast<int32_t>(inputs.flip));
  const uint8_t* const first = inputs.first;
  const uint8_t padding = inputs.padding;
  Ints kept[std::max<size_t>(kSteps, 1)];
  for (size_t s = 0; s < kSteps; ++s) kept[s] = ints(static_cast<int32_t>(weights[s]));
  for (const SlidingBlocks::Block& block : blocks.blocks()) {
    Ints sums[kSlidingParts];
    for (Ints& sum : sums) sum = ints(start);
    if (kSteps != 0 && block.has_one_pattern) {
      const InputsOfStep taken(blocks.pattern(step->pattern), padding);
#pragma GCC unroll 4
      for (size_t s = 0; s < kSteps; ++s, ++step)
        AddStep<Dot>(taken, first + step->offset, flip, kept[s], sums);
    } else {
      for (size_t s = 0; s < steps; ++s, ++step)
        AddStep<Dot>(InputsOfStep(blocks.pattern(step->pattern), padding), first + step->offset,
                     flip, ints(static_cast<int32_t>(weights[s])), sums);
    }
    emit(block, sums);
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
constexpr auto kPermutes = SlidingBlocks::Permutes::nothing;  // SlidingChannel does not exist here
#endif

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
