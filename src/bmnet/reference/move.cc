// Layers that move elements: of one byte, or of four where the tensors hold floats.
#include <array>
#include <cstring>

#include "base/errors/bmnet.h"
#include "bmnet/reference/layer.h"

namespace tputwin::net::reference {
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

int64_t flat(const Extents& e, int64_t n, int64_t c, int64_t h, int64_t w) {
  return ((n * e.c + c) * e.h + h) * e.w + w;
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
  std::array<int64_t, 4> step{0, 0, 0, 0};  // of the input, per axis of the output
  for (int i = 0; i < from.dim_size(); ++i) {
    const int axis = i < order.size() ? static_cast<int>(order.Get(i)) : i;
    if (axis >= from.dim_size()) return fail(layer.op, errors::net_axis);
    step[static_cast<size_t>(i)] = product(from, axis + 1, from.dim_size());
  }
  return move_elements(layer, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    return n * step[0] + c * step[1] + h * step[2] + w * step[3];
  });
}

// The outputs are neighbouring parts of the input.
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
    return flat(from, n + at(0), c + at(1), h + at(2), w + at(3));
  });
}

// Channels as a matrix of `group` rows, transposed.
Status shuffle_channel(const Layer& layer) {
  const Extents from = layer.in_extents();
  const int64_t group = layer.op.tg_shuffle_channel_param().group();
  if (group < 1 || from.c % group != 0) return fail(layer.op, errors::net_layer_parameter);
  return move_elements(layer, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    return flat(from, n, c % group * (from.c / group) + c / group, h, w);
  });
}

Status upsample(const Layer& layer) {
  const Extents from = layer.in_extents(), to = layer.out_extents();
  const int64_t rows = to.h / from.h, columns = to.w / from.w;
  if (to.h != from.h * rows || to.w != from.w * columns)
    return fail(layer.op, errors::net_operand_shapes);
  return move_elements(layer, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    return flat(from, n, c, h / rows, w / columns);
  });
}

// Blocks of stride x stride pixels become channels, the place in the block in front.
Status reorg(const Layer& layer) {
  const Extents from = layer.in_extents();
  const int64_t stride = layer.op.tg_reorg_param().stride();
  if (stride < 1 || from.h % stride != 0 || from.w % stride != 0)
    return fail(layer.op, errors::net_layer_parameter);
  return move_elements(layer, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    const int64_t place = c / from.c;
    return flat(from, n, c % from.c, h * stride + place / stride, w * stride + place % stride);
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

}  // namespace tputwin::net::reference
