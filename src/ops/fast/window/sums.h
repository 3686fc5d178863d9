// Sums and maxima under a sliding fp32 window, one channel at a time: what depthwise convolution
// and pooling have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/parallel.h"
#include "numerics/float_mode.h"
#include "ops/fast/scratch.h"
#include "ops/fast/views/views.h"
#include "ops/fast/window/planes.h"

namespace tputwin::fast {

// `count` results, the inputs of the first one under tap i at plane[offsets[i]]. Whole vectors of
// inputs are read and of results written, up to kWindowSlack floats too many.
constexpr size_t kWindowSlack = 64;
struct WindowRun {
  const float* plane;
  const uint32_t* offsets;
  size_t taps;
  float* out;
  size_t count;
};

// The kernels of the instruction set in force.
struct WindowKernels {
  // As WindowSum adds input times weights[tap], then + *bias where not null. True if a result
  // may be NaN.
  bool (*sum)(const WindowRun&, const float* weights, const float* bias);
  // The largest input, flushed, or the lowest finite number. Padding must be no larger than that.
  void (*maximum)(const WindowRun&);
};
WindowKernels window_kernels();

constexpr uint64_t kMaxPlaneFloats = 4 << 20, kMaxTaps = 1 << 20;

// Whether every channel of `in` can be laid out for the window, and `out` be stored by rows.
inline bool planes_covered(const Window& window, const TensorView& in, const TensorView& out,
                           const LocalMemory& local) {
  return has_words(in) && has_words(out) && in.shape.c == out.shape.c &&
         window_covered(window, in.shape, out.shape) && has_own_rows(out, local) &&
         apart(out, in, local) && uint64_t{window.h.kernel} * window.w.kernel <= kMaxTaps &&
         WindowPlane(window, in.shape, out.shape).floats() <= kMaxPlaneFloats;
}

// For every image n and channel c: lays the channel out and calls run(WindowRun, n, c), which
// returns true if results may be NaN; those that are get replaced by redo(n, c, y, x).
template <class Run, class Redo>
void for_each_plane(const Window& window, const TensorView& in, const TensorView& out,
                    float padding, const Memory& memory, Run&& run, Redo&& redo) {
  const WindowPlane plane(window, in.shape, out.shape);
  const Shape& s = out.shape;
  std::vector<uint32_t> offsets;
  for (uint32_t kh = 0; kh < window.h.kernel; ++kh)
    for (uint32_t kw = 0; kw < window.w.kernel; ++kw)
      offsets.push_back(static_cast<uint32_t>(plane.offset(kh, kw)));

  // All rows in one run, unless too much of it would belong to no result.
  const bool whole = plane.pitch() <= 2 * s.w;
  const uint32_t runs = whole ? 1 : s.h;
  const size_t count = whole ? plane.extent() : s.w, step = whole ? 0 : plane.pitch();
  auto run_plane = [&](uint32_t n, uint32_t c, float* inputs, float* results) {
    plane.lay_out(memory.byte(in, n, c, 0, 0), in.stride, padding, inputs);
    for (uint32_t i = 0; i < runs; ++i) {
      const bool nan =
          run(WindowRun{inputs + i * step, offsets.data(), offsets.size(), results, count}, n, c);
      const uint32_t first = i, last = whole ? s.h : i + 1;
      for (uint32_t y = first; y < last; ++y) {
        float* row = results + (y - first) * plane.pitch();
        for (uint32_t x = 0; nan && x < s.w; ++x)
          if (std::isnan(row[x])) row[x] = redo(n, c, y, x);
        std::memcpy(memory.byte(out, n, c, y, 0), row, s.w * sizeof(float));
      }
    }
  };

  constexpr uint64_t kTermsPerTask = 64 << 10;
  const uint64_t work = plane.floats() + offsets.size() * plane.extent();
  const uint32_t slots = lane_slots(s, memory.local);
  parallel_for(uint64_t{s.n} * slots, std::max<uint64_t>(1, kTermsPerTask / work),
               [&](size_t begin, size_t end) {
                 const ScopedFloatMode mode;
                 thread_local Scratch scratch;
                 const size_t inputs = plane.floats() + kWindowSlack;
                 float* buffer = scratch.take<float>(inputs + count + kWindowSlack);
                 for (size_t i = begin; i < end; ++i)
                   for (auto c = static_cast<uint32_t>(i / s.n); c < s.c; c += memory.local.lanes())
                     run_plane(static_cast<uint32_t>(i % s.n), c, buffer, buffer + inputs);
               });
}

}  // namespace tputwin::fast
