// The input and the weights of a BM1880 convolution, packed as Conv2dSetup describes. Included once
// per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_OPS_FAST_PACK_CONV2D_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_OPS_FAST_PACK_CONV2D_INL_H_
#undef TPUTWIN_OPS_FAST_PACK_CONV2D_INL_H_
#else
#define TPUTWIN_OPS_FAST_PACK_CONV2D_INL_H_
#endif

#include <algorithm>
#include <cstring>
#include <functional>

#include "base/bits.h"
#include "base/parallel.h"
#include "ops/fast/gemm/kernels/tile_order.h"
#include "ops/fast/gemm/packing/byte_cells-inl.h"
#include "ops/fast/gemm/packing/conv2d_bm1880_setup.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast {
namespace HWY_NAMESPACE {

// Gathers `count` (up to kJoined) bytes at a distance of `step`. With a step of 2, the bytes
// between are read, too.
HWY_INLINE void gather_bytes(const uint8_t* from, size_t step, size_t count, uint8_t* to) {
  if (step == 2) {
    const hn::CappedTag<uint8_t, kJoined> d;
    hn::Vec<decltype(d)> wanted, between;
    hn::LoadInterleaved2(d, from, wanted, between);
    return hn::StoreU(wanted, d, to);
  }
  for (size_t k = 0; k < count; ++k) to[k] = from[k * step];
}

// Packs columns with gaps in the source (a stride) or in the destination (zero insertion).
inline void pack_spread(const uint8_t* const* channel, const ColumnGeometry& c, bool is_signed,
                        uint32_t flip, uint32_t* to) {
  uint8_t gathered[kElements][kJoined] = {};
  const uint8_t* rows[kElements];
  alignas(64) int32_t joined[kElements32];
  for (size_t e = 0; e < kElements; ++e) rows[e] = gathered[e];
  for (size_t i = 0; i < c.count; i += kElements32) {
    const size_t n = std::min<size_t>(kElements32, c.count - i);
    for (size_t e = 0; e < kElements; ++e)
      gather_bytes(channel[e] + i * c.source_step, c.source_step, n, gathered[e]);
    const Ints columns = join_columns(rows, 0, is_signed, flip);
    if (c.step == 1 && n == kElements32) {
      hn::StoreU(columns, I32(), reinterpret_cast<int32_t*>(to + i));
      continue;
    }
    hn::Store(columns, I32(), joined);
    for (size_t k = 0; k < n; ++k) to[(i + k) * c.step] = static_cast<uint32_t>(joined[k]);
  }
}

// Selects rows [first, end) of every plane.
struct PlaneRows {
  uint32_t first, end;
};

// Packs these rows of one plane, for one group of channels and one image. The cells after them
// belong to another task.
inline void pack_plane(const Conv2dSetup& setup, const uint8_t* const* channel, size_t ph,
                       size_t pw, const PlaneRows& rows, uint32_t* to) {
  const TensorView& in = setup.op->in;
  const CellPlanes& planes = setup.geometry.planes;
  const ColumnGeometry& c = planes.columns[pw];
  const bool is_signed_input = is_signed(in.dtype);
  const uint32_t zero = setup.flip.mask;
  const size_t width = planes.w.extent;
  to += rows.first * width;
  for (uint32_t row = rows.first; row < rows.end; ++row, to += width) {
    int64_t y = planes.h.source(ph, row);
    if (y < 0 || c.count == 0) {
      std::fill_n(to, width, zero);
      continue;
    }
    const uint8_t* source[kElements];
    for (size_t e = 0; e < kElements; ++e)
      source[e] = channel[e] + static_cast<size_t>(y) * in.stride.h + c.source;
    if (c.step != 1 || c.source_step != 1) {
      std::fill_n(to, width, zero);
      pack_spread(source, c, is_signed_input, zero, to + c.first);
      continue;
    }
    std::fill_n(to, c.first, zero);
    const bool fits_blocks = (rows.end - row) * width >= c.first + align_up(c.count, kElements32);
    const auto join = fits_blocks ? join_run : join_run_exactly;
    join(source, c.count, is_signed_input, zero, to + c.first);
    std::fill_n(to + c.first + c.count, width - c.first - c.count, zero);
  }
}

// Returns true if planes have the layout of the input. Each image and channel is then copied as one
// run.
inline bool is_plain(const Conv2dSetup& setup) {
  const Shape& in = setup.op->in.shape;
  const CellPlanes& planes = setup.geometry.planes;
  const ColumnGeometry& c = planes.columns[0];
  auto plain = [](const AxisGeometry& a, uint32_t extent) {
    return a.start.size() == 1 && a.extent == extent && a.axis.stride == 1 && a.axis.insert == 0 &&
           a.axis.pad_before == 0;
  };
  return plain(planes.h, in.h) && plain(planes.w, in.w) && c.count == in.w &&
         (in.h == 1 || setup.op->in.stride.h == in.w);
}

// Returns true if a byte is above 127.
inline bool any_wide(const uint32_t* cells, size_t count) {
  constexpr uint32_t kHighBits = 0x80808080u;
  const I32 d;
  const size_t whole = count / kElements32 * kElements32;
  Ints any = hn::Zero(d);
  for (size_t i = 0; i < whole; i += kElements32)
    any = hn::Or(any, hn::LoadU(d, reinterpret_cast<const int32_t*>(cells + i)));
  any = hn::And(any, ints(static_cast<int32_t>(kHighBits)));
  uint32_t left = 0;
  for (size_t i = whole; i < count; ++i) left |= cells[i];
  return !hn::AllTrue(d, hn::Eq(any, hn::Zero(d))) || (left & kHighBits) != 0;
}

// Packs part `part` of the input of a group of channels: some rows of each plane.
inline void pack_input(const Conv2dSetup& setup, const PackedInput& input, size_t group,
                       [[maybe_unused]] size_t part, const PlaneRows& rows) {
  const TensorView& in = setup.op->in;
  const CellPlanes& planes = setup.geometry.planes;
  uint32_t* to = input.cells() + group * planes.group_stride;
  const bool plain = is_plain(setup);
  const size_t width = planes.w.extent, image = planes.image();
  [[maybe_unused]] bool is_wide = false;
  for (size_t ph = 0; ph < planes.h.start.size(); ++ph)
    for (size_t pw = 0; pw < planes.w.start.size(); ++pw)
      for (uint32_t n = 0; n < setup.op->out.shape.n; ++n, to += image) {
        const uint8_t* channel[kElements];
        for (size_t e = 0; e < kElements; ++e) {
          // Channels after the last one have zero weights, so their data may be any bytes.
          size_t c = std::min<size_t>(group * kElements + e, in.shape.c - 1);
          channel[e] =
              setup.memory->byte(in, n, static_cast<uint32_t>(c), plain ? rows.first : 0, 0);
        }
        if (plain)
          join_run_exactly(channel, (rows.end - rows.first) * width, is_signed(in.dtype),
                           setup.flip.mask, to + rows.first * width);
        else
          pack_plane(setup, channel, ph, pw, rows, to);
#if TPUTWIN_HAVE_NARROW_STEPS
        is_wide |= any_wide(to + rows.first * width, (rows.end - rows.first) * width);
#endif
      }
#if TPUTWIN_HAVE_NARROW_STEPS
  input.wide_parts(group)[part] = is_wide;
#endif
}

// Packs the weights of a block of output channels for one tap.
inline void pack_tap(const Conv2dSetup& setup, size_t block, size_t t, uint32_t* to) {
  const TensorView& weight = setup.op->weight;
  const CellPlanes& planes = setup.geometry.planes;
  const size_t pitch = planes.taps() * kTileRows, in_channels = setup.op->in.shape.c;
  const uint8_t* from[kTileRows];
  [[maybe_unused]] bool whole = true;
  for (size_t row = 0; row < kTileRows; ++row) {
    const auto oc = static_cast<uint32_t>(block * kTileRows + row);
    const bool exists = oc < setup.op->out.shape.c;
    whole &= exists;
    from[row] = exists
                    ? setup.memory->byte(weight, 0, oc, static_cast<uint32_t>(t / weight.shape.w),
                                         static_cast<uint32_t>(t % weight.shape.w))
                    : nullptr;
  }
  size_t g = 0;
#if TPUTWIN_HAVE_BYTE_STEPS
  if (whole)
    for (; (g + kInterleaved) * kElements <= in_channels; g += kInterleaved)
      interleave_rows(from, g * kElements, to + g * pitch, pitch);
#endif
  for (; g < planes.groups; ++g)
    for (size_t row = 0; row < kTileRows; ++row)
      to[g * pitch + row] = from[row] == nullptr
                                ? 0
                                : join_bytes(from[row] + g * kElements, in_channels - g * kElements,
                                             is_signed(weight.dtype));
}

// Packs the weights of a block of output channels, and their biases with all corrections.
inline void pack_block(const Conv2dSetup& setup, const NewConstants& constants, size_t block) {
  const Conv2dBm1880& op = *setup.op;
  const CellPlanes& planes = setup.geometry.planes;
  const WeightBlocks& blocks = setup.geometry.weights;
  uint32_t* weights = constants.weights + block * blocks.block_stride;
  for (size_t t = 0; t < planes.taps(); ++t) pack_tap(setup, block, t, weights + t * kTileRows);
  const size_t packed = planes.groups * planes.taps() * kTileRows;
  std::fill(weights + packed, weights + blocks.block_stride, 0);
  int32_t sums[kTileRows];
  const bool flips = setup.flip.mask != 0;
  if (flips) sum_weights(weights, blocks.block_stride, is_signed(op.weight.dtype), sums);
  if (blocks.depth != 0)
    order_for_tiles({kTileRows, planes.taps(), blocks.depth}, planes.groups, weights);
  for (size_t row = 0; row < blocks.rows; ++row) {
    auto oc = static_cast<uint32_t>(block * blocks.rows + row);
    int64_t bias = 0;
    if (op.bias && oc < op.out.shape.c) bias = setup.memory->read(*op.bias, 0, oc, 0, 0);
    if (flips) bias += int64_t{sums[row]} * setup.flip.correction;
    if (setup.rounding_folded) bias += rounding(op.rshift);
    constants.bias[block * blocks.rows + row] = wrap32(bias);
  }
}

// Packs the input and the constants, and skips null pointers. Inputs with few groups of channels
// are packed in parts, so that several threads have work.
inline void pack(const Conv2dSetup& setup, const PackedInput* input,
                 const NewConstants* constants) {
  const Conv2dGeometry& geometry = setup.geometry;
  const size_t groups = input != nullptr ? geometry.planes.groups : 0,
               blocks = constants != nullptr ? geometry.weights.blocks : 0;
  const uint32_t height = geometry.planes.h.extent;
  const bool is_small = geometry.is_small();
  const bool in_parts = !is_small && groups < PackedInput::kParts;
  const size_t parts = in_parts ? std::min<size_t>(PackedInput::kParts, height) : 1;
  const size_t pieces = groups * parts;
  const auto rows = [height, parts](size_t part) {
    const auto first = [&](size_t i) { return static_cast<uint32_t>(height * i / parts); };
    return PlaneRows{first(part), first(part + 1)};
  };
  if (input != nullptr) input->clear_wide_parts();
  const auto pack_pieces = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      i < pieces ? pack_input(setup, *input, i % groups, i / groups, rows(i / groups))
                 : pack_block(setup, *constants, i - pieces);
  };
  parallel_for(pieces + blocks, is_small ? pieces + blocks : 1, std::cref(pack_pieces));
}

}  // namespace HWY_NAMESPACE
}  // namespace tputwin::fast
HWY_AFTER_NAMESPACE();

#endif
