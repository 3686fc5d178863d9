// pool2d: row by row, vectors along x, lanes over threads.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/pool2d.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "base/parallel.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/window/byte_rows.h"
#include "ops/fast/window/weighted_sum-inl.h"
#include "ops/pool/pool2d_bm1880.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

template <class T>
HWY_INLINE void MaximumRow(std::span<const Tap> taps, uint8_t* out, size_t width) {
  const hn::ScalableTag<T> d;
  const hn::ScalableTag<uint8_t> du8;
  const size_t lanes = hn::Lanes(d);
  for (size_t x = 0; x < width; x += lanes) {
    auto largest = hn::Set(d, hwy::LimitsMin<T>());
    for (const Tap& tap : taps)
      largest = hn::Max(largest, hn::LoadU(d, reinterpret_cast<const T*>(tap.in + x)));
    if (width - x >= lanes)
      StoreBytes<true>(du8, hn::BitCast(du8, largest), out + x, lanes);
    else
      StoreBytes<false>(du8, hn::BitCast(du8, largest), out + x, width - x);
  }
}

void PoolRow(const WeightedSum& sum, std::span<const Tap> taps, bool maximum, bool is_signed,
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

// All channels of the lanes in [begin, end), in index order inside a lane.
void pool_lanes(const Pool2dBm1880& op, const Memory& memory, size_t begin, size_t end) {
  const Shape& s = op.out.shape;
  const bool maximum = op.kind == Pool2dBm1880::Kind::maximum, is_i8 = is_signed(op.in.dtype);
  // the smallest value of the type never wins, and zero adds nothing
  WindowRows rows(op.window, op.in.shape, maximum && is_i8 ? 0x80 : 0);
  WeightedSum sum;
  sum.weights.assign(size_t{op.window.h.kernel} * op.window.w.kernel,
                     static_cast<int32_t>(op.multiplier));
  sum.rshift = static_cast<int>(op.rshift);
  sum.low = is_i8 ? -128 : 0, sum.high = is_i8 ? 127 : 255;
  for (size_t slot = begin; slot < end; ++slot)
    for (uint32_t n = 0; n < s.n; ++n)
      for (uint32_t c = static_cast<uint32_t>(slot); c < s.c; c += memory.local.lanes()) {
        rows.load(memory.byte(op.in, n, c, 0, 0), op.in.stride.h);
        uint8_t* out = memory.byte(op.out, n, c, 0, 0);
        for (uint32_t y = 0; y < s.h; ++y) HWY_DYNAMIC_DISPATCH(PoolRow)
        (sum, rows.taps(y), maximum, is_i8, out + y * op.out.stride.h, s.w);
      }
}

}  // namespace

bool execute(const Pool2dBm1880& op, const Memory& memory) {
  const Shape& s = op.out.shape;
  const LocalMemory& local = memory.local;
  if (!vectors_enabled() || !window_fits(op.window, op.in, op.out) || op.rshift > 31 ||
      !disjoint({&op.out}, {&op.in}, local))
    return false;
  constexpr uint64_t kTapsPerTask = 512 << 10;
  const size_t slots = lane_slots(s, local);
  const uint64_t taps = s.count() * op.window.h.kernel * op.window.w.kernel;
  parallel_for(slots, std::max<size_t>(1, slots * kTapsPerTask / taps),
               [&](size_t begin, size_t end) { pool_lanes(op, memory, begin, end); });
  return true;
}

}  // namespace tputwin::fast
#endif
