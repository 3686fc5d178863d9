// depthwise2d of the BM1684 and BM1684X: vectors along planes of 32-bit elements.
#include "ops/contract/kernel_steps.h"
#include "ops/contract/taps.h"
#include "ops/conv/depthwise2d_bm1684.h"
#include "ops/conv/depthwise2d_bm1684_int8.h"
#include "ops/conv/depthwise2d_bm1684x_float.h"
#include "ops/conv/depthwise2d_bm1684x_int8.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/picked_rows.h"
#include "ops/fast/scratch.h"
#include "ops/fast/views/views.h"
#include "ops/fast/window/sliding.h"
#include "ops/fast/window/sums.h"

namespace tputwin::fast {
namespace {

// Returns the weights of a channel by number of tap, as values of type T. read(h, w) returns a
// weight.
template <class T, class Read>
const T* weights_of(const Window& window, bool is_rotated, const Read& read) {
  thread_local Scratch scratch;
  T* weights = scratch.take<T>(size_t{window.h.kernel} * window.w.kernel);
  T* to = weights;
  for (uint32_t kh = 0; kh < window.h.kernel; ++kh)
    for (uint32_t kw = 0; kw < window.w.kernel; ++kw) {
      const WeightPlace at = weight_place(window, is_rotated, kh, kw);
      *to++ = read(at.h, at.w);
    }
  return weights;
}

// Returns true if the weights of a channel are contiguous in the order of taps.
bool are_dense(const TensorView& weight, const Window& window) {
  return weight.shape.h == window.h.kernel && weight.shape.w == window.w.kernel &&
         is_dense_plane(weight);
}
// Returns the weights of channel c as fp32. They must be contiguous (are_dense).
const float* dense_weights(const WindowKernels& kernels, const Memory& memory,
                           const TensorView& weight, uint32_t c) {
  thread_local Scratch scratch;
  const size_t taps = size_t{weight.shape.h} * weight.shape.w;
  auto* const weights = scratch.take<float>(taps + kWindowSlack);
  kernels.widen(weight.dtype, memory.byte(weight, 0, c, 0, 0), taps,
                reinterpret_cast<int32_t*>(weights));
  return weights;
}

// Returns why the positions of weights and biases are not covered, or nullptr if they are.
template <class Op>
Declined parameters_decline(const Op& op, const LocalMemory& local) {
  const TensorView *weight = tensor_of(op.weight), *bias = tensor_of(op.bias);
  for (const TensorView* view : {weight, bias})
    if (view != nullptr && !has_elements(*view)) return "weights are no elements in lanes";
  return overlap(op.out, {weight, bias}, local);
}

// Returns true if the window is 3x3 with stride 1 or 2, over rows of contiguous floats.
template <class Op>
bool is_of_three(const Op& op) {
  const Axis &h = op.window.h, &w = op.window.w;
  const auto is_three = [](const Axis& axis) {
    return axis.kernel == RowsOfThree::kSide && axis.stride <= 2 && axis.dilation == 1 &&
           axis.insert == 0 && axis.insert_last == 0;
  };
  return is_float(op.in.dtype) && op.in.dtype == op.out.dtype && is_three(h) && is_three(w) &&
         h.stride == w.stride && has_dense_rows(op.in) && has_dense_rows(op.out);
}

// Runs plane by plane. weights(c) and starts(c, buffer for a bias) return the terms of a channel.
// redo(n, c, y, x) stores a result in doubt.
template <class Op, class Weights, class Starts, class Redo>
Declined run_of_three(const Op& op, const Memory& memory, float padding, const Weights& weights,
                      const Starts& starts, const Redo& redo) {
  constexpr uint64_t kTermsPerTask = 64 << 10;
  const WindowKernels kernels = window_kernels();
  const Shape &in = op.in.shape, &out = op.out.shape;
  const RowsOfThree any{.in = {nullptr, op.in.stride.h, in.h, in.w},
                        .step = op.window.h.stride,
                        .pad_h = op.window.h.pad_before,
                        .pad_w = op.window.w.pad_before,
                        .padding = padding,
                        .out = {nullptr, op.out.stride.h, out.h, out.w},
                        .buffers = {}};
  const size_t row_bytes = (in.w + kWindowSlack) * size_t{element_bytes(op.in.dtype)};
  const uint64_t work = uint64_t{in.h} * in.w + uint64_t{9} * out.h * out.w;
  parallel_for(uint64_t{out.n} * out.c, grain_of(work, kTermsPerTask),
               [&](size_t begin, size_t end) {
                 const ScopedFloatMode mode;
                 RowsOfThree plane = any;
                 thread_local Scratch padding_row, rows;
                 plane.buffers.padding_row = padding_row.take<uint8_t>(row_bytes);
                 plane.buffers.row = rows.take<const uint8_t*>(plane.rows());
                 for (size_t i = begin; i < end; ++i) {
                   const auto n = static_cast<uint32_t>(i % out.n);
                   const auto c = static_cast<uint32_t>(i / out.n);
                   plane.in.first = memory.byte(op.in, n, c, 0, 0);
                   plane.out.first = memory.byte(op.out, n, c, 0, 0);
                   float bias;
                   if (!kernels.sum_three(plane, weights(c), starts(c, bias), op.in.dtype))
                     continue;
                   for (uint32_t y = 0; y < out.h; ++y)
                     for (uint32_t x = 0; x < out.w; ++x)
                       if (f32::is_nan(read_float(memory, op.out, n, c, y, x))) redo(n, c, y, x);
                 }
               });
  return kRan;
}

// Runs planes of one result each next to each other. weights(c) and starts(c, buffer for a bias)
// return the terms of a channel.
template <class Weights, class Starts, class Redo>
Declined run_whole(const WholePlanes& planes, const WindowKernels& kernels, DType dtype,
                   const Weights& weights, const Starts& starts, const Redo& redo) {
  constexpr size_t kAtOnce = WholePlanes::kAtOnce;
  const size_t taps = planes.taps();
  for_each_batch(
      planes,
      [&](const WindowRun& run, size_t plane) {
        thread_local Scratch scratch;
        auto* const rows = scratch.take<float>(2 * taps * kAtOnce);
        float* const by_column = rows + taps * kAtOnce;
        alignas(64) float first[kAtOnce] = {}, second[kAtOnce] = {}, bias[kAtOnce] = {};
        bool has_bias = false;
        for (size_t i = 0; i < run.count; ++i) {
          const uint32_t c = planes.channel(plane + i);
          std::copy_n(weights(c), taps, rows + i * taps);
          const WindowStarts start = starts(c, bias[i]);
          first[i] = start.first, second[i] = start.second;
          has_bias = start.bias != nullptr;
        }
        planes.transpose_rows(reinterpret_cast<const uint32_t*>(rows), run.count,
                              reinterpret_cast<uint32_t*>(by_column));
        return kernels.sum_each(run, {by_column, first, second, has_bias ? bias : nullptr, kAtOnce},
                                dtype);
      },
      redo);
  return kRan;
}

Declined planes(const Depthwise2dBm1684& op, const Memory& memory) {
  const WindowJob job{op.window, op.in, op.out, memory};
  const uint32_t channels = op.out.shape.c;
  if (const Declined why = window_declines(job)) return why;
  if (op.weight.shape != Shape{1, channels, op.window.h.kernel, op.window.w.kernel} ||
      (op.bias && op.bias->shape != Shape{1, channels, 1, 1}))
    return "weights are not of the window";
  if (const Declined why = parameters_decline(op, memory.local)) return why;
  const WindowKernels kernels = window_kernels();
  // a single product keeps its sign of zero
  const float start = op.window.h.kernel * op.window.w.kernel == 1 ? -0.0f : 0.0f;
  const auto weights = [&, is_dense = are_dense(op.weight, op.window)](uint32_t c) {
    if (is_dense) return dense_weights(kernels, memory, op.weight, c);
    const uint8_t* first = memory.byte(op.weight, 0, c, 0, 0);
    return weights_of<float>(op.window, false, [&](uint32_t h, uint32_t w) {
      return Memory::load<float>(first + uint64_t{h} * op.weight.stride.h +
                                 uint64_t{w} * op.weight.stride.w);
    });
  };
  const auto starts = [&](uint32_t c, float& bias) {
    if (op.bias) bias = memory.read_f32(*op.bias, 0, c, 0, 0);
    return WindowStarts{start, start, op.bias ? &bias : nullptr};
  };
  const auto redo = [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
    memory.write_f32(op.out, n, c, y, x, result_at(op, memory, n, c, y, x));
  };
  if (is_of_three(op)) return run_of_three(op, memory, 0.0f, weights, starts, redo);
  const WholePlanes whole(job, kernels);
  if (whole.cover()) return run_whole(whole, kernels, DType::f32, weights, starts, redo);
  for_each_channel(
      job, kernels, [](uint32_t) { return Outside{}; },
      [&](const WindowRun& run, uint32_t c) {
        float bias;
        return kernels.sum(run, weights(c), starts(c, bias), DType::f32);
      },
      redo);
  return kRan;
}

Declined planes(const Depthwise2dBm1684xFloat& op, const Memory& memory) {
  const WindowJob job{op.window, op.in, op.out, memory};
  if (const Declined why = window_declines(job)) return why;
  if (const Declined why = parameters_decline(op, memory.local)) return why;
  const WindowKernels kernels = window_kernels();
  auto wide = [&](uint32_t bits) { return f32::bits(float_value(bits, op.in.dtype)); };
  const bool is_dense = tensor_of(op.weight) != nullptr && !op.weight.along_n && !op.is_rotated &&
                        are_dense(op.weight.view, op.window);
  const auto weights = [&](uint32_t c) {
    if (is_dense) return dense_weights(kernels, memory, op.weight.view, c);
    return weights_of<float>(op.window, op.is_rotated, [&](uint32_t h, uint32_t w) {
      return read_float(memory, op.weight, 0, c, h, w);
    });
  };
  const auto starts = [&](uint32_t c, float&) {
    return WindowStarts{0.0f, bias_at(op, memory, c)};
  };
  const auto redo = [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
    write_float(memory, op.out, n, c, y, x, result_at(op, memory, n, c, y, x));
  };
  if (is_of_three(op))
    return run_of_three(op, memory, f32::from_bits(wide(op.padding)), weights, starts, redo);
  const WholePlanes whole(job, kernels);
  if (whole.cover()) return run_whole(whole, kernels, op.in.dtype, weights, starts, redo);
  for_each_channel(
      job, kernels,
      [&](uint32_t) {
        return Outside{wide(op.padding), wide(op.insertion)};
      },
      [&](const WindowRun& run, uint32_t c) {
        float unused;
        return kernels.sum(run, weights(c), starts(c, unused), op.in.dtype);
      },
      redo);
  return kRan;
}

// Returns true if sums of at most 2^13 products stay inside 32 bits with these biases.
bool biases_fit(const Depthwise2dBm1684xInt8& op, const Memory& memory) {
  constexpr int64_t kMaxBias = int64_t{1} << 30;
  for (uint32_t c = 0; c < op.out.shape.c; ++c)
    if (const int64_t bias = bias_at(op, memory, c); bias < -kMaxBias || bias > kMaxBias)
      return false;
  return true;
}

Declined planes(const Depthwise2dBm1684xInt8& op, const Memory& memory) {
  const WindowJob job{op.window, op.in, op.out, memory};
  if (const Declined why = window_declines(job)) return why;
  if (const Declined why = parameters_decline(op, memory.local)) return why;
  if (const Declined why =
          overlap(op.out, {tensor_of(op.padding), tensor_of(op.insertion)}, memory.local))
    return why;
  if (!biases_fit(op, memory)) return "a bias that 32-bit sums do not hold";
  const WindowKernels kernels = window_kernels();
  const Quantization quantization = quantization_of(op.relu, op.rshift, op.rounding, op.out.dtype);
  for_each_channel(
      job, kernels,
      [&](uint32_t c) {
        return Outside{static_cast<uint32_t>(op.padding.read(memory, 0, c, 0, 0)),
                       static_cast<uint32_t>(op.insertion.read(memory, 0, c, 0, 0))};
      },
      [&](const WindowRun& run, uint32_t c) {
        const int32_t* weights = weights_of<int32_t>(
            op.window, op.is_rotated,
            [&](uint32_t h, uint32_t w) { return op.weight.read(memory, 0, c, h, w); });
        kernels.integer_sum(run, weights, static_cast<int32_t>(bias_at(op, memory, c)),
                            quantization);
        return false;
      },
      [](uint32_t, uint32_t, uint32_t, uint32_t) {});
  return kRan;
}

// Runs byte tensors with several images in a cell, image by image.
Declined planes(const Depthwise2dBm1684Int8& op, const Memory& memory) {
  if (const Declined why = parameters_decline(op, memory.local)) return why;
  const WindowKernels kernels = window_kernels();
  const Quantization quantization =
      quantization_of(/*relu=*/false, op.rshift, Rounding::half_up, op.out.dtype);
  return for_each_image(op.window, op.in, op.out, memory, [&](const WindowJob& job) {
    for_each_channel(
        job, kernels, [](uint32_t) { return Outside{}; },
        [&](const WindowRun& run, uint32_t c) {
          const int32_t* weights = weights_of<int32_t>(
              op.window, /*is_rotated=*/false,
              [&](uint32_t h, uint32_t w) { return op.weight.read(memory, 0, c, h, w); });
          kernels.integer_sum(run, weights, bias_of(op.bias, memory, c), quantization);
          return false;
        },
        [](uint32_t, uint32_t, uint32_t, uint32_t) {});
  });
}

}  // namespace

TW_FAST_KERNELS(Depthwise2dBm1684, {"planes", planes})
TW_FAST_KERNELS(Depthwise2dBm1684Int8, {"planes", planes})
TW_FAST_KERNELS(Depthwise2dBm1684xFloat, {"planes", planes})
TW_FAST_KERNELS(Depthwise2dBm1684xInt8, {"picked rows", picked_rows},
                {"sliding blocks", sliding_blocks}, {"planes", planes})

}  // namespace tputwin::fast
