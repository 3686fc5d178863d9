// channel_affine: the parameters of a channel are streams that move from channel to channel only.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/channel_affine.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/elementwise/channel_affine.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/vec/multiply-inl.h"
#include "ops/fast/walk/streams-inl.h"

#ifndef TPUTWIN_FAST_CHANNEL_AFFINE_ONCE
#define TPUTWIN_FAST_CHANNEL_AFFINE_ONCE
namespace tputwin::fast {

// out, in, out as it was, scale, bias
using AffineStreams = Streams<5, 1>;

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

// What the sum of product and bias ends with.
enum class Addend { none, zero, old };

template <bool kScale, bool kBias, Addend kAddend>
struct Affine {
  static constexpr size_t kSources = 4;
  static constexpr bool kMakesNan = true;
  const ChannelAffine& op;

  HWY_INLINE Floats Apply(Floats in, [[maybe_unused]] Floats old, [[maybe_unused]] Floats scale,
                          [[maybe_unused]] Floats bias) const {
    if constexpr (!kScale) return hn::Add(in, bias);
    const Floats product = multiply(in, scale);
    const Floats sum = kBias ? hn::Add(product, bias) : product;
    if constexpr (kAddend == Addend::none) return sum;
    return hn::Add(sum, kAddend == Addend::old ? old : hn::Zero(F32()));
  }
  float Element(float in, float old, float scale, float bias) const {
    return affine(op, in, scale, bias, old);
  }
};

void AffineLanes(const ChannelAffine& op, const AffineStreams& streams, const Memory& memory,
                 size_t begin, size_t end) {
  const auto compute = [&](const auto& formula)
                           HWY_ATTR { compute_lanes(formula, streams, memory, begin, end); };
  if (!op.scale) return compute(Affine<false, true, Addend::none>{op});
  if (op.bias)
    return op.accumulate ? compute(Affine<true, true, Addend::old>{op})
                         : compute(Affine<true, true, Addend::none>{op});
  if (op.accumulate) return compute(Affine<true, false, Addend::old>{op});
  return op.adds_zero ? compute(Affine<true, false, Addend::zero>{op})
                      : compute(Affine<true, false, Addend::none>{op});
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(AffineLanes);

// The parameter of (1,C,1,1) as a tensor of the operation's shape.
Stream parameter(const std::optional<TensorView>& view, const Shape& shape) {
  if (!view) return Source::value(0.0f);
  TensorView spread = *view;
  if (spread.shape == Shape{1, shape.c, 1, 1}) spread.shape = shape;
  spread.stride = {0, view->stride.c, 0, 0};
  return spread;
}

}  // namespace

bool execute(const ChannelAffine& op, const Memory& memory) {
  const Shape& shape = op.out.shape;
  const AffineStreams streams{
      {op.out, op.in, op.out, parameter(op.scale, shape), parameter(op.bias, shape)}};
  if (!vectors_enabled() || !streams.regular(memory.local)) return false;
  for_lanes(shape, memory.local, 1, [&](size_t begin, size_t end) {
    HWY_DYNAMIC_DISPATCH(AffineLanes)(op, streams, memory, begin, end);
  });
  return true;
}

}  // namespace tputwin::fast
#endif
