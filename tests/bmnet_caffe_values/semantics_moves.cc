// Layers that move elements.
#include <algorithm>
#include <stdexcept>

#include "bmnet_caffe_values/semantics.h"

namespace tputwin::net::testing {
namespace {

// Calls function(position) for every position of a shape, in order.
void for_each_place(const Shape& shape, const std::function<void(const Shape&)>& function) {
  Shape place(shape.size(), 0);
  const int64_t count = Tensor(shape).count();
  for (int64_t i = 0; i < count; ++i) {
    function(place);
    for (size_t a = shape.size(); a-- > 0;) {
      if (++place[a] < shape[a]) break;
      place[a] = 0;
    }
  }
}

size_t offset(const Shape& shape, const Shape& place) {
  int64_t at = 0;
  for (size_t a = 0; a < shape.size(); ++a) at = at * shape[a] + place[a];
  return static_cast<size_t>(at);
}

// y(position) = x(source(position))
Tensor moved(const Tensor& x, const Shape& shape,
             const std::function<Shape(const Shape&)>& source) {
  Tensor y(shape);
  for_each_place(shape, [&](const Shape& place) {
    y.data[offset(shape, place)] = x.data[offset(x.shape, source(place))];
  });
  return y;
}

Tensor with_shape(const Tensor& x, const Shape& shape) {
  Tensor y = x;
  y.shape = shape;
  if (y.count() != x.count()) throw std::runtime_error("another number of elements");
  return y;
}

Tensors concat(const Layer& layer, const Tensors& in) {
  const auto& p = layer.concat_param();
  const int64_t axis = p.has_concat_dim() ? p.concat_dim() : in[0].axis(p.axis());
  Shape shape = in[0].shape;
  for (size_t i = 1; i < in.size(); ++i) shape[axis] += in[i].extent(axis);
  Tensor y(shape);
  int64_t begin = 0;
  for (const Tensor& x : in) {
    for_each_place(x.shape, [&](Shape place) {
      const float v = x.data[offset(x.shape, place)];
      place[axis] += begin;
      y.data[offset(shape, place)] = v;
    });
    begin += x.extent(axis);
  }
  return {y};
}

Tensors slice(const Layer& layer, const Tensors& in) {
  const auto& p = layer.slice_param();
  const Tensor& x = in[0];
  const int64_t axis = p.has_slice_dim() ? p.slice_dim() : x.axis(p.axis());
  const int64_t tops = layer.top_size();
  Tensors out;
  int64_t begin = 0;
  for (int64_t t = 0; t < tops; ++t) {
    const int64_t end = t == tops - 1             ? x.extent(axis)
                        : p.slice_point().empty() ? begin + x.extent(axis) / tops
                                                  : int64_t{p.slice_point(static_cast<int>(t))};
    Shape shape = x.shape;
    shape[axis] = end - begin;
    out.push_back(moved(x, shape, [&](Shape place) {
      place[axis] += begin;
      return place;
    }));
    begin = end;
  }
  return out;
}

Tensors same(const Layer& layer, const Tensors& in) {
  return Tensors(static_cast<size_t>(layer.top_size()), in[0]);
}

Tensors flatten(const Layer& layer, const Tensors& in) {
  const Tensor& x = in[0];
  const int64_t first = x.axis(layer.flatten_param().axis());
  const int64_t last = x.axis(layer.flatten_param().end_axis());
  Shape shape(x.shape.begin(), x.shape.begin() + first);
  shape.push_back(x.count(first, last + 1));
  shape.insert(shape.end(), x.shape.begin() + last + 1, x.shape.end());
  return {with_shape(x, shape)};
}

// 0 keeps an extent, -1 takes the remaining elements; a negative axis counts from after the last.
Tensors reshape(const Layer& layer, const Tensors& in) {
  const auto& p = layer.reshape_param();
  const Tensor& x = in[0];
  const int64_t first = p.axis() < 0 ? x.axes() + p.axis() + 1 : p.axis();
  const int64_t end = p.num_axes() < 0 ? x.axes() : first + p.num_axes();
  Shape shape(x.shape.begin(), x.shape.begin() + first);
  int64_t rest = -1, known = 1;
  for (int i = 0; i < p.shape().dim_size(); ++i) {
    int64_t d = p.shape().dim(i);
    if (d == 0) d = x.extent(first + i);
    if (d == -1) rest = static_cast<int64_t>(shape.size());
    shape.push_back(d);
  }
  shape.insert(shape.end(), x.shape.begin() + end, x.shape.end());
  for (int64_t d : shape) known *= d == -1 ? 1 : d;
  if (rest >= 0) shape[rest] = x.count() / known;
  return {with_shape(x, shape)};
}

Tensors permute(const Layer& layer, const Tensors& in) {
  const Tensor& x = in[0];
  std::vector<int64_t> order(layer.permute_param().order().begin(),
                             layer.permute_param().order().end());
  for (int64_t a = 0; a < x.axes(); ++a)
    if (std::find(order.begin(), order.end(), a) == order.end()) order.push_back(a);
  Shape shape;
  for (int64_t a : order) shape.push_back(x.extent(a));
  return {moved(x, shape, [&](const Shape& place) {
    Shape from(place.size());
    for (size_t i = 0; i < order.size(); ++i) from[order[i]] = place[i];
    return from;
  })};
}

Tensors crop(const Layer& layer, const Tensors& in) {
  const auto& p = layer.crop_param();
  const Tensor& x = in[0];
  const int64_t axis = x.axis(p.axis());
  Shape shape = x.shape, begin(x.shape.size(), 0);
  for (int64_t a = axis; a < x.axes(); ++a) {
    shape[a] = in[1].extent(a);
    if (p.offset_size() > 0)
      begin[a] = p.offset(p.offset_size() == 1 ? 0 : static_cast<int>(a - axis));
  }
  return {moved(x, shape, [&](Shape place) {
    for (size_t a = 0; a < place.size(); ++a) place[a] += begin[a];
    return place;
  })};
}

Tensors tile(const Layer& layer, const Tensors& in) {
  const Tensor& x = in[0];
  const int64_t axis = x.axis(layer.tile_param().axis());
  Shape shape = x.shape;
  shape[axis] *= layer.tile_param().tiles();
  return {moved(x, shape, [&](Shape place) {
    place[axis] %= x.extent(axis);
    return place;
  })};
}

// ---- Of forks ----

Tensors reverse(const Layer& layer, const Tensors& in) {
  const Tensor& x = in[0];
  const int64_t axis = x.axis(layer.reverse_param().axis());
  return {moved(x, x.shape, [&](Shape place) {
    place[axis] = x.extent(axis) - 1 - place[axis];
    return place;
  })};
}

Tensors shuffle_channel(const Layer& layer, const Tensors& in) {
  const Tensor& x = in[0];
  const int64_t group = layer.shuffle_channel_param().group(), of_group = x.extent(1) / group;
  return {moved(x, x.shape, [&](Shape place) {
    place[1] = place[1] % group * of_group + place[1] / group;
    return place;
  })};
}

Tensors upsample(const Layer& layer, const Tensors& in) {
  const auto& size = layer.upsample_param().size();
  const int64_t h = size.Get(0), w = size.Get(size.size() - 1);
  Shape shape = in[0].shape;
  shape[2] *= h;
  shape[3] *= w;
  return {moved(in[0], shape, [&](Shape place) {
    place[2] /= h;
    place[3] /= w;
    return place;
  })};
}

}  // namespace

LayerFunctions move_layers() {
  return {{"Concat", concat},   {"Slice", slice},       {"Split", same},
          {"Dropout", same},    {"Flatten", flatten},   {"Reshape", reshape},
          {"Permute", permute}, {"Crop", crop},         {"Tile", tile},
          {"Reverse", reverse}, {"Upsample", upsample}, {"ShuffleChannel", shuffle_channel}};
}

}  // namespace tputwin::net::testing
