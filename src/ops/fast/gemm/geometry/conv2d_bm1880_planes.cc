// Plans the planes of a convolution, and decides which operands they cover.
#include "ops/fast/gemm/geometry/conv2d_bm1880_planes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "base/bits.h"
#include "base/parallel.h"
#include "ops/fast/views/views.h"

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

PlannedColumns plan_columns(const PlannedAxis& w, size_t plane) {
  PlannedColumns c;
  for (uint32_t i = 0; i < w.extent; ++i) {
    int64_t source = w.source(plane, i);
    if (source < 0) continue;
    auto index = static_cast<uint32_t>(source);
    if (c.count == 0) c.first = i, c.source = index;
    if (c.count == 1) c.step = i - c.first, c.source_step = index - c.source;
    ++c.count;
  }
  return c;
}

bool sums_fit(const Conv2dBm1880& op) {
  const Shape& s = op.weight.shape;
  uint64_t terms = uint64_t{op.in.shape.c} * s.h * s.w;
  uint64_t largest =
      terms * (is_signed(op.in.dtype) ? 128 : 255) * (is_signed(op.weight.dtype) ? 128 : 255);
  uint64_t rounding = op.rshift == 0 ? 0 : uint64_t{1} << (op.rshift - 1);
  return largest + 65536 + rounding < std::numeric_limits<int32_t>::max();
}

void PlannedAxis::plan(const Axis& wanted, uint32_t extent_of_source, uint32_t outputs,
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

void Conv2dPlan::build(const Conv2dBm1880& conv, const Memory& where, size_t elements_per_dword,
                       size_t rows_per_block, size_t lanes, size_t tile) {
  op = &conv;
  memory = &where;
  elements = elements_per_dword;
  rows = rows_per_block;
  const Shape &in = conv.in.shape, &out = conv.out.shape, &kernel = conv.weight.shape;

  Axis axis_h = conv.window.h, axis_w = conv.window.w;
  axis_h.kernel = kernel.h;
  axis_w.kernel = kernel.w;
  uint64_t products = uint64_t{out.c} * kernel.h * kernel.w;
  bool unroll_w = worth_unrolling(axis_w, out.w, products);
  h.plan(axis_h, in.h, out.h, out.n > 1 && worth_unrolling(axis_h, out.h, products));
  w.plan(axis_w, in.w, out.w, unroll_w);
  columns.clear();
  for (size_t p = 0; p < w.start.size(); ++p) columns.push_back(plan_columns(w, p));

  size_t image = size_t{h.extent} * w.extent;
  plane_size = image * out.n;
  // Packing writes whole vectors: the overrun of a group's last row must not reach the next group.
  group_stride = h.start.size() * w.start.size() * plane_size + lanes;
  groups = ceil_div(size_t{in.c}, elements);
  tap_offsets.clear();
  for (uint32_t y = 0; y < kernel.h; ++y)
    for (uint32_t x = 0; x < kernel.w; ++x)
      tap_offsets.push_back(
          static_cast<uint32_t>((h.plane[y] * w.start.size() + w.plane[x]) * plane_size +
                                h.offset[y] * w.extent + w.offset[x]));

  blocks = ceil_div(size_t{out.c}, rows);
  block_stride = align_up(groups * taps() * rows, 16);

  bool gapless = h.extent == out.h;
  runs = gapless ? 1 : out.n;
  run_stride = image;
  run_length = (gapless ? image * (out.n - 1) : 0) + size_t{out.h - 1} * w.extent + out.w;
  cut_runs(lanes, tile);

  const auto touch = [&](const TensorView& v) { return out.h == 1 || v.stride.h == out.w; };
  const bool rows_touch = w.extent == out.w && touch(conv.out) && (!sum || touch(sum->addend)) &&
                          (!copy || touch(*copy));
  row_pitch = rows_touch ? image : w.extent;
  row_length = rows_touch ? size_t{out.h} * out.w : out.w;
  rows_per_image = rows_touch ? 1 : h.extent;

  rounding_folded = sums_fit(conv);
}

// Cuts a run into an even number of chunks of about equal length, so that two threads share the
// work evenly. All chunks but the last are whole tiles.
void Conv2dPlan::cut_runs(size_t lanes, size_t tile) {
  const size_t most = block_of(kTilesAtOnce * tile, lanes), unit = std::min(tile, most);
  chunk = align_up(run_length, lanes);
  chunks_per_run = 1;
  if (chunk <= most) return;
  chunks_per_run = align_up(ceil_div(run_length, most), size_t{2});
  const size_t shorter = run_length / chunks_per_run / unit * unit, longer = shorter + unit;
  const size_t last = run_length - (chunks_per_run - 1) * shorter;
  chunk = shorter != 0 && last <= std::min(longer, most) ? shorter : std::min(longer, most);
  if (chunk != shorter) chunks_per_run = ceil_div(run_length, chunk);
}

bool Conv2dPlan::take_data(uint32_t room, const void* owner) {
  struct Room {
    Scratch scratch;
    const void* owner = nullptr;
  };
  thread_local std::array<Room, PreparedBody::kRooms> rooms;
  data = rooms[room].scratch.take<uint32_t>(data_size());
  return std::exchange(rooms[room].owner, owner) == owner;
}

void Conv2dConstants::take(Conv2dPlan& plan) {
  plan.weights = weights_.take<uint32_t>(plan.blocks * plan.block_stride);
  plan.bias = bias_.take<int32_t>(plan.blocks * plan.rows);
  packed_ = plan.weights;
}

void unpack_weights(const Conv2dPlan& plan, const uint32_t* packed, const Memory& memory) {
  const TensorView& weight = plan.op->weight;
  const size_t in_channels = plan.op->in.shape.c, taps = plan.taps(),
               out_channels = plan.op->out.shape.c, bits = 32 / plan.elements;
  const auto unpack_tap = [&](size_t block, size_t t) {
    const size_t rows = std::min(plan.rows, out_channels - block * plan.rows);
    std::vector<uint8_t*> to;
    for (size_t row = 0; row < rows; ++row)
      to.push_back(memory.byte(weight, 0, static_cast<uint32_t>(block * plan.rows + row),
                               static_cast<uint32_t>(t / weight.shape.w),
                               static_cast<uint32_t>(t % weight.shape.w)));
    for (size_t g = 0; g < plan.groups; ++g) {
      const uint32_t* from = packed + block * plan.block_stride + (g * taps + t) * plan.rows;
      const size_t first = g * plan.elements, count = std::min(plan.elements, in_channels - first);
      for (size_t row = 0; row < rows; ++row)
        if (count == sizeof *from)
          std::memcpy(to[row] + first, from + row, sizeof *from);
        else
          for (size_t e = 0; e < count; ++e)
            to[row][first + e] = static_cast<uint8_t>(from[row] >> (e * bits));
    }
  };
  parallel_for(plan.blocks, 1, [&](size_t begin, size_t end) {
    for (size_t block = begin; block < end; ++block)
      for (size_t t = 0; t < taps; ++t) unpack_tap(block, t);
  });
}

bool same_data(const Conv2dPlan& a, const Conv2dPlan& b) {
  const auto same_axis = [](const PlannedAxis& x, const PlannedAxis& y) {
    return x.start == y.start && x.extent == y.extent && x.source_extent == y.source_extent &&
           x.axis.stride == y.axis.stride && x.axis.insert == y.axis.insert &&
           x.axis.pad_before == y.axis.pad_before;
  };
  return a.op->in == b.op->in && a.op->out.shape.n == b.op->out.shape.n && a.flip == b.flip &&
         a.group_stride == b.group_stride && same_axis(a.h, b.h) && same_axis(a.w, b.w);
}

bool same_constants(const Conv2dBm1880& a, const Conv2dBm1880& b) {
  return a.weight == b.weight && a.bias == b.bias && a.in.dtype == b.in.dtype &&
         a.in.shape.c == b.in.shape.c && a.out.shape.c == b.out.shape.c && a.rshift == b.rshift;
}

Declined conv2d_declines(const Conv2dBm1880& op, const Memory& memory) {
  const Shape &in = op.in.shape, &out = op.out.shape, &kernel = op.weight.shape;
  if (is_empty(in) || is_empty(out) || is_empty(kernel)) return "no elements";
  if (!has_byte_rows(op.in) || !has_byte_rows(op.out)) return "no rows of bytes in lanes";
  if (op.weight.space != Space::local || is_16bit(op.weight.dtype) || op.weight.stride.n != 1)
    return "input channels of weights do not lie side by side";
  if (op.bias && op.bias->space != Space::local) return "the bias is not in lanes";
  const Axis &h = op.window.h, &w = op.window.w;
  if (h.stride == 0 || w.stride == 0 || op.rshift > 31) return "a stride of 0 or a shift beyond 31";
  // Unusual windows could make the repacked input very large.
  uint64_t reach_h = uint64_t{kernel.h} * h.dilation, reach_w = uint64_t{kernel.w} * w.dilation;
  uint64_t planes = uint64_t{kernel.h} * kernel.w;
  if (planes * (out.h + reach_h) * (out.w + reach_w) * out.n * (in.c + 4) > uint64_t{1} << 31)
    return "the copy would be too large";
  // Everything is read before anything is written.
  return overlap(op.out, {&op.in, &op.weight, tensor_of(op.bias)}, memory.local);
}

}  // namespace tputwin::fast
