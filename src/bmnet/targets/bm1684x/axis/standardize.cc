// Standardization to mean 0 and variance 1, and normalization to length 1, with factors and
// offsets.
#include "bmnet/targets/bm1684x/axis/axis_kernel.h"

namespace tputwin::net::bm1684x {
namespace {

// y = (x - mean) / sqrt(scale * sum of squares + eps) * factor + offset
class Standardize final : public AxisKernel {
 public:
  bool is_centered = true;
  float scale = 1;  // of the sum of squares
  float eps = 0;

 protected:
  void compute(Fp32Steps& steps, const TensorView& out, const AxisInputs& in) const override {
    TensorView x = steps.widened(in.x);
    const TensorView y = steps.buffer(x.shape);
    if (is_centered) {
      subtract_mean(steps, x, y);
      x = y;
    }
    const TensorView squares = steps.buffer(x.shape);
    steps.arithmetic(Kind::mul, squares, x, x);
    const TensorView folded = this->folded(steps, Kind::add, squares);
    const TensorView sum = steps.buffer(folded.shape), factor = steps.buffer(folded.shape);
    steps.arithmetic(Kind::mul, sum, folded, scale);
    steps.arithmetic(Kind::add, sum, sum, eps);
    steps.call(FloatFunction::Kind::rsqrt, factor, sum);
    steps.arithmetic(Kind::mul, y, x, repeated_over(factor, x.shape));
    if (in.factor) steps.arithmetic(Kind::mul, y, y, *in.factor);
    if (in.offset) steps.arithmetic(Kind::add, y, y, *in.offset);
    steps.store(out, y);
  }

 private:
  void subtract_mean(Fp32Steps& steps, const TensorView& x, const TensorView& y) const {
    const TensorView folded = this->folded(steps, Kind::add, x);
    const TensorView mean = steps.buffer(folded.shape);
    const float length = static_cast<float>(uint64_t{x.shape.h} * x.shape.w);
    steps.arithmetic(Kind::mul, mean, folded, 1 / length);
    steps.arithmetic(Kind::sub, y, x, repeated_over(mean, x.shape));
  }
};

// Factors and offsets of a layer: one per row of the axis' values, or one per value of a row.
struct Affine {
  std::vector<float> factor, offset;
  bool per_row = false;
};

std::vector<float> expanded(const std::vector<float>& values, const auto& index, int64_t count) {
  std::vector<float> result(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    result[static_cast<size_t>(i)] = values[static_cast<size_t>(index(i))];
  return result;
}

Affine affine_of(const Layer& layer, int axis, const AxisShape& shape) {
  const std::vector<Blob>& blobs = layer.blobs();
  const auto& d = layer.op.input_shape(0);
  const int64_t values = static_cast<int64_t>(blobs[0].data.size());
  Affine affine{blobs[0].data, blobs[1].data, axis != 1};
  if (axis == 1 && values == shape.extent) return affine;
  const int64_t inside = count(d) / (d.dim(0) * d.dim(1));
  const int64_t step = axis == 1 ? 1 : shape.extent;
  const auto channel = [&](int64_t i) { return i * step / inside % d.dim(1); };
  const int64_t all = axis == 1 ? shape.extent : shape.outer;
  affine.factor = expanded(affine.factor, channel, all);
  affine.offset = expanded(affine.offset, channel, all);
  return affine;
}

void add_affine(Standardize& k, const Layer& layer, const AxisPart& part, const AxisShape& shape,
                const Affine& affine) {
  const Extents& e = part.e;
  const ViewSteps steps = affine.per_row ? ViewSteps{e.c, 1, 0, 0} : ViewSteps{0, 0, e.w, 1};
  for (const auto& [name, values] :
       {std::pair("factor", &affine.factor), std::pair("offset", &affine.offset)}) {
    View view = add_constant(k, layer, name, *values, DType::f32, e,
                             e.h == 1 ? ViewSteps{steps.n, steps.c, 0, steps.w} : steps);
    if (affine.per_row) view.offset = part.first / shape.extent * element_bytes(DType::f32);
    k.inputs.push_back(view);
  }
}

// Mean and variance over all axes but axis 1.
Kernels per_channel(const Layer& layer) {
  const auto& d = layer.op.input_shape(0);
  const int64_t channels = d.dim_size() > 1 ? d.dim(1) : 1;
  const int64_t inside = count(d) / (d.dim(0) * channels);
  const auto parts_of = [&](int64_t copies) {
    std::vector<AxisPart> parts;
    const int64_t most = most_channels(most_axis_rows(d.dim(0) * inside, copies));
    for (int64_t c = 0; c < channels; c += most)
      parts.push_back({{1, std::min(most, channels - c), d.dim(0), inside},
                       ViewSteps{0, inside, channels * inside, 1},
                       c * inside});
    return parts;
  };
  return fitting_kernels(parts_of, [&](const AxisPart& part) {
    auto k = std::make_unique<Standardize>();
    k->eps = layer.op.tg_standardize_param().eps();
    k->scale = 1 / static_cast<float>(d.dim(0) * inside);
    part.set_views(layer, *k);
    return k;
  });
}

}  // namespace

Kernels lower_standardize(const Layer& layer) {
  const auto& param = layer.op.tg_standardize_param();
  if (param.per_channel()) return per_channel(layer);
  const auto& d = layer.op.input_shape(0);
  const int axis = param.axis() < 0 ? param.axis() + d.dim_size() : param.axis();
  const AxisShape shape = around(d, axis, true);
  const auto blobs = layer.network.blobs.find(layer.op.name());
  const bool is_scaled = blobs != layer.network.blobs.end() && blobs->second.size() == 2;
  return axis_kernels(layer.output(), shape, [&](const AxisPart& part) {
    auto k = std::make_unique<Standardize>();
    k->is_centered = param.centered();
    k->eps = param.eps();
    k->scale = 1 / static_cast<float>(shape.extent);
    part.set_views(layer, *k);
    if (is_scaled) add_affine(*k, layer, part, shape, affine_of(layer, axis, shape));
    return k;
  });
}

// y = x * scale(c) / sqrt(sum of squares + eps), the sum over c, h and w or over c
Kernels lower_norm(const Layer& layer) {
  const auto& param = layer.op.tg_norm_param();
  const Extents e = extents(layer.op.input_shape(0));
  const AxisShape shape =
      param.across_spatial() ? AxisShape{e.n, e.c * e.h * e.w, 1} : AxisShape{e.n, e.c, e.h * e.w};
  std::vector<float> scale(param.scale().begin(), param.scale().end());
  if (const auto blobs = layer.network.blobs.find(layer.op.name());
      blobs != layer.network.blobs.end() && !blobs->second.empty())
    scale = blobs->second[0].data;
  if (scale.empty()) scale = {1.0f};
  if (param.channel_shared()) scale.assign(static_cast<size_t>(e.c), scale[0]);
  const int64_t inside = shape.extent / e.c;
  scale = expanded(
      scale, [&](int64_t i) { return i / inside; }, shape.extent);
  return axis_kernels(layer.output(), shape, [&](const AxisPart& part) {
    auto k = std::make_unique<Standardize>();
    k->is_centered = false;
    k->eps = param.eps();
    part.set_views(layer, *k);
    const ViewSteps along = shape.inner == 1 ? ViewSteps{0, 0, 0, 1} : ViewSteps{0, 0, 1, 0};
    k->inputs.push_back(add_constant(*k, layer, "factor", scale, DType::f32, part.e, along));
    return k;
  });
}

}  // namespace tputwin::net::bm1684x
