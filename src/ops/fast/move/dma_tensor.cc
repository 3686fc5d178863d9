// dma_tensor: channel by channel, in the longest runs that both sides share.
#include <algorithm>

#include "base/bits.h"
#include "base/parallel.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/walk/copy.h"
#include "ops/move/dma_tensor.h"

namespace tputwin::fast {
namespace {

// Counts of n and c that are copied one by one, because n or c selects the lane on a side. A count
// of 1 leaves the axis to the runs.
struct Loops {
  uint32_t n, c;
};

// Returns the runs of one step of the loops. They copy dst(n,c,h,w) = src(n,c,h,w), or src(c,n,h,w)
// if n and c are exchanged.
Nest<2> inner_runs(const DmaTensor& op, Loops loops) {
  const Shape& s = op.dst.shape;
  const Stride &d = op.dst.stride, &f = op.src.stride;
  return make_byte_nest<2>({{{s.w, {1, 1}},
                             {s.h, {d.h, f.h}},
                             {s.c / loops.c, {d.c, op.transpose_nc ? f.n : f.c}},
                             {s.n / loops.n, {d.n, op.transpose_nc ? f.c : f.n}}}});
}

void copy_planes(const DmaTensor& op, const Memory& memory, Loops loops, size_t begin, size_t end) {
  const Nest<2> runs = inner_runs(op, loops);
  for (size_t index = begin; index < end; ++index) {
    uint32_t n = static_cast<uint32_t>(index / loops.c), c = static_cast<uint32_t>(index % loops.c);
    copy_runs(runs, memory.byte(op.dst, n, c, 0, 0),
              op.transpose_nc ? memory.byte(op.src, c, n, 0, 0) : memory.byte(op.src, n, c, 0, 0));
  }
}

// Lanes begin at equal addresses modulo any cache's stride, so that only few of them stay in the
// cache.
constexpr uint32_t kLanesAtOnce = 4;

// Copies the channels of some lanes, a few lanes at a time. All lanes of such a group come to their
// next channel together.
void copy_lanes(const DmaTensor& op, const Memory& memory, size_t begin, size_t end) {
  const uint32_t lanes = memory.local.lanes(), channels = op.dst.shape.c;
  const Nest<2> runs = inner_runs(op, {1, channels});
  for (size_t first = begin * kLanesAtOnce; first < end * kLanesAtOnce; first += kLanesAtOnce)
    for (uint32_t c = static_cast<uint32_t>(first); c < channels; c += lanes) {
      ChannelCursor dst(op.dst, memory, c), src(op.src, memory, c);
      const uint32_t stop = std::min(c + kLanesAtOnce, channels);
      for (uint32_t i = c; i < stop; ++i, dst.next(), src.next())
        copy_runs(runs, dst.at(), src.at());
    }
}

// Copies between different shapes, element by element in index order.
Declined index_order(const DmaTensor& op, const Memory& memory) {
  if (op.transpose_nc || op.dst.shape == op.src.shape) return "the shapes agree";
  if (is_empty(op.dst.shape) || op.src.shape.count() != op.dst.shape.count()) return "no elements";
  if (const Declined why = rows_overlap(op.dst, op.src, memory)) return why;
  copy_in_index_order(op.dst, op.src, memory);
  return kRan;
}

Declined runs(const DmaTensor& op, const Memory& memory) {
  const uint64_t bytes = op.dst.shape.count();
  if (bytes == 0 || op.src.shape.count() != bytes) return "no elements";
  if (const Declined why = rows_overlap(op.dst, op.src, memory)) return why;
  const bool dst_lanes = op.dst.space == Space::local, src_lanes = op.src.space == Space::local;
  const bool by_n = src_lanes && op.transpose_nc;
  const bool by_c = dst_lanes || (src_lanes && !op.transpose_nc);
  const Loops loops{by_n ? op.dst.shape.n : 1, by_c ? op.dst.shape.c : 1};
  const size_t planes = size_t{loops.n} * loops.c;
  if (planes == 1) {
    copy_runs_in_parallel(inner_runs(op, loops), memory.byte(op.dst, 0, 0, 0, 0),
                          memory.byte(op.src, 0, 0, 0, 0));
  } else if (loops.n == 1 && !op.transpose_nc) {
    const size_t blocks = ceil_div(local_slots(op.dst.shape, memory.local).count, kLanesAtOnce);
    parallel_for(blocks, grain_of(bytes / blocks, bytes_per_task()),
                 [&](size_t begin, size_t end) { copy_lanes(op, memory, begin, end); });
  } else {
    share_out(planes, bytes, bytes_per_task(),
              [&](size_t begin, size_t end) { copy_planes(op, memory, loops, begin, end); });
  }
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(DmaTensor, {"runs, in index order", index_order}, {"runs", runs})

}  // namespace tputwin::fast
