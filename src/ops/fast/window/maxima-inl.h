// Maxima under sliding windows of bytes, whole planes at a time. Included once per target (see
// Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_MAXIMA_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_MAXIMA_INL_H
#undef TPUTWIN_FAST_MAXIMA_INL_H
#else
#define TPUTWIN_FAST_MAXIMA_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <span>
#include <vector>

#include "ops/fast/vec/bytes-inl.h"
#include "ops/fast/window/flat_planes.h"
#include "ops/pool/pool2d_bm1880.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {

// Inputs and results of one channel of an image.
struct PlanePair {
  const uint8_t* in;
  uint8_t* out;
};

// Input rows [first, end) under output row y.
struct RowsUnder {
  size_t first, end;
  RowsUnder(const Axis& h, uint32_t extent, uint32_t y) {
    const int64_t top = int64_t{y} * h.stride - h.pad_before;
    first = static_cast<size_t>(std::max<int64_t>(top, 0));
    end = static_cast<size_t>(std::clamp<int64_t>(top + h.kernel, 0, extent));
  }
};

// MaximaOfColumns() computes the maxima of the columns of plane `i`, MaximaOfRows() the maxima of
// neighbours among these.
template <class T>
HWY_INLINE void MaximaOfColumns(const Window& window, FlatPlanes& planes, size_t i) {
  const hn::ScalableTag<T> d;
  const auto under = [&](size_t kh, size_t at) HWY_ATTR {
    return hn::LoadU(d, reinterpret_cast<const T*>(planes.under_row(i, kh) + at));
  };
  for (size_t at = 0; at < planes.results(); at += hn::Lanes(d)) {
    auto largest = under(0, at);
    for (size_t kh = 1; kh < window.h.kernel; ++kh) largest = hn::Max(largest, under(kh, at));
    hn::StoreU(largest, d, reinterpret_cast<T*>(planes.columns(i) + at));
  }
}

template <class T>
HWY_INLINE void MaximaOfRows(const Window& window, const FlatPlanes& planes, size_t i,
                             uint8_t* out) {
  const hn::ScalableTag<T> d;
  const hn::ScalableTag<uint8_t> du8;
  const size_t elements = hn::Lanes(d);
  const auto load = [&](const uint8_t* from)
                        HWY_ATTR { return hn::LoadU(d, reinterpret_cast<const T*>(from)); };
  const auto least = hn::Set(d, hwy::LimitsMin<T>());
  for (size_t at = 0; at < planes.results(); at += elements) {
    auto largest = least;
    for (size_t kw = 0; kw < window.w.kernel; ++kw)
      largest = hn::Max(largest, hn::IfVecThenElse(load(planes.inside(kw) + at),
                                                   load(planes.under_column(i, kw) + at), least));
    const size_t rest = planes.results() - at;
    if (rest >= elements)
      StoreBytes<true>(du8, hn::BitCast(du8, largest), out + at, elements);
    else
      StoreBytes<false>(du8, hn::BitCast(du8, largest), out + at, rest);
  }
}

// Loads a plane, while columns of the previous plane and rows of the one before that become maxima.
template <class T>
void MaximaOfFlatPlanes(const Window& window, FlatPlanes& planes,
                        std::span<const PlanePair> pairs) {
  for (size_t i = 0; i < pairs.size() + 2; ++i) {
    if (i < pairs.size()) planes.load(i, pairs[i].in);
    if (i >= 1 && i <= pairs.size()) MaximaOfColumns<T>(window, planes, i - 1);
    if (i >= 2) MaximaOfRows<T>(window, planes, i - 2, pairs[i - 2].out);
  }
}

// Windows with stride 2. The maxima of the rows under a window go to a line with padding, and the
// results are maxima of neighbours in that line. Whole vectors of inputs are read.
template <class T>
HWY_INLINE void MaximaByTwo(const Pool2dBm1880& op, const PlanePair& plane,
                            std::vector<uint8_t>& line) {
  const hn::ScalableTag<T> d;
  const hn::ScalableTag<uint8_t> du8;
  const size_t elements = hn::Lanes(d), width = op.in.shape.w, results = op.out.shape.w;
  const size_t kernel = op.window.w.kernel;
  const auto least = hn::Set(d, hwy::LimitsMin<T>());
  line.assign(op.window.w.pad_before + std::max(width, 2 * results) + kernel + 4 * elements,
              static_cast<uint8_t>(hwy::LimitsMin<T>()));
  T* const inputs = reinterpret_cast<T*>(line.data() + op.window.w.pad_before);
  uint8_t* out = plane.out;
  for (uint32_t y = 0; y < op.out.shape.h; ++y, out += op.out.stride.h) {
    const RowsUnder rows(op.window.h, op.in.shape.h, y);
    for (size_t x = 0; x < width; x += elements) {
      auto largest = least;
      for (size_t row = rows.first; row < rows.end; ++row)
        largest = hn::Max(
            largest, hn::LoadU(d, reinterpret_cast<const T*>(plane.in + row * op.in.stride.h + x)));
      hn::StoreU(largest, d, inputs + x);
    }
    hn::StoreU(least, d, inputs + width);  // overwrites what was read past the row
    for (size_t x = 0; x < results; x += elements) {
      auto largest = least;
      for (size_t kw = 0; kw < kernel; kw += 2) {
        hn::Vec<decltype(d)> even, odd;
        hn::LoadInterleaved2(d, reinterpret_cast<const T*>(line.data()) + 2 * x + kw, even, odd);
        largest = hn::Max(largest, even);
        if (kw + 1 < kernel) largest = hn::Max(largest, odd);
      }
      if (results - x >= elements)
        StoreBytes<true>(du8, hn::BitCast(du8, largest), out + x, elements);
      else
        StoreBytes<false>(du8, hn::BitCast(du8, largest), out + x, results - x);
    }
  }
}

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
