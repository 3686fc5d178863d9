// Layers that move elements and compute nothing, Reduction and Interp.
#include <algorithm>
#include <set>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/layer.h"

namespace tputwin::net {
namespace {

// Imports a concatenation along `axis`. With one bottom, the layer moves nothing.
void concat(Importer& layer, int64_t wanted_axis) {
  if (layer.bottoms() == 1) {
    layer.is_removed = true;
    return;
  }
  set_type(layer.op, Op::concat);
  auto& param = *layer.op.mutable_tg_concat_param();
  int axis = 1;
  if (!layer.ready() || !layer.axis("axis", wanted_axis, layer.dims(), axis)) return;
  param.set_axis(axis);
  Dims out = layer.dims();
  const auto a = static_cast<size_t>(axis);
  for (int i = 1; i < layer.bottoms(); ++i) {
    Dims dims = layer.dims(i), expected = layer.dims();
    if (dims.size() == expected.size()) {
      expected[a] = dims[a];
      out[a] += dims[a];
    }
    if (dims != expected)
      layer.problem(errors::net_operand_shapes, layer.op.bottom(i), describe(dims),
                    layer.op.bottom(0) + " is " + describe(layer.dims()) +
                        "; only extents of axis " + std::to_string(axis) + " may differ");
  }
  if (layer.ready()) layer.output(out);
}

void reshape_to(Importer& layer, const Dims& dims) {
  set_type(layer.op, Op::reshape);
  layer.output(dims);
}

// Computes the extents that a Reshape layer requests.
bool reshaped(Importer& layer, const caffe::ReshapeParameter& p, Dims& out) {
  const Dims dims = layer.dims();
  const auto axes = static_cast<int64_t>(dims.size());
  const int64_t first = p.axis() < 0 ? p.axis() + axes + 1 : p.axis();
  const int64_t end = p.num_axes() < 0 ? axes : first + p.num_axes();
  if (first < 0 || first > axes || end > axes) {
    layer.problem(errors::net_axis, "axis", std::to_string(p.axis()),
                  "the shape is " + describe(dims) + ", num_axes " + std::to_string(p.num_axes()));
    return false;
  }
  out.assign(dims.begin(), dims.begin() + first);
  size_t rest = SIZE_MAX;  // index of the -1
  for (int i = 0; i < p.shape().dim_size(); ++i) {
    const int64_t d = p.shape().dim(i);
    if (d == 0 && first + i >= axes) {
      layer.problem(errors::net_axis, "shape", "0", "there is no extent to keep");
      return false;
    }
    if (d == -1) rest = out.size();
    out.push_back(d == 0 ? dims[static_cast<size_t>(first + i)] : d == -1 ? 1 : d);
  }
  out.insert(out.end(), dims.begin() + end, dims.end());
  if (rest != SIZE_MAX && volume(out) > 0) out[rest] = volume(dims) / volume(out);
  return true;
}

void import_concat(Importer& layer) {
  const auto& p = layer.caffe.concat_param();
  if (p.has_axis() && p.has_concat_dim())
    layer.parameter("concat_dim", std::to_string(p.concat_dim()), "axis is given, too");
  concat(layer, p.has_concat_dim() ? int64_t{p.concat_dim()} : int64_t{p.axis()});
}

void import_join(Importer& layer) { concat(layer, 1); }

void import_removed(Importer& layer) { layer.is_removed = true; }

void import_slice(Importer& layer) {
  const auto& p = layer.caffe.slice_param();
  if (p.has_axis() && p.has_slice_dim())
    layer.parameter("slice_dim", std::to_string(p.slice_dim()), "axis is given, too");
  const int64_t wanted_axis = p.has_slice_dim() ? int64_t{p.slice_dim()} : int64_t{p.axis()};
  const int parts = layer.tops();
  if (!p.slice_point().empty() && p.slice_point_size() != parts - 1)
    layer.parameter("slice_point", std::to_string(p.slice_point_size()) + " values",
                    "one between every two tops, of which there are " + std::to_string(parts));
  if (parts == 1) {
    layer.is_removed = true;
    return;
  }
  set_type(layer.op, Op::slice);
  auto& param = *layer.op.mutable_tg_slice_param();
  int axis = 1;
  if (!layer.ready() || !layer.axis("axis", wanted_axis, layer.dims(), axis)) return;
  param.set_axis(axis);
  Dims dims = layer.dims();
  const int64_t size = dims[static_cast<size_t>(axis)];
  if (p.slice_point().empty() && size % parts != 0)
    layer.parameter(
        "slice_point", "none",
        std::to_string(size) + " does not divide by " + std::to_string(parts) + " tops");
  int64_t begin = 0;
  for (int i = 0; i < parts; ++i) {
    const int64_t end = i == parts - 1            ? size
                        : p.slice_point().empty() ? begin + size / parts
                                                  : int64_t{p.slice_point(i)};
    if (end <= begin || end > size) {
      layer.parameter("slice_point", std::to_string(end),
                      "growing, and inside the extent of " + std::to_string(size));
      return;
    }
    dims[static_cast<size_t>(axis)] = end - begin;
    layer.output(dims);
    begin = end;
  }
}

void import_flatten(Importer& layer) {
  const auto& p = layer.caffe.flatten_param();
  set_type(layer.op, Op::reshape);
  int first = 0, last = 0;
  if (!layer.ready()) return;
  const Dims dims = layer.dims();
  if (!layer.axis("axis", p.axis(), dims, first) ||
      !layer.axis("end_axis", p.end_axis(), dims, last))
    return;
  if (last < first) {
    layer.problem(errors::net_axis, "end_axis", std::to_string(p.end_axis()), "not before axis");
    return;
  }
  Dims out(dims.begin(), dims.begin() + first);
  out.push_back(volume(dims, static_cast<size_t>(first), static_cast<size_t>(last) + 1));
  out.insert(out.end(), dims.begin() + last + 1, dims.end());
  reshape_to(layer, out);
}

// `shape` replaces axes [axis, axis + num_axes): 0 keeps an extent, one -1 gets the remaining
// elements.
void import_reshape(Importer& layer) {
  const auto& p = layer.caffe.reshape_param();
  set_type(layer.op, Op::reshape);
  const auto& wanted = p.shape().dim();
  for (int64_t d : wanted)
    if (d < -1) layer.parameter("shape", std::to_string(d), "-1, 0 or an extent");
  if (std::count(wanted.begin(), wanted.end(), -1) > 1)
    layer.parameter("shape", "several -1", "one at most");
  if (p.num_axes() < -1) layer.parameter("num_axes", std::to_string(p.num_axes()), "at least -1");
  Dims out;
  if (!layer.ready() || !reshaped(layer, p, out)) return;
  const Dims dims = layer.dims();
  if (volume(out) == volume(dims)) return reshape_to(layer, out);
  layer.problem(errors::net_operand_shapes, "shape", describe(out),
                "the input " + describe(dims) + " has another number of elements");
}

void import_permute(Importer& layer) {
  const auto& p = layer.caffe.permute_param();
  set_type(layer.op, Op::permute);
  auto& order = *layer.op.mutable_tg_permute_param()->mutable_order();
  if (!layer.ready()) return;
  const Dims dims = layer.dims();
  std::set<uint32_t> seen;
  for (uint32_t axis : p.order()) {
    if (axis >= dims.size()) {
      layer.problem(errors::net_axis, "order", std::to_string(axis),
                    "the shape is " + describe(dims));
      return;
    }
    if (!seen.insert(axis).second) {
      layer.parameter("order", std::to_string(axis), "every axis once");
      return;
    }
    order.Add(axis);
  }
  for (uint32_t axis = 0; axis < kMaxAxes; ++axis)
    if (seen.insert(axis).second) order.Add(axis);
  Dims out;
  for (size_t i = 0; i < dims.size(); ++i) out.push_back(dims[order.Get(static_cast<int>(i))]);
  layer.output(out);
}

void import_crop(Importer& layer) {
  const auto& p = layer.caffe.crop_param();
  set_type(layer.op, Op::crop);
  auto& param = *layer.op.mutable_tg_crop_param();
  int axis = 0;
  if (!layer.ready()) return;
  const Dims dims = layer.dims(), like = layer.dims(1);
  if (!layer.axis("axis", p.axis(), dims, axis)) return;
  const int cropped = static_cast<int>(dims.size()) - axis;
  if (like.size() != dims.size()) {
    layer.same_dims(0, 1);
    return;
  }
  if (p.offset_size() > 1 && p.offset_size() != cropped) {
    layer.parameter("offset", std::to_string(p.offset_size()) + " values",
                    "one, or one per cropped axis, of which there are " + std::to_string(cropped));
    return;
  }
  Dims out = dims;
  for (int i = 0; i < kMaxAxes; ++i) {
    const bool inside = i >= axis && i < static_cast<int>(dims.size());
    const uint32_t offset = !inside || p.offset().empty() ? 0
                            : p.offset_size() == 1        ? p.offset(0)
                                                          : p.offset(i - axis);
    param.add_offset(offset);
    if (!inside) continue;
    const auto a = static_cast<size_t>(i);
    out[a] = like[a];
    if (offset + like[a] > dims[a])
      layer.parameter("offset", std::to_string(offset),
                      "axis " + std::to_string(i) + " of " + describe(dims) + " has no " +
                          std::to_string(like[a]) + " elements after it");
  }
  if (layer.ready()) layer.output(out);
}

void import_reduction(Importer& layer) {
  using Caffe = caffe::ReductionParameter;
  using Param = ::bmnet::TGReductionParameter;
  const Caffe& p = layer.caffe.reduction_param();
  set_type(layer.op, Op::reduction);
  auto& param = *layer.op.mutable_tg_reduction_param();
  param.set_operation(static_cast<Param::ReductionOp>(p.operation()));
  param.set_coeff(p.coeff());
  layer.finite("coeff", p.coeff());
  int axis = 0;
  if (!layer.ready() || !layer.axis("axis", p.axis(), layer.dims(), axis)) return;
  param.set_axis(axis);
  Dims out = layer.dims();
  out.resize(static_cast<size_t>(axis));
  if (out.empty()) out.push_back(1);
  layer.output(out);
}

void import_shuffle_channel(Importer& layer) {
  const int64_t group = layer.caffe.shuffle_channel_param().group();
  set_type(layer.op, Op::shuffle_channel);
  layer.op.mutable_tg_shuffle_channel_param()->set_group(static_cast<uint32_t>(group));
  if (!layer.range("group", group, 1, kMaxExtent) || !layer.ready() || !layer.axes_at_least(2))
    return;
  if (layer.extents().c % group != 0)
    layer.parameter("group", std::to_string(group),
                    "the input has " + std::to_string(layer.extents().c) + " channels");
  else
    layer.output_like_input();
}

void import_upsample(Importer& layer) {
  const auto& size = layer.caffe.upsample_param().size();
  set_type(layer.op, Op::upsample);
  auto& param = *layer.op.mutable_tg_upsample_param();
  if (size.empty() || size.size() > 2) {
    layer.parameter("size", std::to_string(size.size()) + " values", "one value, or two: h and w");
    return;
  }
  const uint32_t h = size.Get(0), w = size.Get(size.size() - 1);
  param.add_size(h);
  param.add_size(w);
  if (!layer.range("size", h, 1, kMaxExtent) || !layer.range("size", w, 1, kMaxExtent)) return;
  if (!layer.ready() || !layer.axes_at_least(4)) return;
  const Extents in = layer.extents();
  layer.output({in.n, in.c, in.h * h, in.w * w});
}

void import_reorg(Importer& layer) {
  const auto& p = layer.caffe.reorg_param();
  set_type(layer.op, Op::reorg);
  layer.op.mutable_tg_reorg_param()->set_stride(p.stride());
  if (p.reverse()) layer.parameter("reverse", "true", "false");
  if (!layer.range("stride", p.stride(), 1, kMaxExtent)) return;
  if (!layer.ready() || !layer.axes_at_least(4)) return;
  const Extents in = layer.extents();
  const int64_t s = p.stride();
  if (in.h % s != 0 || in.w % s != 0)
    layer.parameter("stride", std::to_string(s), "the input is " + describe(layer.dims()));
  else
    layer.output({in.n, in.c * s * s, in.h / s, in.w / s});
}

void import_tile(Importer& layer) {
  const auto& p = layer.caffe.tile_param();
  set_type(layer.op, Op::tile);
  auto& param = *layer.op.mutable_tg_tile_param();
  param.set_tiles(p.tiles());
  int axis = 1;
  if (!layer.range("tiles", p.tiles(), 1, kMaxOutputs) || !layer.ready()) return;
  Dims dims = layer.dims();
  if (!layer.axis("axis", p.axis(), dims, axis)) return;
  param.set_axis(axis);
  dims[static_cast<size_t>(axis)] *= p.tiles();
  layer.output(dims);
}

void import_reverse(Importer& layer) {
  set_type(layer.op, Op::reverse);
  auto& param = *layer.op.mutable_tg_reverse_param();
  int axis = 0;
  if (!layer.ready() || !layer.axis("axis", layer.caffe.reverse_param().axis(), layer.dims(), axis))
    return;
  param.set_axis(axis);
  layer.output_like_input();
}

// Bilinear interpolation that maps corners to corners. Pads are not positive in Caffe: they crop.
// The IR stores their magnitude.
void import_interp(Importer& layer) {
  const auto& p = layer.caffe.interp_param();
  set_type(layer.op, Op::interp);
  auto& param = *layer.op.mutable_tg_interp_param();
  layer.range("pad_beg", p.pad_beg(), -kMaxExtent, 0);
  layer.range("pad_end", p.pad_end(), -kMaxExtent, 0);
  const bool sized = p.has_height() || p.has_width();
  if (sized && (p.has_zoom_factor() || p.has_shrink_factor()))
    layer.parameter("height", std::to_string(p.height()), "a size or factors, not both");
  if (sized) {
    layer.range("height", p.height(), 1, kMaxExtent);
    layer.range("width", p.width(), 1, kMaxExtent);
  }
  layer.range("zoom_factor", p.zoom_factor(), 1, kMaxExtent);
  layer.range("shrink_factor", p.shrink_factor(), 1, kMaxExtent);
  if (!layer.ready() || !layer.axes_at_least(4)) return;
  param.set_pad_beg(static_cast<uint32_t>(p.pad_beg()));
  param.set_pad_end(static_cast<uint32_t>(p.pad_end()));
  auto extent = [&](int64_t size, int64_t given) {
    const int64_t used = size + p.pad_beg() + p.pad_end();
    if (used < 1 || sized) return used < 1 ? 0 : given;
    const int64_t small = (used - 1) / p.shrink_factor() + 1;
    return small + (small - 1) * (p.zoom_factor() - 1);
  };
  const Extents in = layer.extents();
  layer.output({in.n, in.c, extent(in.h, p.height()), extent(in.w, p.width())});
}

// The types of these layers.
constexpr LayerKind kMoveLayers[] = {
    {.type = "Concat", .import = import_concat, .max_bottoms = kMany},
    {.type = "Join", .import = import_join, .max_bottoms = kMany},
    {.type = "Slice", .import = import_slice, .max_tops = kMany},
    {.type = "Split", .import = import_removed, .max_tops = kMany},
    {.type = "Dropout", .import = import_removed},
    {.type = "Flatten", .import = import_flatten},
    {.type = "Reshape", .import = import_reshape},
    {.type = "Permute", .import = import_permute},
    {.type = "Crop", .import = import_crop, .min_bottoms = 2, .max_bottoms = 2},
    {.type = "Reduction", .import = import_reduction},
    {.type = "ShuffleChannel", .import = import_shuffle_channel},
    {.type = "Upsample", .import = import_upsample},
    {.type = "Reorg", .import = import_reorg},
    {.type = "Tile", .import = import_tile},
    {.type = "Reverse", .import = import_reverse},
    {.type = "Interp", .import = import_interp},
};

}  // namespace

std::span<const LayerKind> move_layers() { return kMoveLayers; }

}  // namespace tputwin::net
