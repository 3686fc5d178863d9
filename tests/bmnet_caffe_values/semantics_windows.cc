// Layers of windows and products of matrices.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bmnet_caffe_values/semantics.h"

namespace tputwin::net::testing {
namespace {

struct Axis {
  int64_t kernel, stride, pad, dilation = 1;
};

float& at(Tensor& t, int64_t n, int64_t c, int64_t h, int64_t w) {
  return t.data[static_cast<size_t>(((n * t.extent(1) + c) * t.extent(2) + h) * t.extent(3) + w)];
}
float at(const Tensor& t, int64_t n, int64_t c, int64_t h, int64_t w) {
  return t.data[static_cast<size_t>(((n * t.extent(1) + c) * t.extent(2) + h) * t.extent(3) + w)];
}

// ---- Convolution ----

int64_t of_list(const google::protobuf::RepeatedField<uint32_t>& list, int axis,
                int64_t otherwise) {
  if (list.empty()) return otherwise;
  return list.Get(list.size() == 1 ? 0 : axis);
}

Axis convolution_axis(const caffe::ConvolutionParameter& p, int axis) {
  Axis result{of_list(p.kernel_size(), axis, 0), of_list(p.stride(), axis, 1),
              of_list(p.pad(), axis, 0), of_list(p.dilation(), axis, 1)};
  if (p.has_kernel_h()) result.kernel = axis == 0 ? p.kernel_h() : p.kernel_w();
  if (p.has_stride_h()) result.stride = axis == 0 ? p.stride_h() : p.stride_w();
  if (p.has_pad_h() || p.has_pad_w()) result.pad = axis == 0 ? p.pad_h() : p.pad_w();
  return result;
}

Tensors convolution(const Layer& layer, const Tensors& in) {
  const auto& p = layer.convolution_param();
  const Tensor& x = in[0];
  const Axis h = convolution_axis(p, 0), w = convolution_axis(p, 1);
  const auto extent = [](int64_t size, const Axis& a) {
    return (size + 2 * a.pad - (a.dilation * (a.kernel - 1) + 1)) / a.stride + 1;
  };
  const int64_t outputs = p.num_output(), group = p.group(), channels = x.extent(1) / group;
  Tensor y({x.extent(0), outputs, extent(x.extent(2), h), extent(x.extent(3), w)});
  const Floats weight = blob_of(layer, 0),
               bias = p.bias_term() ? blob_of(layer, 1) : Floats(outputs);
  for (int64_t n = 0; n < y.extent(0); ++n)
    for (int64_t o = 0; o < outputs; ++o)
      for (int64_t i = 0; i < y.extent(2); ++i)
        for (int64_t j = 0; j < y.extent(3); ++j) {
          double sum = bias[o];
          for (int64_t c = 0; c < channels; ++c)
            for (int64_t a = 0; a < h.kernel; ++a)
              for (int64_t b = 0; b < w.kernel; ++b) {
                const int64_t row = i * h.stride + a * h.dilation - h.pad;
                const int64_t column = j * w.stride + b * w.dilation - w.pad;
                if (row < 0 || row >= x.extent(2) || column < 0 || column >= x.extent(3)) continue;
                const int64_t channel = o / (outputs / group) * channels + c;
                sum += double{weight[((o * channels + c) * h.kernel + a) * w.kernel + b]} *
                       at(x, n, channel, row, column);
              }
          at(y, n, o, i, j) = static_cast<float>(sum);
        }
  return {y};
}

Tensors deconvolution(const Layer& layer, const Tensors& in) {
  const auto& p = layer.convolution_param();
  const Tensor& x = in[0];
  const Axis h = convolution_axis(p, 0), w = convolution_axis(p, 1);
  const auto extent = [](int64_t size, const Axis& a) {
    return a.stride * (size - 1) + a.dilation * (a.kernel - 1) + 1 - 2 * a.pad;
  };
  const int64_t outputs = p.num_output(), group = p.group(), channels = x.extent(1);
  const int64_t outputs_of_group = outputs / group;
  Tensor y({x.extent(0), outputs, extent(x.extent(2), h), extent(x.extent(3), w)});
  const Floats weight = blob_of(layer, 0),
               bias = p.bias_term() ? blob_of(layer, 1) : Floats(outputs);
  std::vector<double> sums(y.data.size());
  for (int64_t n = 0; n < x.extent(0); ++n)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < x.extent(2); ++i)
        for (int64_t j = 0; j < x.extent(3); ++j)
          for (int64_t o = 0; o < outputs_of_group; ++o)
            for (int64_t a = 0; a < h.kernel; ++a)
              for (int64_t b = 0; b < w.kernel; ++b) {
                const int64_t row = i * h.stride + a * h.dilation - h.pad;
                const int64_t column = j * w.stride + b * w.dilation - w.pad;
                if (row < 0 || row >= y.extent(2) || column < 0 || column >= y.extent(3)) continue;
                const int64_t output = c / (channels / group) * outputs_of_group + o;
                sums[((n * outputs + output) * y.extent(2) + row) * y.extent(3) + column] +=
                    double{weight[((c * outputs_of_group + o) * h.kernel + a) * w.kernel + b]} *
                    at(x, n, c, i, j);
              }
  const int64_t plane = y.count(2);
  for (size_t i = 0; i < sums.size(); ++i)
    y.data[i] = static_cast<float>(sums[i] + bias[i / plane % outputs]);
  return {y};
}

Tensors inner_product(const Layer& layer, const Tensors& in) {
  const auto& p = layer.inner_product_param();
  const Tensor& x = in[0];
  const int64_t axis = x.axis(p.axis()), rows = x.count(0, axis), inputs = x.count(axis);
  const int64_t outputs = p.num_output();
  Shape shape(x.shape.begin(), x.shape.begin() + axis);
  shape.push_back(outputs);
  Tensor y(shape);
  const Floats weight = blob_of(layer, 0),
               bias = p.bias_term() ? blob_of(layer, 1) : Floats(outputs);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t o = 0; o < outputs; ++o) {
      double sum = bias[o];
      for (int64_t i = 0; i < inputs; ++i)
        sum += double{weight[p.transpose() ? i * outputs + o : o * inputs + i]} *
               x.data[r * inputs + i];
      y.data[r * outputs + o] = static_cast<float>(sum);
    }
  return {y};
}

// ---- Pooling ----

int64_t pooled(int64_t size, const Axis& a, bool ceil, bool padded) {
  const double steps =
      static_cast<double>(size + 2 * a.pad - a.kernel) / static_cast<double>(a.stride);
  int64_t outputs = static_cast<int64_t>(ceil ? std::ceil(steps) : std::floor(steps)) + 1;
  // The last window begins within the input or the padding before it; either pad decides for both.
  if (padded && (outputs - 1) * a.stride >= size + a.pad) --outputs;
  return outputs;
}

Tensors pooling(const Layer& layer, const Tensors& in) {
  const auto& p = layer.pooling_param();
  const Tensor& x = in[0];
  const auto axis = [&](int64_t size, bool has_kernel, int64_t kernel, bool has_stride,
                        int64_t stride, bool has_pad, int64_t pad) {
    return Axis{p.global_pooling() ? size
                : has_kernel       ? kernel
                                   : p.kernel_size(),
                has_stride ? stride : p.stride(), has_pad ? pad : p.pad()};
  };
  const Axis h = axis(x.extent(2), p.has_kernel_h(), p.kernel_h(), p.has_stride_h(), p.stride_h(),
                      p.has_pad_h() || p.has_pad_w(), p.pad_h());
  const Axis w = axis(x.extent(3), p.has_kernel_w(), p.kernel_w(), p.has_stride_w(), p.stride_w(),
                      p.has_pad_h() || p.has_pad_w(), p.pad_w());
  const bool padded = h.pad > 0 || w.pad > 0;
  Tensor y({x.extent(0), x.extent(1), pooled(x.extent(2), h, p.ceil_mode(), padded),
            pooled(x.extent(3), w, p.ceil_mode(), padded)});
  const bool average = p.pool() == caffe::PoolingParameter::AVE;
  for (int64_t n = 0; n < y.extent(0); ++n)
    for (int64_t c = 0; c < y.extent(1); ++c)
      for (int64_t i = 0; i < y.extent(2); ++i)
        for (int64_t j = 0; j < y.extent(3); ++j) {
          const int64_t top = i * h.stride - h.pad, left = j * w.stride - w.pad;
          // Averages count what is within the padded input.
          const int64_t bottom = std::min(top + h.kernel, x.extent(2) + h.pad);
          const int64_t right = std::min(left + w.kernel, x.extent(3) + w.pad);
          const auto taps = static_cast<double>((bottom - top) * (right - left));
          double sum = 0;
          float most = -std::numeric_limits<float>::max();
          for (int64_t a = std::max<int64_t>(top, 0); a < std::min(bottom, x.extent(2)); ++a)
            for (int64_t b = std::max<int64_t>(left, 0); b < std::min(right, x.extent(3)); ++b) {
              sum += at(x, n, c, a, b);
              most = std::max(most, at(x, n, c, a, b));
            }
          at(y, n, c, i, j) = average ? static_cast<float>(sum / taps) : most;
        }
  return {y};
}

// ---- LRN ----

double average_of_squares(const Tensor& x, int64_t n, int64_t c, int64_t i, int64_t j,
                          const caffe::LRNParameter& p) {
  const int64_t half = (p.local_size() - 1) / 2;
  const auto square = [&](int64_t channel, int64_t row, int64_t column) {
    const double v = at(x, n, channel, row, column);
    return v * v;
  };
  double sum = 0;
  if (p.norm_region() == caffe::LRNParameter::ACROSS_CHANNELS) {
    for (int64_t k = std::max<int64_t>(0, c - half); k <= std::min(x.extent(1) - 1, c + half); ++k)
      sum += square(k, i, j);
    return sum / p.local_size();
  }
  // An average pooling: its windows are cut at the padded input.
  const auto first = [&](int64_t v) { return v - half; };
  const auto end = [&](int64_t v, int64_t size) { return std::min(v + half + 1, size + half); };
  for (int64_t a = std::max<int64_t>(0, first(i)); a < std::min(end(i, x.extent(2)), x.extent(2));
       ++a)
    for (int64_t b = std::max<int64_t>(0, first(j)); b < std::min(end(j, x.extent(3)), x.extent(3));
         ++b)
      sum += square(c, a, b);
  return sum /
         static_cast<double>((end(i, x.extent(2)) - first(i)) * (end(j, x.extent(3)) - first(j)));
}

Tensors lrn(const Layer& layer, const Tensors& in) {
  const auto& p = layer.lrn_param();
  const Tensor& x = in[0];
  const bool across = p.norm_region() == caffe::LRNParameter::ACROSS_CHANNELS;
  Tensor y(x.shape);
  for (int64_t n = 0; n < x.extent(0); ++n)
    for (int64_t c = 0; c < x.extent(1); ++c)
      for (int64_t i = 0; i < x.extent(2); ++i)
        for (int64_t j = 0; j < x.extent(3); ++j) {
          const double inner =
              (across ? p.k() : 1.0) + p.alpha() * average_of_squares(x, n, c, i, j, p);
          at(y, n, c, i, j) =
              static_cast<float>(at(x, n, c, i, j) * std::pow(inner, -double{p.beta()}));
        }
  return {y};
}

}  // namespace

LayerFunctions window_layers() {
  return {{"Convolution", convolution},
          {"Deconvolution", deconvolution},
          {"InnerProduct", inner_product},
          {"Pooling", pooling},
          {"LRN", lrn}};
}

}  // namespace tputwin::net::testing
