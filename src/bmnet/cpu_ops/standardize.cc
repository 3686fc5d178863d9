// Standardization: scales runs of values to mean 0 and variance 1, then applies a factor and an
// offset.
#include <cmath>

#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {

namespace {

double inverse_deviation(double squares, int64_t values, float eps) {
  return 1 / std::sqrt(squares / static_cast<double>(values) + eps);
}

// Computes Caffe's BatchNorm with the statistics of the batch itself.
Status standardize_channels(const Call& call) {
  const auto& shape = call.in[0].shape;
  const int64_t images = shape.empty() ? 0 : shape[0], channels = shape.size() > 1 ? shape[1] : 1;
  if (call.in.size() != 1) return fail(call, "no factors and offsets with per_channel");
  if (images < 1 || channels < 1) return fail(call, "the input has values");
  const int64_t inside = count(shape) / (images * channels), values = images * inside;
  for (int64_t c = 0; c < channels; ++c) {
    const auto for_all = [&](const auto& function) {
      for (int64_t n = 0; n < images; ++n)
        for (int64_t i = 0; i < inside; ++i) function((n * channels + c) * inside + i);
    };
    const float* x = call.in[0].data;
    double sum = 0, squares = 0;
    for_all([&](int64_t i) { sum += x[i]; });
    const double mean = sum / static_cast<double>(values);
    for_all([&](int64_t i) { squares += (x[i] - mean) * (x[i] - mean); });
    const double factor = inverse_deviation(squares, values, call.op.tg_standardize_param().eps());
    for_all([&](int64_t i) { call.out[0].data[i] = static_cast<float>((x[i] - mean) * factor); });
  }
  return {};
}

}  // namespace

Status standardize(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 1, true));
  const auto& param = call.op.tg_standardize_param();
  if (param.per_channel()) return standardize_channels(call);
  const auto& shape = call.in[0].shape;
  TW_ASSIGN_OR_RETURN(view, view_axis(call, shape, param.axis()));
  const int64_t length = view.extent * view.inner;
  const int64_t channels = shape.size() > 1 ? shape[1] : 1;
  const bool scaled = call.in.size() == 3;
  const int64_t values = scaled ? count(call.in[1]) : 0;
  const bool per_element = values == length && param.axis() == 1;
  if (scaled && (count(call.in[2]) != values || (!per_element && values != channels)))
    return fail(call, "factors and offsets are one per channel, or one per value of a run");
  const int64_t inside = count(shape) / std::max<int64_t>(1, shape[0] * channels);
  for (int64_t o = 0; o < view.outer; ++o) {
    const float* x = call.in[0].data + o * length;
    float* y = call.out[0].data + o * length;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < length; ++i) sum += x[i];
    const double mean = param.centered() ? sum / static_cast<double>(length) : 0;
    for (int64_t i = 0; i < length; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const double factor = inverse_deviation(squares, length, param.eps());
    for (int64_t i = 0; i < length; ++i) {
      y[i] = static_cast<float>((x[i] - mean) * factor);
      if (!scaled) continue;
      const int64_t at = per_element ? i : (o * length + i) / inside % channels;
      y[i] = y[i] * call.in[1].data[at] + call.in[2].data[at];
    }
  }
  return {};
}

}  // namespace tputwin::net::cpu
