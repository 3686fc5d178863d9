// What convolutions of the BM1880 pack: planes of the input, and weights. Included once per target
// (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_CONV2D_BM1880_PACK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_CONV2D_BM1880_PACK_INL_H
#undef TPUTWIN_FAST_CONV2D_BM1880_PACK_INL_H
#else
#define TPUTWIN_FAST_CONV2D_BM1880_PACK_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "ops/fast/gemm/conv2d_bm1880_planes.h"
#include "ops/fast/gemm/epilogue-inl.h"
#include "ops/fast/gemm/pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast {
namespace HWY_NAMESPACE {
namespace {

// Columns that a stride or zero insertion keeps apart on either side.
void pack_spread(const uint8_t* const* channel, const PlannedColumns& c, bool is_signed,
                 uint32_t flip, uint32_t* to) {
  uint8_t gathered[kElements][kJoined];
  const uint8_t* rows[kElements];
  alignas(64) int32_t joined[kLanes32];
  for (size_t e = 0; e < kElements; ++e) rows[e] = gathered[e];
  for (size_t i = 0; i < c.count; i += kLanes32) {
    size_t n = std::min<size_t>(kLanes32, c.count - i);
    for (size_t e = 0; e < kElements; ++e)
      for (size_t k = 0; k < kLanes32; ++k)
        gathered[e][k] = k < n ? channel[e][(i + k) * c.source_step] : 0;
    hn::Store(join_columns(rows, 0, is_signed, flip), I32(), joined);
    for (size_t k = 0; k < n; ++k) to[(i + k) * c.step] = static_cast<uint32_t>(joined[k]);
  }
}

// Rows of the planes of some images.
struct PlaneRows {
  uint32_t image, images, first, count;
};

// Those of one plane for one group of channels and one image.
void pack_plane(const Conv2dPlan& plan, const uint8_t* const* channel, size_t ph, size_t pw,
                const PlaneRows& rows, uint32_t* to) {
  const TensorView& in = plan.op->in;
  const PlannedColumns& c = plan.columns[pw];
  const bool is_signed_input = is_signed(in.dtype);
  const size_t width = plan.w.extent;
  for (uint32_t row = rows.first; row < rows.first + rows.count; ++row, to += width) {
    int64_t y = plan.h.source(ph, row);
    if (y < 0 || c.count == 0) {
      std::fill_n(to, width, plan.flip);
      continue;
    }
    const uint8_t* source[kElements];
    for (size_t e = 0; e < kElements; ++e)
      source[e] = channel[e] + static_cast<size_t>(y) * in.stride.h + c.source;
    if (c.step != 1 || c.source_step != 1) {
      std::fill_n(to, width, plan.flip);
      pack_spread(source, c, is_signed_input, plan.flip, to + c.first);
      continue;
    }
    std::fill_n(to, c.first, plan.flip);
    join_run(source, c.count, is_signed_input, plan.flip, to + c.first);
    std::fill_n(to + c.first + c.count, width - c.first - c.count, plan.flip);
  }
}

// Planes equal to the input's own: one run per image and channel.
bool is_plain(const Conv2dPlan& plan) {
  const Shape& in = plan.op->in.shape;
  const PlannedColumns& c = plan.columns[0];
  auto plain = [](const PlannedAxis& a, uint32_t extent) {
    return a.start.size() == 1 && a.extent == extent && a.axis.stride == 1 && a.axis.insert == 0 &&
           a.axis.pad_before == 0;
  };
  return plain(plan.h, in.h) && plain(plan.w, in.w) && c.count == in.w &&
         (in.h == 1 || plan.op->in.stride.h == in.w);
}

// Those of all planes of a group of channels. In the order of their places, as whole vectors are
// written.
void pack_rows(const Conv2dPlan& plan, size_t group, const PlaneRows& rows, uint32_t* to) {
  const TensorView& in = plan.op->in;
  const bool plain = is_plain(plan);
  const size_t image = size_t{rows.count} * plan.w.extent;
  for (size_t plane = 0; plane < plan.planes(); ++plane, to += plan.plane_size)
    for (uint32_t n = 0; n < rows.images; ++n) {
      const uint8_t* channel[kElements];
      for (size_t e = 0; e < kElements; ++e) {
        // Channels past the last have zero weights: any data will do.
        const size_t c = std::min<size_t>(group * kElements + e, in.shape.c - 1);
        channel[e] = plan.memory->byte(in, rows.image + n, static_cast<uint32_t>(c),
                                       plain ? rows.first : 0, 0);
      }
      if (plain)
        join_run(channel, image, is_signed(in.dtype), plan.flip, to + n * image);
      else
        pack_plane(plan, channel, plane / plan.w.start.size(), plane % plan.w.start.size(), rows,
                   to + n * image);
    }
}

// The weights of a block of output channels for one tap.
void pack_tap(const Conv2dPlan& plan, size_t block, size_t t, uint32_t* to) {
  const TensorView& weight = plan.op->weight;
  const size_t pitch = plan.taps() * kTileRows, in_channels = plan.op->in.shape.c;
  const uint8_t* from[kTileRows];
  [[maybe_unused]] bool whole = true;
  for (size_t row = 0; row < kTileRows; ++row) {
    const auto oc = static_cast<uint32_t>(block * kTileRows + row);
    const bool exists = oc < plan.op->out.shape.c;
    whole &= exists;
    from[row] = exists ? plan.memory->byte(weight, 0, oc, static_cast<uint32_t>(t / weight.shape.w),
                                           static_cast<uint32_t>(t % weight.shape.w))
                       : nullptr;
  }
  size_t g = 0;
#if TPUTWIN_HAVE_BYTE_DOT
  if (whole)
    for (; (g + kInterleaved) * kElements <= in_channels; g += kInterleaved)
      interleave_rows(from, g * kElements, to + g * pitch, pitch);
#endif
  for (; g < plan.groups; ++g)
    for (size_t row = 0; row < kTileRows; ++row)
      to[g * pitch + row] = from[row] == nullptr
                                ? 0
                                : join_bytes(from[row] + g * kElements, in_channels - g * kElements,
                                             is_signed(weight.dtype));
}

// The weights of a block of output channels, and their biases with all corrections.
void pack_block(const Conv2dPlan& plan, size_t block) {
  const Conv2dBm1880& op = *plan.op;
  uint32_t* weights = plan.weights + block * plan.block_stride;
  for (size_t t = 0; t < plan.taps(); ++t) pack_tap(plan, block, t, weights + t * kTileRows);
  const size_t packed = plan.groups * plan.taps() * kTileRows;
  std::fill(weights + packed, weights + plan.block_stride, 0);
  int32_t sums[kTileRows];
  if (plan.flip != 0) sum_weights(weights, plan.block_stride, is_signed(op.weight.dtype), sums);
  for (size_t row = 0; row < plan.rows; ++row) {
    auto oc = static_cast<uint32_t>(block * plan.rows + row);
    int64_t bias = 0;
    if (op.bias && oc < op.out.shape.c) bias = plan.memory->read(*op.bias, 0, oc, 0, 0);
    if (plan.flip != 0) bias += int64_t{sums[row]} * plan.flip_correction;
    if (plan.rounding_folded) bias += rounding(op.rshift);
    plan.bias[block * plan.rows + row] = wrap32(bias);
  }
}

PlaneRows all_rows(const Conv2dPlan& plan) { return {0, plan.op->out.shape.n, 0, plan.h.extent}; }
void pack_groups(const Conv2dPlan& plan, const PlaneRows& rows, uint32_t* data) {
  for (size_t group = 0; group < plan.groups; ++group)
    pack_rows(plan, group, rows, data + group * plan.group_stride);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tputwin::fast
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
