// rearrange: a copy if the strides of one side can express it. Channels and columns are exchanged
// tile by tile.
#include "ops/move/rearrange.h"

#include <atomic>
#include <vector>

#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/copy.h"
#include "ops/fast/walk/nest.h"
#include "ops/fast/walk/transpose.h"
#include "ops/move/copy.h"

namespace tputwin::fast {
namespace {

using Kind = Rearrange::Kind;

constexpr Declined kGaps = "rows have gaps";

Declined copy(const TensorView& dst, const TensorView& src, const Memory& memory) {
  return fast::execute(Copy{.dst = dst, .src = Source::tensor(src)}, memory) ? kRan
                                                                             : "no copy for it";
}

// Returns the view with n and c exchanged. It must be in system memory.
TensorView exchange_nc(TensorView v) {
  std::swap(v.shape.n, v.shape.c);
  std::swap(v.stride.n, v.stride.c);
  return v;
}

// Returns channel c of a view as a view.
TensorView channel(TensorView v, uint32_t c, const LocalMemory& local) {
  v.shape.c = 1;
  if (v.space != Space::local) {
    v.address += uint64_t{c} * v.stride.c;
    return v;
  }
  const uint64_t lane = v.address / local.lane_bytes() + c;
  v.address = lane % local.lanes() * local.lane_bytes() + v.address % local.lane_bytes() +
              lane / local.lanes() * v.stride.c;
  return v;
}

// Copies the rows of a channel, or all of it if it is one run on both sides.
class PlaneCopy {
 public:
  explicit PlaneCopy(const Rearrange& op)
      : rows_(op.out.shape.h),
        bytes_(op.out.shape.w * size_t{element_bytes(op.out.dtype)}),
        to_(op.out.stride.h),
        from_(op.in.stride.h) {
    if (to_ == bytes_ && from_ == bytes_) bytes_ *= rows_, rows_ = 1;
  }
  void copy(uint8_t* to, const uint8_t* from) const {
    for (uint32_t h = 0; h < rows_; ++h) copy_bytes(to + h * to_, from + h * from_, bytes_);
  }

 private:
  uint32_t rows_;
  size_t bytes_, to_, from_;
};

// Exchanges n and c. Between local tensors, a batch of either side is a channel of the other.
Declined swap_nc(const Rearrange& op, const Memory& memory) {
  if (op.in.space != Space::local) return copy(op.out, exchange_nc(op.in), memory);
  if (op.out.space != Space::local) return copy(exchange_nc(op.out), op.in, memory);
  if (!has_dense_rows(op.out) || !has_dense_rows(op.in)) return kGaps;
  const Shape& s = op.out.shape;
  const PlaneCopy plane(op);
  share_out(size_t{s.n} * s.c, 2 * s.count() * element_bytes(op.out.dtype), bytes_per_task(),
            [&](size_t begin, size_t end) {
              for (size_t item = begin; item < end; ++item) {
                const auto n = static_cast<uint32_t>(item / s.c);
                const auto c = static_cast<uint32_t>(item % s.c);
                plane.copy(memory.byte(op.out, n, c, 0, 0), memory.byte(op.in, c, n, 0, 0));
              }
            });
  return kRan;
}

// Returns true if the first of the repeated channels is the source, and the others are disjoint
// from it.
bool repeats_in_place(const Rearrange& op, const LocalMemory& local) {
  if (op.kind != Rearrange::Kind::repeat_channel) return false;
  const TensorView first = channel(op.out, 0, local);
  const auto same = [](uint32_t extent, uint32_t a, uint32_t b) { return extent == 1 || a == b; };
  const Shape& s = op.in.shape;
  if (first.space != op.in.space || first.address != op.in.address ||
      run_bytes(first) != run_bytes(op.in) || !same(s.n, first.stride.n, op.in.stride.n) ||
      !same(s.h, first.stride.h, op.in.stride.h) || !same(s.w, first.stride.w, op.in.stride.w))
    return false;
  for (uint32_t c = 1; c < op.out.shape.c; ++c)
    if (!disjoint(channel(op.out, c, local), op.in, local)) return false;
  return true;
}

Declined repeat_channel(const Rearrange& op, const Memory& memory) {
  constexpr uint64_t kChannelCost = 4 << 10;  // bytes whose copy takes as long as a short channel
  const uint64_t bytes = 2 * op.in.shape.count() * element_bytes(op.in.dtype);
  const uint32_t first = repeats_in_place(op, memory.local) ? 1 : 0, count = op.out.shape.c - first;
  std::atomic<Declined> declined{kRan};
  share_out(count, count * (bytes + kChannelCost), bytes_per_task(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const auto c = static_cast<uint32_t>(first + i);
      if (const Declined why = copy(channel(op.out, c, memory.local), op.in, memory))
        declined = why;
    }
  });
  return declined;
}

std::vector<uint8_t*> channels(const TensorView& v, const Memory& memory, uint32_t n, uint32_t h) {
  std::vector<uint8_t*> rows(v.shape.c);
  channels_from(memory.byte(v, n, 0, h, 0), v, memory, rows);
  return rows;
}

Declined swap_cw(const Rearrange& op, const Memory& memory) {
  if (!has_dense_rows(op.out) || !has_dense_rows(op.in)) return kGaps;
  const Shape& s = op.out.shape;
  const uint32_t bytes = element_bytes(op.out.dtype);
  constexpr size_t strip = 128;  // columns of one or two tiles
  const size_t strips = ceil_div<size_t>(s.c, strip);
  // The bytes of one side only are counted as work, because one thread moves half a megabyte of
  // both sides before a worker starts.
  share_out(size_t{s.n} * s.h * strips, s.count() * bytes, bytes_per_task(),
            [&](size_t begin, size_t end) {
              while (begin < end) {
                const size_t plane = begin / strips, from = begin % strips;
                const size_t to = std::min(strips, from + end - begin);
                const auto n = static_cast<uint32_t>(plane / s.h),
                           h = static_cast<uint32_t>(plane % s.h);
                transpose_rows(bytes, channels(op.out, memory, n, h), channels(op.in, memory, n, h),
                               from * strip, std::min<size_t>(s.c, to * strip));
                begin += to - from;
              }
            });
  return kRan;
}

// Returns a view of the bytes of elements, which must be contiguous.
TensorView bytes_of(TensorView v) {
  v.shape.w *= element_bytes(v.dtype);
  v.stride.w = 1;
  v.dtype = DType::u8;
  v.plane_stride = 0;
  return v;
}

Declined refold(const Rearrange& op, const Memory& memory) {
  if (!has_dense_rows(op.out) || !has_dense_rows(op.in)) return kGaps;
  copy_in_index_order(bytes_of(op.out), bytes_of(op.in), memory);
  return kRan;
}

Declined by_kind(const Rearrange& op, const Memory& memory) {
  if (is_empty(op.out.shape) || !is_run(op.out) || !is_run(op.in))
    return "no elements, or values in two planes";
  if (const Declined why = overlap(op.out, {&op.in}, memory.local);
      why && !(repeats_in_place(op, memory.local) && distinct(op.out, memory.local)))
    return why;
  switch (op.kind) {
    case Kind::swap_nc:
      return swap_nc(op, memory);
    case Kind::swap_cw:
      return swap_cw(op, memory);
    case Kind::repeat_channel:
      return repeat_channel(op, memory);
    case Kind::refold:
      return refold(op, memory);
    case Kind::other_lanes:
      return copy(op.out, op.in, memory);
  }
  return "an unknown kind";
}

}  // namespace

TW_FAST_KERNELS(Rearrange, {"by kind", by_kind})

}  // namespace tputwin::fast
