// dma_lrn_shift: whole channels are copied or cleared.
#include "ops/move/dma_lrn_shift.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/walk/copy.h"

namespace tputwin::fast {

bool execute(const DmaLrnShift& op, const Memory& memory) {
  const Shape& s = op.dst.shape;
  if (!vectors_enabled() || s.count() == 0 || op.src.shape != s ||
      !any_order(op.dst, op.src, memory))
    return false;
  const uint32_t step = std::min(op.step, s.c), moved = s.c - step;
  const Runs<2> runs = lane_runs<2>({&op.dst, &op.src}, 1);
  const Runs<1> cleared = lane_runs<1>({&op.dst}, 1);
  const uint32_t first = op.right ? step : 0;  // first channel that receives one
  ChannelCursor dst(op.dst, memory, first), src(op.src, memory, op.right ? 0 : step);
  for (uint32_t c = 0; c < moved; ++c, dst.next(), src.next()) copy_runs(runs, dst.at(), src.at());
  ChannelCursor empty(op.dst, memory, op.right ? 0 : moved);
  for (uint32_t c = 0; c < step; ++c, empty.next()) zero_runs(cleared, empty.at());
  return true;
}

}  // namespace tputwin::fast
