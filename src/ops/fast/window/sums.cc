#include "ops/fast/window/sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/window/sums.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "numerics/float32.h"
#include "ops/fast/vec/multiply-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

constexpr size_t kVectors = 4;
static_assert(kVectors * hn::MaxLanes(D()) <= kWindowSlack);

template <size_t kV>
HWY_INLINE void AddTap(const float* in, float weight, V* sums) {
  const D d;
  const V factor = hn::Set(d, weight);
  for (size_t v = 0; v < kV; ++v)
    sums[v] = hn::Add(sums[v], multiply(hn::LoadU(d, in + v * hn::Lanes(d)), factor));
}

// kV vectors of results from `at` on; not 0 in `nan` where a result was NaN.
template <size_t kV>
HWY_INLINE void SumBlock(const WindowRun& run, const float* weights, const float* bias, size_t at,
                         V& nan) {
  const D d;
  const float* plane = run.plane + at;
  V even[kV], odd[kV];
  // -0 + x is x: a single product stays what it is
  for (size_t v = 0; v < kV; ++v) even[v] = odd[v] = run.taps == 1 ? hn::SignBit(d) : hn::Zero(d);
  size_t tap = 0;
  for (; tap + 2 <= run.taps; tap += 2) {
    AddTap<kV>(plane + run.offsets[tap], weights[tap], even);
    AddTap<kV>(plane + run.offsets[tap + 1], weights[tap + 1], odd);
  }
  if (tap < run.taps) AddTap<kV>(plane + run.offsets[tap], weights[tap], even);
  for (size_t v = 0; v < kV; ++v) {
    V sum = hn::Add(even[v], odd[v]);
    if (bias != nullptr) sum = hn::Add(sum, hn::Set(d, *bias));
    nan = hn::Or(nan, hn::VecFromMask(d, hn::IsNaN(sum)));
    hn::StoreU(sum, d, run.out + at + v * hn::Lanes(d));
  }
}

bool Sum(const WindowRun& run, const float* weights, const float* bias) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  V nan = hn::Zero(d);
  size_t at = 0;
  for (; at + (kVectors - 1) * lanes < run.count; at += kVectors * lanes)
    SumBlock<kVectors>(run, weights, bias, at, nan);
  for (; at < run.count; at += lanes) SumBlock<1>(run, weights, bias, at, nan);
  const hn::RebindToUnsigned<D> du;
  return !hn::AllTrue(du, hn::Eq(hn::BitCast(du, nan), hn::Zero(du)));
}

// By bits: a compiler leaves out a multiplication by 1, whatever it would flush.
HWY_INLINE V Flushed(V values) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, values);
  const auto exponent = hn::And(bits, hn::Set(du, 0x7f80'0000u));
  const auto sign = hn::And(bits, hn::Set(du, f32::kSignBit));
  return hn::BitCast(D(), hn::IfThenElse(hn::Eq(exponent, hn::Zero(du)), sign, bits));
}

template <size_t kV>
HWY_INLINE void MaximumBlock(const WindowRun& run, size_t at) {
  const D d;
  V largest[kV];
  for (size_t v = 0; v < kV; ++v) largest[v] = hn::Set(d, f32::kLowest);
  for (size_t tap = 0; tap < run.taps; ++tap) {
    const float* in = run.plane + at + run.offsets[tap];
    for (size_t v = 0; v < kV; ++v) {
      const V value = hn::LoadU(d, in + v * hn::Lanes(d));
      largest[v] = hn::IfThenElse(hn::Gt(value, largest[v]), value, largest[v]);
    }
  }
  for (size_t v = 0; v < kV; ++v)
    hn::StoreU(Flushed(largest[v]), d, run.out + at + v * hn::Lanes(d));
}

void Maximum(const WindowRun& run) {
  const size_t lanes = hn::Lanes(D());
  size_t at = 0;
  for (; at + (kVectors - 1) * lanes < run.count; at += kVectors * lanes)
    MaximumBlock<kVectors>(run, at);
  for (; at < run.count; at += lanes) MaximumBlock<1>(run, at);
}

WindowKernels Kernels() { return {&Sum, &Maximum}; }

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {

HWY_EXPORT(Kernels);

WindowKernels window_kernels() { return HWY_DYNAMIC_DISPATCH(Kernels)(); }

}  // namespace tputwin::fast
#endif
