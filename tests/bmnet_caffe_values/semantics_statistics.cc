// Layers that reduce: normalizations, Softmax, Reduction.
#include <algorithm>
#include <cmath>

#include "bmnet_caffe_values/semantics.h"

namespace tputwin::net::testing {
namespace {

Tensors batch_norm(const Layer& layer, const Tensors& in) {
  const auto& p = layer.batch_norm_param();
  const Tensor& x = in[0];
  const int64_t channels = x.axes() > 1 ? x.extent(1) : 1;
  const int64_t images = x.extent(0), inner = x.count() / (images * channels);
  const bool global = !p.has_use_global_stats() || p.use_global_stats();
  Tensor y(x.shape);
  for (int64_t c = 0; c < channels; ++c) {
    const auto for_all = [&](const std::function<void(int64_t)>& function) {
      for (int64_t n = 0; n < images; ++n)
        for (int64_t i = 0; i < inner; ++i) function((n * channels + c) * inner + i);
    };
    double mean = 0, variance = 0;
    if (global) {
      const double factor = layer.blobs(2).data(0);
      const double norm = factor == 0 ? 0 : 1 / factor;
      mean = layer.blobs(0).data(static_cast<int>(c)) * norm;
      variance = layer.blobs(1).data(static_cast<int>(c)) * norm;
    } else {
      const auto values = static_cast<double>(images * inner);
      for_all([&](int64_t i) { mean += x.data[i] / values; });
      for_all([&](int64_t i) { variance += (x.data[i] - mean) * (x.data[i] - mean) / values; });
    }
    for_all([&](int64_t i) {
      y.data[i] = static_cast<float>((x.data[i] - mean) / std::sqrt(variance + p.eps()));
    });
  }
  return {y};
}

Tensors softmax(const Layer& layer, const Tensors& in) {
  const Tensor& x = in[0];
  const int64_t axis = x.axis(layer.softmax_param().axis());
  const int64_t length = x.extent(axis), inner = x.count(axis + 1), outer = x.count(0, axis);
  Tensor y(x.shape);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      const auto at = [&](int64_t k) { return (o * length + k) * inner + i; };
      double most = x.data[at(0)], sum = 0;
      for (int64_t k = 1; k < length; ++k) most = std::max(most, double{x.data[at(k)]});
      for (int64_t k = 0; k < length; ++k) sum += std::exp(x.data[at(k)] - most);
      for (int64_t k = 0; k < length; ++k)
        y.data[at(k)] = static_cast<float>(std::exp(x.data[at(k)] - most) / sum);
    }
  return {y};
}

// SSD's Normalize: over channels at each position, or over a whole image.
Tensors normalize(const Layer& layer, const Tensors& in) {
  const auto& p = layer.norm_param();
  const Tensor& x = in[0];
  const Floats scale = blob_of(layer, 0);
  const int64_t channels = x.extent(1), plane = x.count(2);
  Tensor y(x.shape);
  for (int64_t n = 0; n < x.extent(0); ++n) {
    const auto at = [&](int64_t c, int64_t i) { return (n * channels + c) * plane + i; };
    std::vector<double> sums(static_cast<size_t>(plane));
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < plane; ++i) {
        const double v = x.data[at(c, i)];
        sums[p.across_spatial() ? 0 : i] += v * v;
      }
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < plane; ++i)
        y.data[at(c, i)] = static_cast<float>(
            x.data[at(c, i)] / std::sqrt(sums[p.across_spatial() ? 0 : i] + p.eps()) *
            scale[p.channel_shared() ? 0 : c]);
  }
  return {y};
}

Tensors reduction(const Layer& layer, const Tensors& in) {
  using Parameter = caffe::ReductionParameter;
  const auto& p = layer.reduction_param();
  const Tensor& x = in[0];
  const int64_t axis = x.axis(p.axis()), outer = x.count(0, axis), length = x.count(axis);
  Shape shape(x.shape.begin(), x.shape.begin() + axis);
  Tensor y(shape);
  for (int64_t o = 0; o < outer; ++o) {
    double sum = 0;
    for (int64_t i = 0; i < length; ++i) {
      const double v = x.data[o * length + i];
      sum += p.operation() == Parameter::ASUM    ? std::fabs(v)
             : p.operation() == Parameter::SUMSQ ? v * v
                                                 : v;
    }
    if (p.operation() == Parameter::MEAN) sum /= static_cast<double>(length);
    y.data[o] = static_cast<float>(sum * p.coeff());
  }
  return {y};
}

}  // namespace

LayerFunctions statistics_layers() {
  return {{"BatchNorm", batch_norm},
          {"Softmax", softmax},
          {"Normalize", normalize},
          {"Reduction", reduction}};
}

}  // namespace tputwin::net::testing
