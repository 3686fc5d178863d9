// Plans a BM1880 convolution, and decides which operands its planes cover.
#include "ops/fast/gemm/packing/conv2d_bm1880_setup.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "base/bits.h"
#include "base/parallel.h"
#include "ops/fast/gemm/kernels/tile_order.h"
#include "ops/fast/views/views.h"

namespace tputwin::fast {

bool sums_fit(const Conv2dBm1880& op) {
  const Shape& s = op.weight.shape;
  uint64_t terms = uint64_t{op.in.shape.c} * s.h * s.w;
  uint64_t largest =
      terms * (is_signed(op.in.dtype) ? 128 : 255) * (is_signed(op.weight.dtype) ? 128 : 255);
  uint64_t rounding = op.rshift == 0 ? 0 : uint64_t{1} << (op.rshift - 1);
  return largest + 65536 + rounding < std::numeric_limits<int32_t>::max();
}

void Conv2dSetup::build(const Conv2dBm1880& conv, const Memory& where, const RegisterTile& tile,
                        const SignFlip& sign_flip) {
  op = &conv;
  memory = &where;
  flip = sign_flip;
  rounding_folded = sums_fit(conv);
  const std::array<const TensorView*, 3> views{&conv.out, fused.sum ? &fused.sum->addend : nullptr,
                                               fused.copy ? &*fused.copy : nullptr};
  geometry.choose(conv, tile, views);
}

NewConstants Conv2dConstants::take(const WeightBlocks& blocks) {
  return {weights_.take<uint32_t>(blocks.size()), bias_.take<int32_t>(blocks.blocks * blocks.rows)};
}

NewConstants Conv2dConstants::renew_kept(const WeightBlocks& blocks) {
  return {reinterpret_cast<uint32_t*>(kept_weights_.renew(blocks.size() * sizeof(uint32_t))),
          bias_.take<int32_t>(blocks.blocks * blocks.rows)};
}

PackedConstants Conv2dConstants::kept(const WeightBlocks& blocks) {
  return {weights(), bias_.take<int32_t>(blocks.blocks * blocks.rows)};
}

void unpack_weights(const Conv2dSetup& setup, const uint32_t* packed, const Memory& memory) {
  const TensorView& weight = setup.op->weight;
  const CellPlanes& planes = setup.geometry.planes;
  const WeightBlocks& blocks = setup.geometry.weights;
  const size_t in_channels = setup.op->in.shape.c, taps = planes.taps(),
               bits = 32 / planes.elements;
  const PanelOrder order{blocks.rows, taps, blocks.depth};
  const auto unpack_tap = [&](size_t block, size_t t) {
    const size_t rows = setup.channels_of(block);
    std::vector<uint8_t*> to;
    for (size_t row = 0; row < rows; ++row)
      to.push_back(memory.byte(weight, 0, static_cast<uint32_t>(block * blocks.rows + row),
                               static_cast<uint32_t>(t / weight.shape.w),
                               static_cast<uint32_t>(t % weight.shape.w)));
    for (size_t g = 0; g < planes.groups; ++g) {
      const uint32_t* from = packed + block * blocks.block_stride;
      const size_t first = g * planes.elements,
                   count = std::min(planes.elements, in_channels - first);
      for (size_t row = 0; row < rows; ++row)
        if (const uint32_t cell = from[order.index(g, t, row)]; count == sizeof cell)
          std::memcpy(to[row] + first, &cell, sizeof cell);
        else
          for (size_t e = 0; e < count; ++e)
            to[row][first + e] = static_cast<uint8_t>(cell >> (e * bits));
    }
  };
  parallel_for(blocks.blocks, 1, [&](size_t begin, size_t end) {
    for (size_t block = begin; block < end; ++block)
      for (size_t t = 0; t < taps; ++t) unpack_tap(block, t);
  });
}

bool same_data(const Conv2dSetup& a, const Conv2dSetup& b) {
  const auto same_axis = [](const AxisGeometry& x, const AxisGeometry& y) {
    return x.start == y.start && x.extent == y.extent && x.source_extent == y.source_extent &&
           x.axis.stride == y.axis.stride && x.axis.insert == y.axis.insert &&
           x.axis.pad_before == y.axis.pad_before;
  };
  const CellPlanes &x = a.geometry.planes, &y = b.geometry.planes;
  return a.op->in == b.op->in && a.op->out.shape.n == b.op->out.shape.n &&
         a.flip.mask == b.flip.mask && x.group_stride == y.group_stride && same_axis(x.h, y.h) &&
         same_axis(x.w, y.w);
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
    return "input channels of weights are not adjacent";
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
