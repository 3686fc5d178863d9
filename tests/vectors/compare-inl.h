// Runs a vector expression over many values and compares every element with plain C++. Included
// once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_VECTORS_COMPARE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_VECTORS_COMPARE_INL_H
#undef TPUTWIN_VECTORS_COMPARE_INL_H
#else
#define TPUTWIN_VECTORS_COMPARE_INL_H
#endif

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "vectors/values.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::vectors::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// vector(d, a, b) gives elements of type R; scalar(a, b) the expected ones. Reports the first
// difference.
template <class T, class R, class Vector, class Scalar>
void Compare(const std::string& call, const Pairs<T>& pairs, const Vector& vector,
             const Scalar& scalar) {
  const hn::ScalableTag<T> d;
  const size_t elements = hn::Lanes(d);
  HWY_ALIGN R out[hn::MaxLanes(d)];
  for (size_t i = 0; i + elements <= pairs.a.size(); i += elements) {
    const T *a = &pairs.a[i], *b = &pairs.b[i];
    hn::StoreU(vector(d, hn::LoadU(d, a), hn::LoadU(d, b)), hn::Rebind<R, decltype(d)>(), out);
    for (size_t k = 0; k < elements; ++k) {
      const R expected = scalar(a[k], b[k]);
      if (same(out[k], expected)) continue;
      ADD_FAILURE() << call << " of " << sizeof(T) * 8 << "-bit elements on "
                    << hwy::TargetName(HWY_TARGET) << ": (" << +a[k] << ", " << +b[k] << ") gives "
                    << +out[k] << ", not " << +expected << " (element " << k << ")";
      return;
    }
  }
}

}  // namespace tputwin::vectors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
