// dma_lrn_shift: whole channels are copied or cleared.
#include "ops/move/dma_lrn_shift.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/walk/copy.h"

namespace tputwin::fast {

namespace {

Declined channels(const DmaLrnShift& op, const Memory& memory) {
  const Shape& s = op.dst.shape;
  if (is_empty(s) || op.src.shape != s) return "no elements, or other shapes";
  if (const Declined why = rows_overlap(op.dst, op.src, memory)) return why;
  const uint32_t step = std::min(op.step, s.c), moved = s.c - step;
  const Slots slots = local_slots(s, memory.local);
  const Nest<2> runs = byte_nest<2>({&op.dst, &op.src}, slots, 1);
  const Nest<1> cleared = byte_nest<1>({&op.dst}, slots, 1);
  const uint32_t first = op.right ? step : 0;  // first channel that receives one
  ChannelCursor dst(op.dst, memory, first), src(op.src, memory, op.right ? 0 : step);
  for (uint32_t c = 0; c < moved; ++c, dst.next(), src.next()) copy_runs(runs, dst.at(), src.at());
  ChannelCursor empty(op.dst, memory, op.right ? 0 : moved);
  for (uint32_t c = 0; c < step; ++c, empty.next())
    for_each_run<1>(cleared, {empty.at()},
                    [](const std::array<uint8_t*, 1>& p, size_t n) { std::memset(p[0], 0, n); });
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(DmaLrnShift, {"channels", channels})

}  // namespace tputwin::fast
