// Sums and maxima under a sliding window, one channel at a time. Depthwise convolution and pooling
// of the BM1684 and BM1684X share them. Elements are widened to 32 bits: floating-point numbers to
// fp32, integers by extension.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "numerics/float_mode.h"
#include "numerics/rounding.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/scratch.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/nest.h"
#include "ops/fast/window/planes.h"

namespace tputwin::fast {

// A run of `count` results. The input of the first one under tap i is words[offsets[i]]. Whole
// vectors of inputs are read and whole vectors of results written, up to kWindowSlack elements too
// many.
constexpr size_t kWindowSlack = 64;
struct WindowRun {
  const uint32_t* words;
  const uint32_t* offsets;
  size_t taps;
  uint32_t* out;
  size_t count;
};

// Marks a floating-point result that only the reference kernel can compute.
constexpr uint32_t kInDoubt = 0xffff'ffff;

// Start values of floating-point accumulators. `bias` is added to their sum if it is not null.
struct WindowStarts {
  float first, second;
  const float* bias = nullptr;
};

// Start values and weights of results that each belong to another channel. The weight of a result
// under tap i is weights[i * pitch]. Whole vectors are read.
struct WindowTerms {
  const float *weights, *first, *second;
  const float* bias = nullptr;
  size_t pitch;
};

struct Quantization {
  bool relu;
  uint32_t rshift;
  Rounding rounding;
  int32_t low, high;  // range of the type of the result
};
Quantization quantization_of(bool relu, uint32_t rshift, Rounding rounding, DType dtype);

// A plane under a window of 3x3 with stride 1 or 2. Whole vectors of inputs are read.
struct RowsOfThree {
  static constexpr uint32_t kSide = 3;

  // A plane in memory. Rows are `stride` bytes apart.
  template <class Byte>
  struct Plane {
    Byte* first;
    uint32_t stride, height, width;
  };
  struct Buffers {
    uint8_t* padding_row;  // a row and kWindowSlack elements
    const uint8_t** row;   // rows() pointers
  };

  Plane<const uint8_t> in;
  uint32_t step;          // stride of the window, down and across
  uint32_t pad_h, pad_w;  // rows above, columns to the left
  float padding;
  Plane<uint8_t> out;
  Buffers buffers;

  size_t rows() const { return (out.height - 1) * size_t{step} + kSide; }  // includes padding
};

// Holds the kernels of the instruction set in force. Floating-point results are the bits of the
// type, or kInDoubt. Kernels that return bool return true if a result is kInDoubt.
struct WindowKernels {
  // Sums products. Taps go to two accumulators alternately, and every step is rounded.
  bool (*sum)(const WindowRun&, const float* weights, WindowStarts starts, DType dtype);
  bool (*sum_each)(const WindowRun&, const WindowTerms& terms, DType dtype);
  // Computes like `sum`, but writes results directly to the operand. Returns true if a result may
  // be NaN.
  bool (*sum_three)(const RowsOfThree&, const float* weights, const WindowStarts& starts,
                    DType dtype);
  // Computes the largest value of each window, the last one of equal values. A NaN result becomes
  // kInDoubt.
  bool (*largest)(const WindowRun&, DType dtype);
  // Computes the largest fp32 number of each window, and skips NaN. A result is never below the
  // lowest finite number, and subnormal results become 0.
  void (*largest_number)(const WindowRun&);
  // Sums products, starting with `start`.
  void (*integer_sum)(const WindowRun&, const int32_t* weights, int32_t start, const Quantization&);
  void (*integer_largest)(const WindowRun&);
  // Widens contiguous elements to 32 bits.
  void (*widen)(DType dtype, const uint8_t* from, size_t count, int32_t* to);
};
WindowKernels window_kernels();

// An operation whose result is a window over its input, channel by channel.
struct WindowJob {
  const Window& window;
  const TensorView &in, &out;
  const Memory& memory;
};
Declined window_declines(const WindowJob& job);

// Returns image `n` of a byte tensor with several images in a cell. Its elements are one cell
// apart.
TensorView image_of(const TensorView& packed, uint32_t n);

// Calls function(job) for every image of a byte tensor with several images in a cell. Declines if a
// job of one image declines.
template <class Function>
Declined for_each_image(const Window& window, const TensorView& in, const TensorView& out,
                        const Memory& memory, const Function& function) {
  if (in.shape.n != out.shape.n || in.shape.n == 0 || is_32bit(in.dtype)) return "no images";
  if (const Declined why = overlap(out, {&in}, memory.local)) return why;
  // checks all images first, because a kernel must run completely or change nothing
  for (const bool runs : {false, true})
    for (uint32_t n = 0; n < in.shape.n; ++n) {
      const TensorView from = image_of(in, n), to = image_of(out, n);
      const WindowJob job{window, from, to, memory};
      if (runs)
        function(job);
      else if (const Declined why = window_declines(job))
        return why;
    }
  return kRan;
}

// Values of elements outside the input.
struct Outside {
  uint32_t padding, insertion;  // insertion: between inputs
};

// Lays out channels, and stores rows of results.
class WindowChannels {
 public:
  WindowChannels(const WindowJob& job, const WindowKernels& kernels);

  // Number of runs of results. All rows are one run, unless too much of it would belong to no
  // result.
  uint32_t runs() const { return whole_ ? 1 : job_.out.shape.h; }
  // words() returns the number of 32-bit scratch elements of a thread, work() the work of a
  // channel.
  size_t words() const { return elements_ + inputs_ + count_ + kWindowSlack; }
  uint64_t work() const { return plane_.floats() + offsets_.size() * plane_.extent(); }

  void lay_out(uint32_t n, uint32_t c, const Outside& outside, uint32_t* scratch) const;
  WindowRun run(uint32_t number, uint32_t* scratch) const;
  // Stores the results of a run. redo(y, x) stores results in doubt.
  template <class Redo>
  void store(uint32_t n, uint32_t c, uint32_t number, const uint32_t* results, bool doubt,
             Redo&& redo) const {
    const Shape& s = job_.out.shape;
    const uint32_t last = whole_ ? s.h : number + 1;
    for (uint32_t y = number; y < last; ++y, results += plane_.pitch()) {
      store_row(n, c, y, results);
      for (uint32_t x = 0; doubt && x < s.w; ++x)
        if (results[x] == kInDoubt) redo(y, x);
    }
  }

 private:
  void store_row(uint32_t n, uint32_t c, uint32_t y, const uint32_t* words) const;
  void widen_channel(const uint8_t* from, uint32_t insertion, uint32_t* to) const;

  const WindowJob& job_;
  const WindowKernels& kernels_;
  const Shape dense_;  // shape of the input with inserted elements
  const WindowPlane plane_;
  std::vector<uint32_t> offsets_;
  const bool whole_, in_place_;  // in_place: 32-bit inputs are read in place
  const size_t count_, elements_, inputs_;
};

// Runs a window over every image n and channel c. outside(c) returns the values outside the input.
// run(WindowRun, c) returns true if results may be in doubt. redo(n, c, y, x) stores those.
template <class OutsideOf, class Run, class Redo>
void for_each_channel(const WindowJob& job, const WindowKernels& kernels, OutsideOf&& outside,
                      Run&& run, Redo&& redo) {
  const WindowChannels channels(job, kernels);
  const Shape& s = job.out.shape;
  const Slots slots = local_slots(s, job.memory.local);
  const uint64_t terms_per_task = task_of(4 << 10, 64 << 10);
  parallel_for(uint64_t{s.n} * slots.count, grain_of(channels.work(), terms_per_task),
               [&](size_t begin, size_t end) {
                 const ScopedFloatMode mode;
                 thread_local Scratch scratch;
                 uint32_t* words = scratch.take<uint32_t>(channels.words());
                 for (size_t i = begin; i < end; ++i)
                   for (auto c = static_cast<uint32_t>(i / s.n); c < s.c; c += slots.lanes) {
                     const auto n = static_cast<uint32_t>(i % s.n);
                     channels.lay_out(n, c, outside(c), words);
                     for (uint32_t number = 0; number < channels.runs(); ++number) {
                       const WindowRun part = channels.run(number, words);
                       const bool doubt = run(part, c);
                       channels.store(n, c, number, part.out, doubt,
                                      [&](uint32_t y, uint32_t x) { redo(n, c, y, x); });
                     }
                   }
               });
}

// A window that covers whole planes, each of which is one run of elements. A plane has one result,
// and its taps are the elements in their order. Planes are laid out next to each other, as the
// results of one run.
class WholePlanes {
 public:
  static constexpr size_t kAtOnce = 64;

  WholePlanes(const WindowJob& job, const WindowKernels& kernels);

  bool cover() const;
  size_t count() const { return size_t{job_.out.shape.n} * job_.out.shape.c; }
  size_t words() const { return (2 * taps_ + 1) * kAtOnce + kWindowSlack; }
  size_t taps() const { return taps_; }
  uint32_t channel(size_t plane) const { return place(plane).second; }
  // Transposes `count` rows of 32-bit elements, one element per tap, to kAtOnce elements per tap.
  void transpose_rows(const uint32_t* rows, size_t count, uint32_t* to) const;
  // Lays out planes [first, first + count), at most kAtOnce.
  WindowRun lay_out(size_t first, size_t count, uint32_t* scratch) const;
  // Stores the results of these planes. redo(n, c, y, x) stores results in doubt.
  template <class Redo>
  void store(size_t first, const WindowRun& run, bool doubt, Redo&& redo) const {
    for (size_t i = 0; i < run.count; ++i) {
      const auto [n, c] = place(first + i);
      if (doubt && run.out[i] == kInDoubt)
        redo(n, c, 0, 0);
      else
        job_.memory.write(job_.out, n, c, 0, 0, static_cast<int32_t>(run.out[i]));
    }
  }

 private:
  std::pair<uint32_t, uint32_t> place(size_t plane) const {
    return {static_cast<uint32_t>(plane / job_.out.shape.c),
            static_cast<uint32_t>(plane % job_.out.shape.c)};
  }

  const WindowJob& job_;
  const WindowKernels& kernels_;
  const size_t taps_;
  std::vector<uint32_t> offsets_;
};

// Calls run(WindowRun, number of its first plane) for batches of all planes.
template <class Run, class Redo>
void for_each_batch(const WholePlanes& planes, Run&& run, Redo&& redo) {
  const uint64_t terms_per_task = task_of(4 << 10, 64 << 10);
  const size_t batches = (planes.count() + WholePlanes::kAtOnce - 1) / WholePlanes::kAtOnce;
  parallel_for(batches, grain_of(planes.words(), terms_per_task), [&](size_t begin, size_t end) {
    const ScopedFloatMode mode;
    thread_local Scratch scratch;
    uint32_t* words = scratch.take<uint32_t>(planes.words());
    for (size_t i = begin; i < end; ++i) {
      const size_t first = i * WholePlanes::kAtOnce;
      const WindowRun part =
          planes.lay_out(first, std::min(WholePlanes::kAtOnce, planes.count() - first), words);
      planes.store(first, part, run(part, first), redo);
    }
  });
}

// Like for_each_channel(), where all channels have the same taps: run(WindowRun).
template <class Run, class Redo>
void for_each_pool(const WindowJob& job, const WindowKernels& kernels, const Outside& outside,
                   Run&& run, Redo&& redo) {
  const auto of_any = [&](const WindowRun& part, size_t) { return run(part); };
  const WholePlanes planes(job, kernels);
  if (planes.cover()) return for_each_batch(planes, of_any, redo);
  for_each_channel(
      job, kernels, [&](uint32_t) { return outside; }, of_any, redo);
}

}  // namespace tputwin::fast
