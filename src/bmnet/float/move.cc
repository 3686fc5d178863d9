// Operations that move values: reshape, permute, slice, concat, crop, upsample, reorg, tile,
// reverse, shuffle channel.
#include <algorithm>
#include <numeric>

#include "bmnet/float/kernels.h"

namespace tputwin::net {
namespace {

using Inputs = std::span<const Blob* const>;
using Outputs = std::span<Blob* const>;

FloatKernel reshape() {
  return [](Inputs in, Outputs out) -> Status {
    std::ranges::copy(in[0]->data, out[0]->data.begin());
    return {};
  };
}

// Every output value by the index of its input value.
FloatKernel gather(std::vector<int64_t> sources) {
  return [sources = std::move(sources)](Inputs in, Outputs out) -> Status {
    for (size_t i = 0; i < sources.size(); ++i) out[0]->data[i] = in[0]->data[sources[i]];
    return {};
  };
}

// source(n, c, h, w) of the output -> index of the input.
template <class Function>
FloatKernel gather4d(const TensorOp& op, Function source) {
  const Extents out = extents(op.output_shape(0));
  std::vector<int64_t> sources;
  sources.reserve(out.count());
  for (int64_t n = 0; n < out.n; ++n)
    for (int64_t c = 0; c < out.c; ++c)
      for (int64_t h = 0; h < out.h; ++h)
        for (int64_t w = 0; w < out.w; ++w) sources.push_back(source(n, c, h, w));
  return gather(std::move(sources));
}

int64_t index(const Extents& e, int64_t n, int64_t c, int64_t h, int64_t w) {
  return ((n * e.c + c) * e.h + h) * e.w + w;
}

FloatKernel permute(const TensorOp& op) {
  const std::vector<int64_t> from = dims(op.input_shape(0)), to = dims(op.output_shape(0));
  std::vector<size_t> order(op.tg_permute_param().order().begin(),
                            op.tg_permute_param().order().end());
  for (size_t axis = 0; axis < from.size(); ++axis)
    if (std::ranges::find(order, axis) == order.end()) order.push_back(axis);
  std::vector<int64_t> stride(from.size(), 1);
  for (size_t axis = from.size(); axis-- > 1;) stride[axis - 1] = stride[axis] * from[axis];
  std::vector<int64_t> sources(count(op.output_shape(0)));
  for (size_t i = 0; i < sources.size(); ++i) {
    auto rest = static_cast<int64_t>(i);
    for (size_t axis = to.size(); axis-- > 0; rest /= to[axis])
      sources[i] += rest % to[axis] * stride[order[axis]];
  }
  return gather(std::move(sources));
}

// Parts of `whole` along an axis, one after the other.
FloatKernel split_or_join(std::vector<AroundAxis> parts, bool join) {
  return [parts = std::move(parts), join](Inputs in, Outputs out) -> Status {
    int64_t whole = 0, begin = 0;
    for (const AroundAxis& part : parts) whole += part.axis;
    for (size_t p = 0; p < parts.size(); ++p) {
      const AroundAxis& part = parts[p];
      const int64_t run = part.axis * part.inner;
      for (int64_t o = 0; o < part.outer; ++o) {
        const int64_t at = (o * whole + begin) * part.inner;
        if (join)
          std::copy_n(&in[p]->data[o * run], run, &out[0]->data[at]);
        else
          std::copy_n(&in[0]->data[at], run, &out[p]->data[o * run]);
      }
      begin += part.axis;
    }
    return {};
  };
}

FloatKernel concat(const TensorOp& op) {
  std::vector<AroundAxis> parts;
  for (const TensorShape& shape : op.input_shape())
    parts.push_back(around_axis(shape, op.tg_concat_param().axis()));
  return split_or_join(std::move(parts), true);
}

FloatKernel slice(const TensorOp& op) {
  std::vector<AroundAxis> parts;
  for (const TensorShape& shape : op.output_shape())
    parts.push_back(around_axis(shape, op.tg_slice_param().axis()));
  return split_or_join(std::move(parts), false);
}

FloatKernel tile(const TensorOp& op) {
  const AroundAxis shape = around_axis(op.input_shape(0), op.tg_tile_param().axis());
  const int tiles = op.tg_tile_param().tiles();
  return [=](Inputs in, Outputs out) -> Status {
    const int64_t run = shape.axis * shape.inner;
    for (int64_t o = 0; o < shape.outer; ++o)
      for (int t = 0; t < tiles; ++t)
        std::copy_n(&in[0]->data[o * run], run, &out[0]->data[(o * tiles + t) * run]);
    return {};
  };
}

FloatKernel reverse(const TensorOp& op) {
  const AroundAxis shape = around_axis(op.input_shape(0), op.tg_reverse_param().axis());
  return [=](Inputs in, Outputs out) -> Status {
    for (int64_t o = 0; o < shape.outer; ++o)
      for (int64_t a = 0; a < shape.axis; ++a)
        std::copy_n(&in[0]->data[(o * shape.axis + a) * shape.inner], shape.inner,
                    &out[0]->data[(o * shape.axis + shape.axis - 1 - a) * shape.inner]);
    return {};
  };
}

FloatKernel crop(const TensorOp& op) {
  const Extents in = extents(op.input_shape(0));
  std::array<int64_t, 4> offset{};
  for (int i = 0; i < std::min(4, op.tg_crop_param().offset_size()); ++i)
    offset[i] = op.tg_crop_param().offset(i);
  return gather4d(op, [=](int64_t n, int64_t c, int64_t h, int64_t w) {
    return index(in, n + offset[0], c + offset[1], h + offset[2], w + offset[3]);
  });
}

FloatKernel upsample(const TensorOp& op) {
  const Extents in = extents(op.input_shape(0)), out = extents(op.output_shape(0));
  const int64_t rows = out.h / in.h, columns = out.w / in.w;
  return gather4d(op, [=](int64_t n, int64_t c, int64_t h, int64_t w) {
    return index(in, n, c, h / rows, w / columns);
  });
}

FloatKernel reorg(const TensorOp& op) {
  const Extents in = extents(op.input_shape(0));
  const int64_t stride = op.tg_reorg_param().stride();
  return gather4d(op, [=](int64_t n, int64_t c, int64_t h, int64_t w) {
    const int64_t place = c / in.c;
    return index(in, n, c % in.c, h * stride + place / stride, w * stride + place % stride);
  });
}

FloatKernel shuffle_channel(const TensorOp& op) {
  const Extents in = extents(op.input_shape(0));
  const int64_t group = op.tg_shuffle_channel_param().group(), members = in.c / group;
  return gather4d(op, [=](int64_t n, int64_t c, int64_t h, int64_t w) {
    return index(in, n, c % group * members + c / group, h, w);
  });
}

}  // namespace

Result<FloatKernel> make_float_move(const TensorOp& op, const std::vector<Blob>&) {
  if (is(op, Op::reshape)) return reshape();
  if (is(op, Op::permute)) return permute(op);
  if (is(op, Op::concat)) return concat(op);
  if (is(op, Op::slice)) return slice(op);
  if (is(op, Op::tile)) return tile(op);
  if (is(op, Op::reverse)) return reverse(op);
  if (is(op, Op::crop)) return crop(op);
  if (is(op, Op::upsample)) return upsample(op);
  if (is(op, Op::reorg)) return reorg(op);
  if (is(op, Op::shuffle_channel)) return shuffle_channel(op);
  return FloatKernel();
}

}  // namespace tputwin::net
