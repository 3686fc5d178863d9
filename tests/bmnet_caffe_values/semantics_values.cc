// Layers of single values: functions, factors, sums.
#include <algorithm>
#include <cmath>

#include "bmnet_caffe_values/semantics.h"

namespace tputwin::net::testing {
namespace {

using Function = std::function<double(const Layer& layer, double x)>;

LayerFunction each(Function function) {
  return [function = std::move(function)](const Layer& layer, const Tensors& in) {
    Tensor y = in[0];
    for (float& v : y.data) v = static_cast<float>(function(layer, v));
    return Tensors{y};
  };
}

double relu(const Layer& layer, double x) {
  return x > 0 ? x : x * layer.relu_param().negative_slope();
}
double elu(const Layer& layer, double x) {
  return x > 0 ? x : layer.elu_param().alpha() * (std::exp(x) - 1);
}
double power(const Layer& layer, double x) {
  const auto& p = layer.power_param();
  const double inner = p.shift() + p.scale() * x;
  return p.power() == 1 ? inner : std::pow(inner, double{p.power()});
}
double clip(const Layer& layer, double x) {
  const auto& p = layer.clip_param();
  return std::min(std::max(x, double{p.min()}), double{p.max()});
}
double swish(const Layer& layer, double x) {
  return x / (1 + std::exp(-layer.swish_param().beta() * x));
}

Tensors prelu(const Layer& layer, const Tensors& in) {
  const Floats slopes = blob_of(layer, 0);
  const bool shared = layer.prelu_param().channel_shared();
  Tensor y = in[0];
  const int64_t inner = y.count(2), channels = y.extent(1);
  for (size_t i = 0; i < y.data.size(); ++i)
    if (y.data[i] <= 0) y.data[i] *= slopes[shared ? 0 : i / inner % channels];
  return {y};
}

// y = x * factor + addend, whose values span axes of x from `axis` on. All elements of the axes
// after them use one value.
Tensor affine(const Tensor& x, int64_t axis, int64_t spanned, const Floats& factor,
              const Floats& addend) {
  const int64_t values = x.count(axis, axis + spanned), inner = x.count(axis + spanned);
  Tensor y = x;
  for (size_t i = 0; i < y.data.size(); ++i) {
    const auto at = static_cast<size_t>(static_cast<int64_t>(i) / inner % values);
    const double product = double{x.data[i]} * (factor.empty() ? 1.0F : factor[at]);
    y.data[i] = static_cast<float>(product + (addend.empty() ? 0.0F : addend[at]));
  }
  return y;
}

int64_t spanned_axes(const Tensor& x, int64_t axis, int64_t num_axes) {
  return num_axes < 0 ? x.axes() - axis : num_axes;
}

Tensors scale(const Layer& layer, const Tensors& in) {
  const auto& p = layer.scale_param();
  const int64_t axis = in[0].axis(p.axis());
  if (in.size() > 1) return {affine(in[0], axis, in[1].axes(), in[1].data, {})};
  return {affine(in[0], axis, spanned_axes(in[0], axis, p.num_axes()), blob_of(layer, 0),
                 p.bias_term() ? blob_of(layer, 1) : Floats())};
}

Tensors bias(const Layer& layer, const Tensors& in) {
  const auto& p = layer.bias_param();
  const int64_t axis = in[0].axis(p.axis());
  if (in.size() > 1) return {affine(in[0], axis, in[1].axes(), {}, in[1].data)};
  return {affine(in[0], axis, spanned_axes(in[0], axis, p.num_axes()), {}, blob_of(layer, 0))};
}

Tensors eltwise(const Layer& layer, const Tensors& in) {
  using Parameter = caffe::EltwiseParameter;
  const auto& p = layer.eltwise_param();
  Tensor y(in[0].shape);
  for (size_t i = 0; i < y.data.size(); ++i) {
    double result = p.operation() == Parameter::PROD ? 1 : 0;
    for (size_t k = 0; k < in.size(); ++k) {
      const double v = in[k].data[i];
      if (p.operation() == Parameter::PROD) result *= v;
      if (p.operation() == Parameter::SUM)
        result += v * (p.coeff().empty() ? 1.0F : p.coeff(static_cast<int>(k)));
      if (p.operation() == Parameter::MAX) result = k == 0 ? v : std::max(result, v);
    }
    y.data[i] = static_cast<float>(result);
  }
  return {y};
}

// Axpy of forks: a(n,c) * x + y.
Tensors axpy(const Layer&, const Tensors& in) {
  Tensor y = in[2];
  const int64_t plane = y.count(2);
  for (size_t i = 0; i < y.data.size(); ++i)
    y.data[i] = static_cast<float>(double{in[0].data[i / plane]} * in[1].data[i] + in[2].data[i]);
  return {y};
}

}  // namespace

LayerFunctions value_layers() {
  return {{"ReLU", each(relu)},
          {"ELU", each(elu)},
          {"Power", each(power)},
          {"Clip", each(clip)},
          {"Swish", each(swish)},
          {"AbsVal", each([](const Layer&, double x) { return std::fabs(x); })},
          {"Sigmoid", each([](const Layer&, double x) { return 1 / (1 + std::exp(-x)); })},
          {"TanH", each([](const Layer&, double x) { return std::tanh(x); })},
          {"PReLU", prelu},
          {"Scale", scale},
          {"Bias", bias},
          {"Eltwise", eltwise},
          {"Axpy", axpy}};
}

}  // namespace tputwin::net::testing
