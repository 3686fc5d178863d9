// Copies along two axes in tiles.
#include "ops/fast/walk/transposed_copy.h"

#include <array>
#include <vector>

#include "base/bits.h"
#include "ops/fast/walk/copy.h"
#include "ops/fast/walk/nest.h"
#include "ops/fast/walk/transpose.h"

namespace tputwin::fast {
namespace {

enum Axis4 : size_t { kN, kC, kH, kW, kAxes };
using Index = std::array<uint32_t, kAxes>;

Index extents(const Shape& s) { return {s.n, s.c, s.h, s.w}; }
Index strides(const TensorView& v) { return {v.stride.n, v.stride.c, v.stride.h, v.stride.w}; }

uint8_t* byte(const TensorView& v, const Memory& memory, const Index& i) {
  return memory.byte(v, i[kN], i[kC], i[kH], i[kW]);
}

// Returns the longest axis with contiguous elements. Channels in lanes are not contiguous.
std::optional<size_t> dense_axis(const TensorView& v) {
  constexpr uint32_t kShortest = 4;
  std::optional<size_t> best;
  const Index extent = extents(v.shape), stride = strides(v);
  for (size_t axis = 0; axis < kAxes; ++axis) {
    if (extent[axis] < kShortest || stride[axis] != run_bytes(v)) continue;
    if (axis == kC && v.space == Space::local) continue;
    if (!best || extent[axis] > extent[*best]) best = axis;
  }
  return best;
}

// Sets rows[i] to the address of element i along `axis`, from position `index` on. A row of
// contiguous elements begins at each of these addresses.
void rows_of(const TensorView& v, const Memory& memory, const Index& index, size_t axis,
             std::vector<uint8_t*>& rows) {
  uint8_t* const first = byte(v, memory, index);
  if (axis == kC) return channels_from(first, v, memory, rows);
  const size_t stride = strides(v)[axis];
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = first + i * stride;
}

}  // namespace

std::optional<CrossingAxes> crossing_axes(const TensorView& dst, const TensorView& src) {
  const std::optional<size_t> along = dense_axis(dst), across = dense_axis(src);
  if (!along || !across || strides(src)[*along] == run_bytes(src) ||
      strides(dst)[*across] == run_bytes(dst))
    return std::nullopt;
  return CrossingAxes{*along, *across};
}

void copy_transposed(const TensorView& dst, const TensorView& src, const CrossingAxes& axes,
                     const Memory& memory) {
  const size_t along = axes.dst, across = axes.src;
  constexpr uint32_t kStrip = 128;  // rows of one or two tiles
  const Index extent = extents(dst.shape);
  Index rest = extent;  // extents of the other axes
  rest[along] = rest[across] = 1;
  const size_t planes = size_t{rest[kN]} * rest[kC] * rest[kH] * rest[kW];
  const size_t strips = ceil_div(extent[across], kStrip);
  const uint64_t bytes = 2 * dst.shape.count() * run_bytes(dst);
  share_out(planes * strips, bytes, bytes_per_task(), [&](size_t begin, size_t end) {
    std::vector<uint8_t*> to(extent[across]), from(extent[along]);
    for (size_t i = begin; i < end;) {
      size_t plane = i / strips;
      Index index{};
      for (size_t axis = kAxes; axis-- > 0; plane /= rest[axis])
        index[axis] = static_cast<uint32_t>(plane % rest[axis]);
      rows_of(dst, memory, index, across, to);
      rows_of(src, memory, index, along, from);
      const size_t first = i % strips, last = std::min(strips, first + end - i);
      transpose_rows(run_bytes(dst), to, from, first * kStrip,
                     std::min<size_t>(last * kStrip, extent[across]));
      i += last - first;
    }
  });
}

}  // namespace tputwin::fast
