// Layers that consist of several others: each is expanded to these before it is imported. The last
// one gets the layer's name, tops and blobs. The others are LAYER/WHAT, in the net and in
// calibration tables.
#include "bmnet/caffe/layer.h"

namespace tputwin::net {
namespace {

using Layer = caffe::LayerParameter;
using Layers = std::vector<Layer>;

// Adds an inner layer. Its only top has its name.
Layer& add(Layers& layers, const Layer& whole, const char* what, const char* type,
           std::initializer_list<std::string> bottoms) {
  Layer& layer = layers.emplace_back();
  layer.set_name(whole.name() + "/" + what);
  layer.set_type(type);
  for (const std::string& bottom : bottoms) layer.add_bottom(bottom);
  layer.add_top(layer.name());
  return layer;
}

Layer& add_last(Layers& layers, const Layer& whole, const char* type,
                std::initializer_list<std::string> bottoms) {
  Layer& layer = add(layers, whole, "", type, bottoms);
  layer.set_name(whole.name());
  *layer.mutable_top() = whole.top();
  return layer;
}

void be_product(Layer& layer) {
  layer.mutable_eltwise_param()->set_operation(caffe::EltwiseParameter::PROD);
}

const std::string& last_top(const Layers& layers) { return layers.back().top(0); }

// Returns `factor`, a tensor that spans the axes of `dims` from `axis` on, as the second operand of
// an Eltwise. A product repeats a value over the rows and columns of a channel by itself.
std::string as_operand(Layers& layers, const Layer& whole, const std::string& factor,
                       const Dims& dims, const Dims& spanned, size_t axis, bool is_product) {
  if (spanned.size() == dims.size()) return factor;
  Dims shape(dims.size(), 1);
  std::copy(spanned.begin(), spanned.end(), shape.begin() + static_cast<std::ptrdiff_t>(axis));
  Layer& reshape = add(layers, whole, "shape", "Reshape", {factor});
  for (int64_t d : shape) reshape.mutable_reshape_param()->mutable_shape()->add_dim(d);
  const bool per_channel = is_product && dims.size() == 4 && shape[2] == 1 && shape[3] == 1;
  for (size_t i = 0; i < (per_channel ? 2 : dims.size()); ++i) {
    if (shape[i] == dims[i]) continue;
    static constexpr const char* kNames[kMaxAxes] = {"tile0", "tile1", "tile2", "tile3"};
    Layer& tile = add(layers, whole, kNames[i], "Tile", {last_top(layers)});
    tile.mutable_tile_param()->set_axis(static_cast<int>(i));
    tile.mutable_tile_param()->set_tiles(static_cast<int>(dims[i]));
  }
  return last_top(layers);
}

// Returns true if `part` equals the extents of `dims` from `axis` on.
bool spans(const Dims& dims, const Dims& part, size_t axis) {
  return axis + part.size() <= dims.size() &&
         std::equal(part.begin(), part.end(), dims.begin() + static_cast<std::ptrdiff_t>(axis));
}

}  // namespace

// Expands Caffe's own formula: x * (1 + alpha * average of x^2 around it)^-beta.
Layers expand_lrn(const Importer& importer) {
  const Layer& whole = importer.caffe;
  const auto& p = whole.lrn_param();
  if (p.norm_region() != caffe::LRNParameter::WITHIN_CHANNEL || p.local_size() % 2 == 0) return {};
  Layers layers;
  const std::string& x = whole.bottom(0);
  add(layers, whole, "square", "Power", {x}).mutable_power_param()->set_power(2);
  auto& mean = *add(layers, whole, "mean", "Pooling", {last_top(layers)}).mutable_pooling_param();
  mean.set_pool(caffe::PoolingParameter::AVE);
  mean.set_kernel_size(p.local_size());
  mean.set_pad((p.local_size() - 1) / 2);
  auto& power = *add(layers, whole, "power", "Power", {last_top(layers)}).mutable_power_param();
  power.set_power(-p.beta());
  power.set_scale(p.alpha());
  power.set_shift(1);
  be_product(add_last(layers, whole, "Eltwise", {x, last_top(layers)}));
  return layers;
}

// For an axis other than 1: the axes before it become rows of a product. Only the product has
// weights, so it gets the layer's name.
Layers expand_inner_product(const Importer& importer) {
  const Layer& whole = importer.caffe;
  const Dims dims = importer.dims(0);
  const auto axes = static_cast<int64_t>(dims.size());
  const int64_t given = whole.inner_product_param().axis();
  const int64_t axis = given < 0 ? given + axes : given;
  if (axis == 1 || axis < 0 || axis >= axes) return {};
  const auto before = static_cast<size_t>(axis);
  const auto reshape = [](Layer& layer, const Dims& shape) {
    for (int64_t d : shape) layer.mutable_reshape_param()->mutable_shape()->add_dim(d);
  };
  Layers layers;
  reshape(add(layers, whole, "rows", "Reshape", {whole.bottom(0)}),
          {volume(dims, 0, before), volume(dims, before)});
  Layer& product = add(layers, whole, "product", "InnerProduct", {last_top(layers)});
  product.set_name(whole.name());
  *product.mutable_inner_product_param() = whole.inner_product_param();
  product.mutable_inner_product_param()->set_axis(1);
  *product.mutable_blobs() = whole.blobs();
  Dims out(dims.begin(), dims.begin() + axis);
  out.push_back(whole.inner_product_param().num_output());
  Layer& last = add(layers, whole, "shape", "Reshape", {last_top(layers)});
  *last.mutable_top() = whole.top();
  reshape(last, out);
  return layers;
}

// Expands products of more than two factors to products of two.
Layers expand_eltwise(const Importer& importer) {
  const Layer& whole = importer.caffe;
  if (whole.eltwise_param().operation() != caffe::EltwiseParameter::PROD ||
      whole.bottom_size() <= 2 || whole.eltwise_param().coeff_size() > 0)
    return {};
  Layers layers;
  std::string product = whole.bottom(0);
  for (int i = 1; i + 1 < whole.bottom_size(); ++i) {
    const std::string what = "product" + std::to_string(i);
    be_product(add(layers, whole, what.c_str(), "Eltwise", {product, whole.bottom(i)}));
    product = last_top(layers);
  }
  be_product(add_last(layers, whole, "Eltwise", {product, whole.bottom(whole.bottom_size() - 1)}));
  return layers;
}

// Expands a Scale with two bottoms. The second spans axes of the first.
Layers expand_scale(const Importer& importer) {
  const Layer& whole = importer.caffe;
  const auto& p = whole.scale_param();
  if (whole.bottom_size() != 2 || p.bias_term()) return {};
  const Dims dims = importer.dims(0), spanned = importer.dims(1);
  const int64_t axis = p.axis() < 0 ? p.axis() + static_cast<int64_t>(dims.size()) : p.axis();
  if (axis < 0 || !spans(dims, spanned, static_cast<size_t>(axis))) return {};
  Layers layers;
  const std::string factor =
      as_operand(layers, whole, whole.bottom(1), dims, spanned, static_cast<size_t>(axis), true);
  be_product(add_last(layers, whole, "Eltwise", {whole.bottom(0), factor}));
  return layers;
}

// Expands a Bias with two bottoms. The second spans axes of the first.
Layers expand_bias(const Importer& importer) {
  const Layer& whole = importer.caffe;
  if (whole.bottom_size() != 2) return {};
  const Dims dims = importer.dims(0), spanned = importer.dims(1);
  const int64_t given = whole.bias_param().axis();
  const int64_t axis = given < 0 ? given + static_cast<int64_t>(dims.size()) : given;
  if (axis < 0 || !spans(dims, spanned, static_cast<size_t>(axis))) return {};
  Layers layers;
  const std::string addend =
      as_operand(layers, whole, whole.bottom(1), dims, spanned, static_cast<size_t>(axis), false);
  add_last(layers, whole, "Eltwise", {whole.bottom(0), addend});
  return layers;
}

// Expands a*x + y. `a` has one value per channel: (N,C) or (N,C,1,1).
Layers expand_axpy(const Importer& importer) {
  const Layer& whole = importer.caffe;
  Dims factor = importer.dims(0);
  const Dims dims = importer.dims(1);
  while (factor.size() > 2 && factor.back() == 1) factor.pop_back();
  if (factor.size() != 2 || dims.size() != 4 || !spans(dims, factor, 0)) return {};
  Layers layers;
  const std::string a = as_operand(layers, whole, whole.bottom(0), dims, factor, 0, true);
  be_product(add(layers, whole, "product", "Eltwise", {whole.bottom(1), a}));
  add_last(layers, whole, "Eltwise", {last_top(layers), whole.bottom(2)});
  return layers;
}

}  // namespace tputwin::net
