// Plans the planes of a BM1880 convolution, and cuts the work on them.
#include "ops/fast/gemm/geometry/conv2d_bm1880_planes.h"

#include <algorithm>

#include "base/bits.h"
#include "ops/fast/dispatch/budgets.h"
#include "ops/fast/gemm/kernels/tile_order.h"

namespace tputwin::fast {
namespace {

// Returns true if every tap of the axis should have its own plane. The alternative computes `halo`
// useless outputs for each `outputs` useful ones. Packing an element costs about as much as
// `kPackCost` of its products.
bool worth_unrolling(const Axis& axis, uint32_t outputs, uint64_t products_per_element) {
  constexpr uint64_t kPackCost = 13;
  uint64_t halo = (uint64_t{axis.kernel} - 1) * axis.dilation / axis.stride;
  return halo * products_per_element > kPackCost * (axis.kernel - 1) * outputs;
}

}  // namespace

ColumnGeometry find_columns(const AxisGeometry& w, size_t plane) {
  ColumnGeometry c;
  for (uint32_t i = 0; i < w.extent; ++i) {
    int64_t source = w.source(plane, i);
    if (source < 0) continue;
    auto index = static_cast<uint32_t>(source);
    if (c.count == 0) {
      c.first = i;
      c.source = index;
    }
    if (c.count == 1) {
      c.step = i - c.first;
      c.source_step = index - c.source;
    }
    ++c.count;
  }
  return c;
}

void AxisGeometry::choose(const Axis& wanted, uint32_t extent_of_source, uint32_t outputs,
                          bool unrolled) {
  axis = wanted;
  source_extent = extent_of_source;
  extent = outputs;
  start.clear();
  plane.clear();
  offset.clear();
  for (uint32_t tap = 0; tap < axis.kernel; ++tap) {
    uint32_t position = tap * axis.dilation;
    uint32_t phase = unrolled ? position : position % axis.stride;
    auto known = std::find(start.begin(), start.end(), phase);
    plane.push_back(static_cast<uint32_t>(known - start.begin()));
    if (known == start.end()) start.push_back(phase);
    offset.push_back((position - phase) / axis.stride);
    extent = std::max(extent, outputs + offset.back());
  }
}

void CellPlanes::choose(const Conv2dBm1880& op, const RegisterTile& tile) {
  const Shape &in = op.in.shape, &out = op.out.shape, &kernel = op.weight.shape;
  Axis axis_h = op.window.h, axis_w = op.window.w;
  axis_h.kernel = kernel.h;
  axis_w.kernel = kernel.w;
  uint64_t products = uint64_t{out.c} * kernel.h * kernel.w;
  bool unroll_w = worth_unrolling(axis_w, out.w, products);
  h.choose(axis_h, in.h, out.h, out.n > 1 && worth_unrolling(axis_h, out.h, products));
  w.choose(axis_w, in.w, out.w, unroll_w);
  columns.clear();
  for (size_t p = 0; p < w.start.size(); ++p) columns.push_back(find_columns(w, p));

  elements = tile.elements;
  groups = ceil_div(size_t{in.c}, elements);
  plane_size = image() * out.n;
  // Groups have a gap of one vector, because packing writes whole vectors and must not reach the
  // next group.
  group_stride = h.start.size() * w.start.size() * plane_size + tile.vector_elements;
  tap_offsets.clear();
  for (uint32_t y = 0; y < kernel.h; ++y)
    for (uint32_t x = 0; x < kernel.w; ++x)
      tap_offsets.push_back(
          static_cast<uint32_t>((h.plane[y] * w.start.size() + w.plane[x]) * plane_size +
                                h.offset[y] * w.extent + w.offset[x]));
}

void WeightBlocks::choose(const Conv2dBm1880& op, const CellPlanes& planes,
                          const RegisterTile& tile) {
  rows = tile.rows;
  blocks = ceil_div(size_t{op.out.shape.c}, rows);
  block_stride = align_up(planes.groups * planes.taps() * rows, 16);
  const uint64_t positions = uint64_t{op.out.shape.n} * op.out.shape.h * op.out.shape.w;
  depth = tile.has_matrix_tiles && positions >= kLeastTilePositions ? tile_depth(planes.groups) : 0;
}

void PositionRuns::choose(const Shape& out, const CellPlanes& planes, const RegisterTile& tile) {
  const size_t image = planes.image();
  bool gapless = planes.h.extent == out.h;
  runs = gapless ? 1 : out.n;
  run_stride = image;
  run_length = (gapless ? image * (out.n - 1) : 0) + size_t{out.h - 1} * planes.w.extent + out.w;
  cut(tile);
}

// Cuts a run into an even number of chunks of about equal length, so that two threads share the
// work evenly. All chunks but the last are whole tiles.
void PositionRuns::cut(const RegisterTile& tile) {
  const size_t most = block_of(kTilesAtOnce * tile.positions, tile.vector_elements);
  const size_t unit = std::min(tile.positions, most);
  chunk = align_up(run_length, tile.vector_elements);
  chunks_per_run = 1;
  if (chunk <= most) return;
  chunks_per_run = align_up(ceil_div(run_length, most), size_t{2});
  const size_t shorter = run_length / chunks_per_run / unit * unit, longer = shorter + unit;
  const size_t last = run_length - (chunks_per_run - 1) * shorter;
  chunk = shorter != 0 && last <= std::min(longer, most) ? shorter : std::min(longer, most);
  if (chunk != shorter) chunks_per_run = ceil_div(run_length, chunk);
}

void ResultRows::choose(const Shape& out, const CellPlanes& planes,
                        std::span<const TensorView* const> views) {
  const bool are_one_run =
      planes.w.extent == out.w && std::ranges::all_of(views, [&](const TensorView* v) {
        return v == nullptr || out.h == 1 || v->stride.h == out.w;
      });
  pitch = are_one_run ? planes.image() : planes.w.extent;
  length = are_one_run ? size_t{out.h} * out.w : out.w;
  per_image = are_one_run ? 1 : planes.h.extent;
}

void Conv2dGeometry::choose(const Conv2dBm1880& op, const RegisterTile& tile,
                            std::span<const TensorView* const> views) {
  planes.choose(op, tile);
  weights.choose(op, planes, tile);
  positions.choose(op.out.shape, planes, tile);
  results.choose(op.out.shape, planes, views);
}

bool Conv2dGeometry::is_small() const { return macs() < 2 * task_work(kMacsPerTask); }

}  // namespace tputwin::fast
