// The inner loop over one run of streams: whole vectors, then a tail that touches no byte past its
// end. Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_STREAMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_STREAMS_INL_H
#undef TPUTWIN_FAST_STREAMS_INL_H
#else
#define TPUTWIN_FAST_STREAMS_INL_H
#endif

#include <hwy/highway.h>

#include <cstring>
#include <utility>

#include "numerics/float32.h"
#include "ops/fast/walk/streams.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using I32 = hn::ScalableTag<int32_t>;
using Floats = hn::Vec<F32>;
using Ints = hn::Vec<I32>;

// What a formula computes: one result, or also what goes into a work tensor.
struct WithWork {
  Floats result, work;
};
HWY_INLINE Floats result_of(Floats values) { return values; }
HWY_INLINE Floats result_of(const WithWork& values) { return values.result; }

constexpr size_t kMostLanes = hn::MaxLanes(F32());

// A formula has
//   kSources, the number of its operands
//   Apply(Floats a, ...), vectors of results from vectors of sources
//   Element(float a, ...), the same for one element
//   kMakesNan: vector units differ in which NaN they keep, and compilers exchange operands, so
//     elements that come out as NaN are computed again by Element; not where results are copied.
template <class Formula, size_t... I>
HWY_NOINLINE void compute_elements(const Formula& formula, std::index_sequence<I...>,
                                   const float (*sources)[kMostLanes], float* result, float* work) {
  for (size_t lane = 0; lane < kMostLanes; ++lane) {
    const auto value = formula.Element(sources[I][lane]...);
    if constexpr (std::is_same_v<decltype(value), const float>) {
      result[lane] = value;
    } else {
      result[lane] = value.result;
      work[lane] = value.work;
    }
  }
}

HWY_INLINE void store(Floats values, float* result, float*) { hn::StoreU(values, F32(), result); }
HWY_INLINE void store(const WithWork& values, float* result, float* work) {
  hn::StoreU(values.work, F32(), work);
  hn::StoreU(values.result, F32(), result);
}

template <class Formula, size_t... I, class... Sources>
HWY_INLINE void step(const Formula& formula, std::index_sequence<I...> indices, float* result,
                     float* work, Sources... sources) {
  const F32 d;
  const auto values = formula.Apply(sources...);
  if constexpr (Formula::kMakesNan) {
    if (HWY_UNLIKELY(!hn::AllFalse(d, hn::IsNaN(result_of(values))))) {
      HWY_ALIGN float room[sizeof...(Sources)][kMostLanes] = {};
      (hn::Store(sources, d, room[I]), ...);
      HWY_ALIGN float results[2][kMostLanes];
      compute_elements(formula, indices, room, results[0], results[1]);
      std::memcpy(result, results[0], hn::Lanes(d) * kElement);
      if (work != nullptr) std::memcpy(work, results[1], hn::Lanes(d) * kElement);
      return;
    }
  }
  store(values, result, work);
}

// One run: results are p[0] and, if there are two, p[1]; sources follow.
template <size_t kResults, class Formula, size_t K, size_t... I>
HWY_INLINE void run_of_sources(const Formula& formula, std::index_sequence<I...> indices,
                               const std::array<uint8_t*, K>& p, const std::array<size_t, K>& units,
                               size_t length) {
  const F32 d;
  const size_t lanes = hn::Lanes(d), whole = length - length % lanes;
  HWY_ALIGN float room[K][kMostLanes] = {};  // repeated values and tails
  std::array<float*, K> at;
  std::array<size_t, K> advances;  // a mask of the index
  for (size_t k = 0; k < K; ++k) {
    at[k] = reinterpret_cast<float*>(p[k]);
    advances[k] = ~size_t{0};
    if (units[k] != 0) continue;
    hn::Store(hn::Set(d, *at[k]), d, room[k]);
    at[k] = room[k];
    advances[k] = 0;
  }
  float* const work = kResults == 2 ? at[1] : nullptr;
  for (size_t i = 0; i < whole; i += lanes)
    step(formula, indices, at[0] + i, work == nullptr ? nullptr : work + i,
         hn::LoadU(d, at[kResults + I] + (i & advances[kResults + I]))...);
  if (whole == length) return;

  const size_t rest = (length - whole) * kElement;
  for (size_t k = kResults; k < K; ++k)
    if (units[k] != 0) std::memcpy(room[k], at[k] + whole, rest);
  step(formula, indices, room[0], work == nullptr ? nullptr : room[1],
       hn::Load(d, room[kResults + I])...);
  std::memcpy(at[0] + whole, room[0], rest);
  if (work != nullptr) std::memcpy(work + whole, room[1], rest);
}

// All runs of the lane slots in [begin, end). The formula takes the first sources of the streams.
template <class Formula, size_t K, size_t kResults>
HWY_INLINE void compute_lanes(const Formula& formula, const Streams<K, kResults>& streams,
                              const Memory& memory, size_t begin, size_t end) {
  streams.for_each(memory, begin, end,
                   [&](const std::array<uint8_t*, K>& p, const std::array<size_t, K>& units,
                       size_t length) HWY_ATTR {
                     run_of_sources<kResults>(
                         formula, std::make_index_sequence<Formula::kSources>(), p, units, length);
                   });
}

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
