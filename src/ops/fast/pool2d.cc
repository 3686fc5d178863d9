// pool2d of the BM1684 and BM1684X: vectors along planes of 32-bit elements.
#include "ops/contract/kernel_steps.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/window/sums.h"
#include "ops/pool/pool2d_bm1684.h"
#include "ops/pool/pool2d_bm1684_int8.h"
#include "ops/pool/pool2d_bm1684x_float.h"
#include "ops/pool/pool2d_bm1684x_int8.h"
#include "ops/pool/pool2d_bm1880.h"

namespace tputwin::fast {
namespace {

size_t taps_of(const Window& window) { return size_t{window.h.kernel} * window.w.kernel; }

Declined planes(const Pool2dBm1684& op, const Memory& memory) {
  const WindowJob job{op.window, op.in, op.out, memory};
  if (const Declined why = window_declines(job)) return why;
  const bool maximum = op.kind == Pool2dBm1684::Kind::maximum;
  const WindowKernels kernels = window_kernels();
  const std::vector<float> shares(taps_of(op.window), op.factor);
  const float start = shares.size() == 1 ? -0.0f : 0.0f;  // a single product keeps its sign of zero
  const uint32_t nothing = maximum ? f32::bits(f32::kLowest) : 0;
  for_each_pool(
      job, kernels, {nothing, nothing},
      [&](const WindowRun& run) {
        if (!maximum) return kernels.sum(run, shares.data(), {start, start}, DType::f32);
        kernels.largest_number(run);
        return false;
      },
      [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
        memory.write_f32(op.out, n, c, y, x, result_at(op, memory, n, c, y, x));
      });
  return kRan;
}

Declined planes(const Pool2dBm1684xFloat& op, const Memory& memory) {
  const WindowJob job{op.window, op.in, op.out, memory};
  if (const Declined why = window_declines(job)) return why;
  const bool maximum = op.kind == Pool2dBm1684xFloat::Kind::maximum;
  const WindowKernels kernels = window_kernels();
  auto wide = [&](uint32_t bits) { return float_value(bits, op.in.dtype); };
  const std::vector<float> factors(taps_of(op.window), wide(op.factor));
  const Outside outside{f32::bits(wide(op.padding)), f32::bits(wide(op.insertion))};
  for_each_pool(
      job, kernels, outside,
      [&](const WindowRun& run) {
        return maximum ? kernels.largest(run, op.in.dtype)
                       : kernels.sum(run, factors.data(), {-0.0f, -0.0f}, op.in.dtype);
      },
      [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
        memory.write(op.out, n, c, y, x, static_cast<int32_t>(result_at(op, memory, n, c, y, x)));
      });
  return kRan;
}

Declined planes(const Pool2dBm1684xInt8& op, const Memory& memory) {
  const WindowJob job{op.window, op.in, op.out, memory};
  if (op.multiplier > 255) return "a multiplier of more than 8 bits";
  if (const Declined why = window_declines(job)) return why;
  const bool maximum = op.kind == Pool2dBm1684xInt8::Kind::maximum;
  const WindowKernels kernels = window_kernels();
  const std::vector<int32_t> factors(taps_of(op.window), static_cast<int32_t>(op.multiplier));
  const Quantization quantization =
      quantization_of(/*relu=*/false, op.rshift, Rounding::half_up, op.out.dtype);
  const Outside outside{static_cast<uint32_t>(op.padding), static_cast<uint32_t>(op.insertion)};
  for_each_pool(
      job, kernels, outside,
      [&](const WindowRun& run) {
        if (maximum)
          kernels.integer_largest(run);
        else
          kernels.integer_sum(run, factors.data(), 0, quantization);
        return false;
      },
      [](uint32_t, uint32_t, uint32_t, uint32_t) {});
  return kRan;
}

// Computes maxima of bytes by the kernels of the BM1880, where padding has no effect on them: 0 or
// -128 is the least number of its type.
Declined byte_maxima(const Pool2dBm1684xInt8& op, const Memory& memory) {
  const Axis &h = op.window.h, &w = op.window.w;
  const uint32_t pads = h.pad_before | h.pad_after | w.pad_before | w.pad_after;
  if (op.kind != Pool2dBm1684xInt8::Kind::maximum) return "no maxima";
  if ((h.insert | h.insert_last | w.insert | w.insert_last) != 0 || h.dilation != 1 ||
      w.dilation != 1)
    return "windows with gaps";
  if (pads != 0 &&
      (op.window.pads != PadMode::constant || op.padding != saturate(INT32_MIN, op.in.dtype)))
    return "padding that may be the maximum";
  const Pool2dBm1880 same{
      .kind = Pool2dBm1880::Kind::maximum, .out = op.out, .in = op.in, .window = op.window};
  return fast::execute(same, memory) ? kRan : "no kernel of the BM1880 covers it";
}

// Computes maxima of byte tensors with several images in a cell, image by image. Elements outside
// the input have no effect.
Declined planes(const Pool2dBm1684Int8& op, const Memory& memory) {
  constexpr uint32_t kHighest = 0x80;
  const Outside outside{static_cast<uint32_t>(saturate(INT32_MIN, op.in.dtype)),
                        static_cast<uint32_t>(saturate(INT32_MIN, op.in.dtype))};
  const WindowKernels kernels = window_kernels();
  return for_each_image(op.window, op.in, op.out, memory, [&](const WindowJob& job) {
    for_each_pool(
        job, kernels, outside,
        [&](const WindowRun& run) {
          kernels.integer_largest(run);
          for (size_t i = 0; op.relu && i < run.count; ++i)
            if ((run.out[i] & kHighest) != 0) run.out[i] = 0;
          return false;
        },
        [](uint32_t, uint32_t, uint32_t, uint32_t) {});
  });
}

}  // namespace

TW_FAST_KERNELS(Pool2dBm1684, {"planes", planes})
TW_FAST_KERNELS(Pool2dBm1684Int8, {"planes", planes})
TW_FAST_KERNELS(Pool2dBm1684xFloat, {"planes", planes})
TW_FAST_KERNELS(Pool2dBm1684xInt8, {"byte maxima", byte_maxima}, {"planes", planes})

}  // namespace tputwin::fast
