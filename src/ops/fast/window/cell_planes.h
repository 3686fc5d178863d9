// Sliding windows of the BM1684X over one channel at a time, its elements as 32-bit cells: what
// depthwise convolution and pooling have in common.
#pragma once

#include <utility>
#include <vector>

#include "base/parallel.h"
#include "numerics/float_mode.h"
#include "numerics/rounding.h"
#include "ops/fast/gemm/im2col.h"
#include "ops/fast/scratch.h"
#include "ops/fast/views/views.h"
#include "ops/fast/window/planes.h"

namespace tputwin::fast {

// `count` results, the inputs of the first one under tap i at cells[offsets[i]]. Whole vectors of
// inputs are read and of results written, up to kCellSlack cells too many.
constexpr size_t kCellSlack = 64;
struct CellRun {
  const uint32_t* cells;
  const uint32_t* offsets;
  size_t taps;
  uint32_t* out;
  size_t count;
};

// Of a floating-point result that only the reference body knows.
constexpr uint32_t kInDoubt = 0xffff'ffff;

// What the accumulators start as.
struct CellStarts {
  float first, second;
};

struct Quantisation {
  bool relu;
  uint32_t rshift;
  Rounding rounding;
  int32_t low, high;  // of the type of the result
};

Quantisation quantisation_of(bool relu, uint32_t rshift, Rounding rounding, DType dtype);

// The kernels of the instruction set in force. Floating-point results are the bits of the type, or
// kInDoubt, in which case they return true.
struct CellKernels {
  // Two accumulators in turn, every step rounded.
  bool (*sum)(const CellRun&, const float* weights, CellStarts starts, DType dtype);
  bool (*largest)(const CellRun&, DType dtype);
  // Sums of products from `start` on.
  void (*integer_sum)(const CellRun&, const int32_t* weights, int32_t start, const Quantisation&);
  void (*integer_largest)(const CellRun&);
  // fp32 bits of 16-bit numbers.
  void (*widen)(const uint8_t* from, size_t count, DType dtype, uint32_t* to);
};
CellKernels cell_kernels();

// One channel of an operation whose result is a window over its input.
struct CellJob {
  const Window& window;
  const TensorView &in, &out;
  const Memory& memory;
};

bool cell_planes_covered(const CellJob& job);
// All elements of a channel as cells, those in inserted rows and columns being `insertion`.
void lay_out_cells(const CellJob& job, const CellKernels& kernels, uint32_t n, uint32_t c,
                   uint32_t insertion, uint32_t* to);
void store_cells(const CellJob& job, uint32_t n, uint32_t c, uint32_t y, const uint32_t* cells);

// The window without inserted rows and columns, over the extents that they lead to.
inline Window dense_window(Window window) {
  window.h.insert = window.w.insert = 0;
  return window;
}
inline Shape dense_shape(const Shape& in, const Window& window) {
  return {in.n, in.c, (in.h - 1) * (window.h.insert + 1) + 1,
          (in.w - 1) * (window.w.insert + 1) + 1};
}

// For every image n and channel c: outside(c) are the cells of padding and of inserted elements;
// run(CellRun, c) returns true if results may be in doubt; redo(n, c, y, x) stores those.
template <class Outside, class Run, class Redo>
void for_each_cell_plane(const CellJob& job, const CellKernels& kernels, Outside&& outside,
                         Run&& run, Redo&& redo) {
  const Shape& s = job.out.shape;
  const Shape dense = dense_shape(job.in.shape, job.window);
  const WindowPlane plane(dense_window(job.window), dense, s);
  std::vector<uint32_t> offsets;
  for (uint32_t kh = 0; kh < job.window.h.kernel; ++kh)
    for (uint32_t kw = 0; kw < job.window.w.kernel; ++kw)
      offsets.push_back(static_cast<uint32_t>(plane.offset(kh, kw)));
  // All rows in one run, unless too much of it would belong to no result.
  const bool whole = plane.pitch() <= 2 * s.w;
  const uint32_t runs = whole ? 1 : s.h;
  const size_t count = whole ? plane.extent() : s.w, step = whole ? 0 : plane.pitch();
  const size_t elements = uint64_t{dense.h} * dense.w, inputs = plane.floats() + kCellSlack;

  auto run_plane = [&](uint32_t n, uint32_t c, uint32_t* cells) {
    uint32_t* laid = cells + elements;
    uint32_t* results = laid + inputs;
    const auto [padding, insertion] = outside(c);
    lay_out_cells(job, kernels, n, c, insertion, cells);
    plane.lay_out(reinterpret_cast<const uint8_t*>(cells), {.h = dense.w * 4, .w = 4},
                  f32::from_bits(padding), reinterpret_cast<float*>(laid));
    for (uint32_t i = 0; i < runs; ++i) {
      const bool doubt =
          run(CellRun{laid + i * step, offsets.data(), offsets.size(), results, count}, c);
      const uint32_t first = i, last = whole ? s.h : i + 1;
      for (uint32_t y = first; y < last; ++y) {
        const uint32_t* row = results + (y - first) * plane.pitch();
        store_cells(job, n, c, y, row);
        for (uint32_t x = 0; doubt && x < s.w; ++x)
          if (row[x] == kInDoubt) redo(n, c, y, x);
      }
    }
  };

  constexpr uint64_t kTermsPerTask = 64 << 10;
  const uint64_t work = plane.floats() + offsets.size() * plane.extent();
  const uint32_t slots = lane_slots(s, job.memory.local);
  parallel_for(uint64_t{s.n} * slots, std::max<uint64_t>(1, kTermsPerTask / work),
               [&](size_t begin, size_t end) {
                 const ScopedFloatMode mode;
                 thread_local Scratch scratch;
                 uint32_t* cells = scratch.take<uint32_t>(elements + inputs + count + kCellSlack);
                 for (size_t i = begin; i < end; ++i)
                   for (auto c = static_cast<uint32_t>(i / s.n); c < s.c;
                        c += job.memory.local.lanes())
                     run_plane(static_cast<uint32_t>(i % s.n), c, cells);
               });
}

}  // namespace tputwin::fast
