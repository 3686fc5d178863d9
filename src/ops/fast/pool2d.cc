// pool2d: vectors along the rows of a channel. The BM1880's channels are rows of bytes, those of
// the other chips planes of words.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/pool2d.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/contract/body_steps.h"
#include "ops/fast/fast.h"
#include "ops/fast/window/byte_sums-inl.h"
#include "ops/fast/window/sums.h"
#include "ops/pool/pool2d_bm1684.h"
#include "ops/pool/pool2d_bm1684x_float.h"
#include "ops/pool/pool2d_bm1684x_int8.h"
#include "ops/pool/pool2d_bm1880.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

template <class T>
HWY_INLINE void MaximumRow(std::span<const TapRow> taps, uint8_t* out, size_t width) {
  const hn::ScalableTag<T> d;
  const hn::ScalableTag<uint8_t> du8;
  const size_t lanes = hn::Lanes(d);
  for (size_t x = 0; x < width; x += lanes) {
    auto largest = hn::Set(d, hwy::LimitsMin<T>());
    for (const TapRow& tap : taps)
      largest = hn::Max(largest, hn::LoadU(d, reinterpret_cast<const T*>(tap.in + x)));
    if (width - x >= lanes)
      StoreBytes<true>(du8, hn::BitCast(du8, largest), out + x, lanes);
    else
      StoreBytes<false>(du8, hn::BitCast(du8, largest), out + x, width - x);
  }
}

void PoolRow(const WeightedSum& sum, std::span<const TapRow> taps, bool maximum, bool is_signed,
             uint8_t* out, size_t width) {
  if (maximum)
    is_signed ? MaximumRow<int8_t>(taps, out, width) : MaximumRow<uint8_t>(taps, out, width);
  else
    is_signed ? WeightedRow<true>(sum, taps, out, width)
              : WeightedRow<false>(sum, taps, out, width);
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(PoolRow);

size_t taps_of(const Window& window) { return size_t{window.h.kernel} * window.w.kernel; }

Declined byte_rows(const Pool2dBm1880& op, const Memory& memory) {
  if (op.rshift > 31) return "a shift of more than 31";
  if (const Declined why = byte_rows_decline(op.window, op.in, op.out)) return why;
  if (!disjoint(op.out, op.in, memory.local)) return "results overlap a source";
  const bool maximum = op.kind == Pool2dBm1880::Kind::maximum, is_i8 = is_signed(op.in.dtype);
  WeightedSum sum;
  sum.weights.assign(taps_of(op.window), static_cast<int32_t>(op.multiplier));
  sum.rshift = static_cast<int>(op.rshift);
  sum.low = is_i8 ? -128 : 0, sum.high = is_i8 ? 127 : 255;
  // the smallest value of the type never wins, and zero adds nothing
  const uint8_t padding = maximum && is_i8 ? 0x80 : 0;
  constexpr uint64_t kTapsPerTask = 512 << 10;
  for_each_byte_channel(op.window, op.in, op.out.shape, padding, kTapsPerTask, memory,
                        [&](uint32_t n, uint32_t c, const WindowRows& rows) {
                          uint8_t* out = memory.byte(op.out, n, c, 0, 0);
                          for (uint32_t y = 0; y < op.out.shape.h; ++y, out += op.out.stride.h)
                            HWY_DYNAMIC_DISPATCH(PoolRow)
                          (sum, rows.taps(y), maximum, is_i8, out, op.out.shape.w);
                        });
  return kRan;
}

Declined planes(const Pool2dBm1684& op, const Memory& memory) {
  const WindowJob job{op.window, op.in, op.out, memory};
  if (const Declined why = window_declines(job)) return why;
  const bool maximum = op.kind == Pool2dBm1684::Kind::maximum;
  const WindowKernels kernels = window_kernels();
  const std::vector<float> shares(taps_of(op.window), share_of(op.window));
  const float start = shares.size() == 1 ? -0.0f : 0.0f;  // a single product stays what it is
  for_each_channel(
      job, kernels,
      [&](uint32_t) {
        return Outside{maximum ? f32::bits(f32::kLowest) : 0, 0};
      },
      [&](const WindowRun& run, uint32_t) {
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
  const float value = float_value(op.value, op.in.dtype);
  const std::vector<float> factors(taps_of(op.window), value);
  const uint32_t outside = maximum ? f32::bits(value) : 0;
  for_each_channel(
      job, kernels,
      [&](uint32_t) {
        return Outside{outside, outside};
      },
      [&](const WindowRun& run, uint32_t) {
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
  const uint32_t outside = maximum ? static_cast<uint32_t>(op.padding) : 0;
  for_each_channel(
      job, kernels,
      [&](uint32_t) {
        return Outside{outside, outside};
      },
      [&](const WindowRun& run, uint32_t) {
        if (maximum)
          kernels.integer_largest(run);
        else
          kernels.integer_sum(run, factors.data(), 0, quantization);
        return false;
      },
      [](uint32_t, uint32_t, uint32_t, uint32_t) {});
  return kRan;
}

constexpr Body<Pool2dBm1880> kByteBodies[] = {{"byte rows", byte_rows}};
template <class Op>
constexpr Body<Op> kBodies[] = {{"planes", planes}};

}  // namespace

bool execute(const Pool2dBm1880& op, const Memory& memory) {
  return run_best(kByteBodies, op, memory);
}
bool execute(const Pool2dBm1684& op, const Memory& memory) {
  return run_best(kBodies<Pool2dBm1684>, op, memory);
}
bool execute(const Pool2dBm1684xFloat& op, const Memory& memory) {
  return run_best(kBodies<Pool2dBm1684xFloat>, op, memory);
}
bool execute(const Pool2dBm1684xInt8& op, const Memory& memory) {
  return run_best(kBodies<Pool2dBm1684xInt8>, op, memory);
}

}  // namespace tputwin::fast
#endif
