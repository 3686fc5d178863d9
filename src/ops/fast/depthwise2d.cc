// depthwise2d: row by row, vectors along x, lanes over threads.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/depthwise2d.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "base/parallel.h"
#include "ops/conv/depthwise2d_bm1880.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/window/byte_rows.h"
#include "ops/fast/window/weighted_sum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

void DepthwiseRow(const WeightedSum& sum, std::span<const Tap> taps, bool is_signed, uint8_t* out,
                  size_t width) {
  is_signed ? WeightedRow<true>(sum, taps, out, width) : WeightedRow<false>(sum, taps, out, width);
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(DepthwiseRow);

void load_weights(const TensorView& weight, const Memory& memory, uint32_t c,
                  std::vector<int32_t>& values) {
  const uint8_t* first = memory.byte(weight, 0, c, 0, 0);
  values.clear();
  for (uint32_t kh = 0; kh < weight.shape.h; ++kh)
    for (uint32_t kw = 0; kw < weight.shape.w; ++kw)
      values.push_back(static_cast<int8_t>(first[kh * weight.stride.h + kw * weight.stride.w]));
}

// All channels of the lanes in [begin, end), in index order inside a lane.
void depthwise_lanes(const Depthwise2dBm1880& op, const Memory& memory, size_t begin, size_t end) {
  const Shape& s = op.out.shape;
  WindowRows rows(op.window, op.in.shape, 0);
  WeightedSum sum;
  sum.rshift = static_cast<int>(op.rshift);
  sum.low = -128, sum.high = 127;
  TensorView bias;
  if (op.bias) bias = *op.bias, bias.dtype = DType::i16;
  for (size_t slot = begin; slot < end; ++slot)
    for (uint32_t n = 0; n < s.n; ++n)
      for (uint32_t c = static_cast<uint32_t>(slot); c < s.c; c += memory.local.lanes()) {
        rows.load(memory.byte(op.in, n, c, 0, 0), op.in.stride.h);
        sum.start = op.bias ? memory.read(bias, 0, c, 0, 0) : 0;
        load_weights(op.weight, memory, c, sum.weights);
        uint8_t* out = memory.byte(op.out, n, c, 0, 0);
        for (uint32_t y = 0; y < s.h; ++y) HWY_DYNAMIC_DISPATCH(DepthwiseRow)
        (sum, rows.taps(y), is_signed(op.in.dtype), out + y * op.out.stride.h, s.w);
      }
}

}  // namespace

bool execute(const Depthwise2dBm1880& op, const Memory& memory) {
  const Shape& s = op.out.shape;
  const LocalMemory& local = memory.local;
  if (!vectors_enabled() || !window_fits(op.window, op.in, op.out) || op.rshift > 31 ||
      op.weight.space != Space::local || op.weight.shape.h != op.window.h.kernel ||
      op.weight.shape.w != op.window.w.kernel || !disjoint({&op.out}, {&op.in}, local) ||
      !disjoint({&op.out}, {&op.weight}, local) ||
      (op.bias && (!disjoint({&op.out}, {&*op.bias}, local) ||
                   !disjoint({&op.out}, {&*op.bias, op.bias->plane_stride}, local))))
    return false;
  constexpr uint64_t kMacsPerTask = 256 << 10;
  const size_t slots = lane_slots(s, local);
  const uint64_t macs = s.count() * op.weight.shape.h * op.weight.shape.w;
  parallel_for(slots, std::max<size_t>(1, slots * kMacsPerTask / macs),
               [&](size_t begin, size_t end) { depthwise_lanes(op, memory, begin, end); });
  return true;
}

}  // namespace tputwin::fast
#endif
