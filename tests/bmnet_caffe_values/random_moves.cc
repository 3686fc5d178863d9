// Random layers that move elements.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bmnet_caffe_values/random_net.h"

namespace tputwin::net::testing {
namespace {

using Draft = NetBuilder::Draft;

std::optional<Draft> concat(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  const int64_t axis = builder.chance(0.6) && x.axes() > 1 ? 1 : builder.between(0, x.axes() - 1);
  Draft draft{"Concat", "concat_param {", {blob}};
  const int64_t others = builder.between(1, 2);
  for (int64_t i = 0; i < others; ++i) draft.bottoms.push_back(builder.blob_like(blob, axis));
  draft.parameters += builder.chance(0.2) ? fmt::format(" concat_dim: {}", axis)
                                          : builder.axis_text("axis", axis, x.axes(), 1);
  draft.parameters += " }";
  return draft;
}

std::optional<Draft> slice(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  const int64_t axis = builder.between(0, x.axes() - 1), size = x.extent(axis);
  if (size < 2) return std::nullopt;
  Draft draft{"Slice", "slice_param {", {blob}};
  draft.tops = size > 2 && builder.chance(0.4) ? 3 : 2;
  draft.parameters += builder.chance(0.2) ? fmt::format(" slice_dim: {}", axis)
                                          : builder.axis_text("axis", axis, x.axes(), 1);
  if (size % draft.tops != 0 || builder.chance(0.5)) {
    std::vector<int64_t> points(static_cast<size_t>(size - 1));
    std::iota(points.begin(), points.end(), 1);
    while (static_cast<int64_t>(points.size()) >= draft.tops)
      points.erase(points.begin() + builder.between(0, static_cast<int64_t>(points.size()) - 1));
    for (int64_t point : points) draft.parameters += fmt::format(" slice_point: {}", point);
  }
  draft.parameters += " }";
  return draft;
}

// Layers whose tops equal the bottom.
std::optional<Draft> removed(NetBuilder& builder, const std::string& blob) {
  if (builder.chance(0.5)) {
    Draft draft{"Dropout", "dropout_param { dropout_ratio: 0.3 }", {blob}};
    draft.in_place = builder.chance(0.5);
    return draft;
  }
  Draft draft{"Split", "", {blob}};
  draft.tops = builder.between(1, 3);
  return draft;
}

std::optional<Draft> flatten(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  const int64_t first = builder.between(0, x.axes() - 1),
                last = builder.between(first, x.axes() - 1);
  return Draft{"Flatten",
               "flatten_param {" + builder.axis_text("axis", first, x.axes(), 1) +
                   builder.axis_text("end_axis", last, x.axes(), x.axes() - 1) + " }",
               {blob}};
}

std::optional<Draft> reshape(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  const int64_t first = builder.between(0, x.axes()),
                replaced = builder.between(0, x.axes() - first);
  // Extents of the replaced axes, reversed or merged.
  Shape extents(x.shape.begin() + first, x.shape.begin() + first + replaced);
  Shape wanted = extents;
  if (wanted.size() > 1 && builder.chance(0.5)) {
    wanted[0] *= wanted[1];
    wanted.erase(wanted.begin() + 1);
  } else {
    std::reverse(wanted.begin(), wanted.end());
  }
  if (x.axes() < 4 && builder.chance(0.4)) wanted.insert(wanted.begin(), 1);
  if (x.axes() - replaced + static_cast<int64_t>(wanted.size()) == 0) return std::nullopt;
  std::string shape;
  bool has_rest = false;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const bool keeps = i < extents.size() && wanted[i] == extents[i];
    const bool rest = !has_rest && builder.chance(0.25);
    has_rest = has_rest || rest;
    shape += fmt::format(" dim: {}", rest ? -1 : keeps && builder.chance(0.5) ? 0 : wanted[i]);
  }
  std::string text = "reshape_param { shape {" + shape + " }";
  if (first != 0 || builder.chance(0.2))
    text += fmt::format(" axis: {}", builder.chance(0.4) ? first - x.axes() - 1 : first);
  if (first + replaced != x.axes() || builder.chance(0.2))
    text += fmt::format(" num_axes: {}", replaced);
  return Draft{"Reshape", text + " }", {blob}};
}

std::optional<Draft> permute(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  std::vector<int64_t> order(static_cast<size_t>(x.axes()));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i-- > 1;)
    std::swap(order[i], order[static_cast<size_t>(builder.between(0, static_cast<int64_t>(i)))]);
  std::string text;
  const auto given = static_cast<size_t>(builder.between(1, x.axes()));
  for (size_t i = 0; i < given; ++i) text += fmt::format(" order: {}", order[i]);
  return Draft{"Permute", "permute_param {" + text + " }", {blob}};
}

std::optional<Draft> crop(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  const std::string like = builder.any_blob();
  const Tensor& y = builder.tensor(like);
  if (y.axes() != x.axes()) return std::nullopt;
  const int64_t axis = builder.between(0, x.axes() - 1);
  std::string text;
  for (int64_t a = axis; a < x.axes(); ++a) {
    if (y.extent(a) > x.extent(a)) return std::nullopt;
    text += fmt::format(" offset: {}", builder.between(0, x.extent(a) - y.extent(a)));
  }
  if (builder.chance(0.2)) text = "";
  return Draft{"Crop",
               "crop_param {" + builder.axis_text("axis", axis, x.axes(), 2) + text + " }",
               {blob, like}};
}

std::optional<Draft> tile(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  if (x.count() > 400) return std::nullopt;
  const int64_t axis = builder.between(0, x.axes() - 1);
  return Draft{"Tile",
               "tile_param {" + builder.axis_text("axis", axis, x.axes(), 1) +
                   fmt::format(" tiles: {} }}", builder.between(1, 3)),
               {blob}};
}

std::optional<Draft> of_forks(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  if (builder.chance(0.3))
    return Draft{"Reverse",
                 "reverse_param {" +
                     builder.axis_text("axis", builder.between(0, x.axes() - 1), x.axes(), 0) +
                     " }",
                 {blob}};
  if (x.axes() != 4 || x.count() > 400) return std::nullopt;
  if (builder.chance(0.5))
    return Draft{"Upsample",
                 fmt::format("upsample_param {{ size: {} size: {} }}", builder.between(1, 3),
                             builder.between(1, 3)),
                 {blob}};
  for (int64_t group : {3, 2})
    if (x.extent(1) % group == 0)
      return Draft{
          "ShuffleChannel", fmt::format("shuffle_channel_param {{ group: {} }}", group), {blob}};
  return std::nullopt;
}

}  // namespace

std::vector<Drawer> move_drawers() {
  return {concat, concat, slice, removed, flatten, reshape, permute, crop, tile, of_forks};
}

}  // namespace tputwin::net::testing
