// depthwise2d of the BM1684 and BM1684X: vectors along planes of words.
#include "ops/contract/body_steps.h"
#include "ops/contract/taps.h"
#include "ops/conv/depthwise2d_bm1684.h"
#include "ops/conv/depthwise2d_bm1684_int8.h"
#include "ops/conv/depthwise2d_bm1684x_float.h"
#include "ops/conv/depthwise2d_bm1684x_int8.h"
#include "ops/fast/fast.h"
#include "ops/fast/scratch.h"
#include "ops/fast/select/body.h"
#include "ops/fast/views/views.h"
#include "ops/fast/window/sliding.h"
#include "ops/fast/window/sums.h"

namespace tputwin::fast {
namespace {

// The weights of a channel by number of tap: of the type T, as read(h, w) gives them.
template <class T, class Read>
const T* weights_of(const Window& window, bool is_turned, const Read& read) {
  thread_local Scratch scratch;
  T* weights = scratch.take<T>(size_t{window.h.kernel} * window.w.kernel);
  T* to = weights;
  for (uint32_t kh = 0; kh < window.h.kernel; ++kh)
    for (uint32_t kw = 0; kw < window.w.kernel; ++kw) {
      const WeightPlace at = weight_place(window, is_turned, kh, kw);
      *to++ = read(at.h, at.w);
    }
  return weights;
}

// Where the weights and biases may not lie.
template <class Op>
Declined parameters_decline(const Op& op, const LocalMemory& local) {
  const TensorView *weight = tensor_of(op.weight), *bias = tensor_of(op.bias);
  for (const TensorView* view : {weight, bias})
    if (view != nullptr && !has_elements(*view)) return "weights are no elements in lanes";
  return overlap(op.out, {weight, bias}, local);
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
  // a single product stays what it is
  const float start = op.window.h.kernel * op.window.w.kernel == 1 ? -0.0f : 0.0f;
  for_each_channel(
      job, kernels, [](uint32_t) { return Outside{}; },
      [&](const WindowRun& run, uint32_t c) {
        const float bias = op.bias ? memory.read_f32(*op.bias, 0, c, 0, 0) : 0.0f;
        const uint8_t* first = memory.byte(op.weight, 0, c, 0, 0);
        const float* weights = weights_of<float>(op.window, false, [&](uint32_t h, uint32_t w) {
          return Memory::load<float>(first + uint64_t{h} * op.weight.stride.h +
                                     uint64_t{w} * op.weight.stride.w);
        });
        return kernels.sum(run, weights, {start, start, op.bias ? &bias : nullptr}, DType::f32);
      },
      [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
        memory.write_f32(op.out, n, c, y, x, result_at(op, memory, n, c, y, x));
      });
  return kRan;
}

Declined planes(const Depthwise2dBm1684xFloat& op, const Memory& memory) {
  const WindowJob job{op.window, op.in, op.out, memory};
  if (const Declined why = window_declines(job)) return why;
  if (const Declined why = parameters_decline(op, memory.local)) return why;
  const WindowKernels kernels = window_kernels();
  auto wide = [&](uint32_t bits) { return f32::bits(float_value(bits, op.in.dtype)); };
  for_each_channel(
      job, kernels,
      [&](uint32_t) {
        return Outside{wide(op.padding), wide(op.insertion)};
      },
      [&](const WindowRun& run, uint32_t c) {
        const float bias = bias_at(op, memory, c);
        const float* weights = weights_of<float>(
            op.window, op.is_turned,
            [&](uint32_t h, uint32_t w) { return read_float(memory, op.weight, 0, c, h, w); });
        return kernels.sum(run, weights, {0.0f, bias}, op.in.dtype);
      },
      [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
        write_float(memory, op.out, n, c, y, x, result_at(op, memory, n, c, y, x));
      });
  return kRan;
}

// Sums of at most 2^13 products stay inside 32 bits beside such a bias.
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
            op.window, op.is_turned,
            [&](uint32_t h, uint32_t w) { return op.weight.read(memory, 0, c, h, w); });
        kernels.integer_sum(run, weights, static_cast<int32_t>(bias_at(op, memory, c)),
                            quantization);
        return false;
      },
      [](uint32_t, uint32_t, uint32_t, uint32_t) {});
  return kRan;
}

// Bytes of several images to a cell, image by image.
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
              op.window, /*is_turned=*/false,
              [&](uint32_t h, uint32_t w) { return op.weight.read(memory, 0, c, h, w); });
          kernels.integer_sum(run, weights, bias_of(op.bias, memory, c), quantization);
          return false;
        },
        [](uint32_t, uint32_t, uint32_t, uint32_t) {});
  });
}

}  // namespace

TW_BODIES(Depthwise2dBm1684, {"planes", planes})
TW_BODIES(Depthwise2dBm1684Int8, {"planes", planes})
TW_BODIES(Depthwise2dBm1684xFloat, {"planes", planes})
TW_BODIES(Depthwise2dBm1684xInt8, {"sliding blocks", sliding_blocks}, {"planes", planes})

}  // namespace tputwin::fast
