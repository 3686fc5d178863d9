// Operations that move values: reshape, permute, slice, concat, crop, upsample, reorg, tile,
// reverse, shuffle channel. Interpreted elements have one byte, or four where tensors hold floats.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "base/errors/bmnet.h"
#include "bmnet/float/kernels.h"
#include "bmnet/reference/layer.h"

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

// sources[i] is the index of the input value that becomes output value i.
FloatKernel gather(std::vector<int64_t> sources) {
  return [sources = std::move(sources)](Inputs in, Outputs out) -> Status {
    for (size_t i = 0; i < sources.size(); ++i) out[0]->data[i] = in[0]->data[sources[i]];
    return {};
  };
}

// source(n, c, h, w) maps a position of the output to an index of the input.
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

// Splits a tensor into `parts` along an axis, or joins them; the parts are in order.
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

// ---- int8 ----

namespace reference {
namespace {

size_t element_bytes(const Layer& layer) {
  return static_cast<size_t>(layer.op.input_shape(0).data_type_size());
}

// out(n,c,h,w) = in[source(n,c,h,w)]; a source outside the input is an error.
template <class Source>
Status move_elements(const Layer& layer, const Source& source) {
  const size_t bytes = element_bytes(layer), elements = layer.inputs[0].size() / bytes;
  const Extents to = layer.out_extents();
  if (layer.outputs[0].size() != static_cast<size_t>(to.count()) * bytes)
    return fail(layer.op, errors::net_shape);
  uint8_t* out = layer.outputs[0].data();
  for (int64_t n = 0; n < to.n; ++n)
    for (int64_t c = 0; c < to.c; ++c)
      for (int64_t h = 0; h < to.h; ++h)
        for (int64_t w = 0; w < to.w; ++w) {
          const auto from = static_cast<size_t>(source(n, c, h, w));
          if (from >= elements) return fail(layer.op, errors::net_operand_shapes);
          std::memcpy(out, layer.inputs[0].data() + from * bytes, bytes);
          out += bytes;
        }
  return {};
}

}  // namespace

Status reshape(const Layer& layer) {
  if (layer.inputs[0].size() != layer.outputs[0].size())
    return fail(layer.op, errors::net_operand_shapes);
  std::ranges::copy(layer.inputs[0], layer.outputs[0].begin());
  return {};
}

// Axis i of the output is axis order[i] of the input.
Status permute(const Layer& layer) {
  const auto& order = layer.op.tg_permute_param().order();
  const TensorShape& from = layer.op.input_shape(0);
  if (from.dim_size() > 4) return fail(layer.op, errors::net_axis);
  std::array<int64_t, 4> step{0, 0, 0, 0};  // step in the input per axis of the output
  for (int i = 0; i < from.dim_size(); ++i) {
    const int axis = i < order.size() ? static_cast<int>(order.Get(i)) : i;
    if (axis >= from.dim_size()) return fail(layer.op, errors::net_axis);
    step[static_cast<size_t>(i)] = product(from, axis + 1, from.dim_size());
  }
  return move_elements(layer, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    return n * step[0] + c * step[1] + h * step[2] + w * step[3];
  });
}

// Output i is the part of the input that follows the part of output i - 1.
Status slice(const Layer& layer) {
  TW_ASSIGN_OR_RETURN(axis, axis_of(layer, layer.op.tg_slice_param().axis()));
  const auto rows = static_cast<size_t>(product(layer.op.input_shape(0), 0, axis));
  const size_t pitch = layer.inputs[0].size() / rows;
  size_t offset = 0;
  for (const auto& out : layer.outputs) {
    const size_t bytes = out.size() / rows;
    if (offset + bytes > pitch) return fail(layer.op, errors::net_operand_shapes);
    for (size_t r = 0; r < rows; ++r)
      std::ranges::copy(layer.inputs[0].subspan(r * pitch + offset, bytes), &out[r * bytes]);
    offset += bytes;
  }
  return {};
}

Status crop(const Layer& layer) {
  const auto& offset = layer.op.tg_crop_param().offset();
  const Extents from = layer.in_extents(), to = layer.out_extents();
  auto at = [&](int i) { return i < offset.size() ? int64_t{offset.Get(i)} : 0; };
  if (at(0) + to.n > from.n || at(1) + to.c > from.c || at(2) + to.h > from.h ||
      at(3) + to.w > from.w)
    return fail(layer.op, errors::net_operand_shapes);
  return move_elements(layer, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    return index(from, n + at(0), c + at(1), h + at(2), w + at(3));
  });
}

// Transposes the channels, seen as a matrix of `group` rows.
Status shuffle_channel(const Layer& layer) {
  const Extents from = layer.in_extents();
  const int64_t group = layer.op.tg_shuffle_channel_param().group();
  if (group < 1 || from.c % group != 0) return fail(layer.op, errors::net_layer_parameter);
  return move_elements(layer, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    return index(from, n, c % group * (from.c / group) + c / group, h, w);
  });
}

Status upsample(const Layer& layer) {
  const Extents from = layer.in_extents(), to = layer.out_extents();
  const int64_t rows = to.h / from.h, columns = to.w / from.w;
  if (to.h != from.h * rows || to.w != from.w * columns)
    return fail(layer.op, errors::net_operand_shapes);
  return move_elements(layer, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    return index(from, n, c, h / rows, w / columns);
  });
}

// Moves blocks of stride x stride pixels to channels. The position in the block is the outer
// channel index.
Status reorg(const Layer& layer) {
  const Extents from = layer.in_extents();
  const int64_t stride = layer.op.tg_reorg_param().stride();
  if (stride < 1 || from.h % stride != 0 || from.w % stride != 0)
    return fail(layer.op, errors::net_layer_parameter);
  return move_elements(layer, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    const int64_t place = c / from.c;
    return index(from, n, c % from.c, h * stride + place / stride, w * stride + place % stride);
  });
}

Status tile(const Layer& layer) {
  TW_ASSIGN_OR_RETURN(axis, axis_of(layer, layer.op.tg_tile_param().axis()));
  const auto rows = static_cast<size_t>(product(layer.op.input_shape(0), 0, axis));
  const size_t bytes = layer.inputs[0].size() / rows, pitch = layer.outputs[0].size() / rows;
  if (pitch % bytes != 0) return fail(layer.op, errors::net_operand_shapes);
  for (size_t r = 0; r < rows; ++r)
    for (size_t at = 0; at < pitch; at += bytes)
      std::ranges::copy(layer.inputs[0].subspan(r * bytes, bytes),
                        &layer.outputs[0][r * pitch + at]);
  return {};
}

Status reverse(const Layer& layer) {
  TW_ASSIGN_OR_RETURN(axis, axis_of(layer, layer.op.tg_reverse_param().axis()));
  if (layer.inputs[0].size() != layer.outputs[0].size())
    return fail(layer.op, errors::net_operand_shapes);
  const TensorShape& shape = layer.op.input_shape(0);
  const auto extent = static_cast<size_t>(shape.dim(axis));
  const size_t bytes =
      static_cast<size_t>(product(shape, axis + 1, shape.dim_size())) * element_bytes(layer);
  for (size_t i = 0; i < layer.inputs[0].size() / bytes; ++i) {
    const size_t mirrored = i - i % extent + (extent - 1 - i % extent);
    std::ranges::copy(layer.inputs[0].subspan(mirrored * bytes, bytes),
                      &layer.outputs[0][i * bytes]);
  }
  return {};
}

}  // namespace reference
}  // namespace tputwin::net
