// Activations, PReLU, scale, batch normalization, power, clip, eltwise.
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "bmnet/float/kernels.h"
#include "bmnet/integers/rules.h"

namespace tputwin::net {
namespace {

template <class Function>
FloatKernel per_value(Function function) {
  return [function](std::span<const Blob* const> inputs, std::span<Blob* const> outputs) -> Status {
    const std::vector<float>& x = inputs[0]->data;
    std::vector<float>& y = outputs[0]->data;
    parallel_for(y.size(), 16384, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) y[i] = function(x[i]);
    });
    return {};
  };
}

// function(x, channel) over outer x channel x inner.
template <class Function>
FloatKernel per_channel(const AroundAxis& shape, Function function) {
  return [=](std::span<const Blob* const> inputs, std::span<Blob* const> outputs) -> Status {
    parallel_for(shape.outer * shape.axis, 8, [&](size_t begin, size_t end) {
      for (size_t p = begin; p < end; ++p) {
        const float* x = inputs[0]->data.data() + p * shape.inner;
        float* y = outputs[0]->data.data() + p * shape.inner;
        for (int64_t i = 0; i < shape.inner; ++i) y[i] = function(x[i], p % shape.axis);
      }
    });
    return {};
  };
}

FloatKernel relu(float slope) {
  return per_value([slope](float x) { return x > 0 ? x : x * slope; });
}

Result<FloatKernel> prelu(const TensorOp& op, const std::vector<Blob>& blobs) {
  const AroundAxis shape = around_axis(op.input_shape(0), 1);
  const bool shared = op.tg_prelu_param().channel_shared();
  TW_RETURN_IF_ERROR(check_blob(op, blobs, 0, shared ? 1 : shape.axis));
  if (shared) return relu(blobs[0].data[0]);
  return per_channel(shape, [slopes = blobs[0].data](float x, size_t channel) {
    return x > 0 ? x : x * slopes[channel];
  });
}

Result<FloatKernel> scale(const TensorOp& op, const std::vector<Blob>& blobs) {
  const auto& parameter = op.tg_scale_param();
  if (blobs.empty()) return check_blob(op, blobs, 0, 1);
  AroundAxis shape = around_axis(op.input_shape(0), parameter.axis());
  shape.axis = static_cast<int64_t>(blobs[0].data.size());
  const int64_t total = count(op.input_shape(0));
  if (shape.axis == 0 || total % (shape.outer * shape.axis) != 0)
    return check_blob(op, blobs, 0, total / shape.outer);
  shape.inner = total / (shape.outer * shape.axis);
  std::vector<float> bias(shape.axis);
  if (blobs.size() > 1) {
    TW_RETURN_IF_ERROR(check_blob(op, blobs, 1, shape.axis));
    bias = blobs[1].data;
  }
  const bool rectified = parameter.do_activation();
  return per_channel(shape, [=, factor = blobs[0].data](float x, size_t channel) {
    const float y = x * factor[channel] + bias[channel];
    return rectified ? std::max(y, 0.0f) : y;
  });
}

Result<FloatKernel> batchnorm(const TensorOp& op, const std::vector<Blob>& blobs) {
  const AroundAxis shape = around_axis(op.input_shape(0), 1);
  TW_RETURN_IF_ERROR(check_blob(op, blobs, 0, shape.axis));
  TW_RETURN_IF_ERROR(check_blob(op, blobs, 1, shape.axis));
  float fraction = 1;
  if (blobs.size() > 2 && !blobs[2].data.empty())
    fraction = blobs[2].data[0] == 0 ? 0 : 1 / blobs[2].data[0];
  std::vector<float> mean = blobs[0].data, factor = blobs[1].data;
  for (float& m : mean) m *= fraction;
  for (float& v : factor) v = 1 / std::sqrt(v * fraction + op.tg_batchnorm_param().eps());
  return per_channel(
      shape, [=](float x, size_t channel) { return (x - mean[channel]) * factor[channel]; });
}

FloatKernel eltwise(const TensorOp& op) {
  using Parameter = ::bmnet::TGEltwiseParameter;
  const Parameter& parameter = op.tg_eltwise_param();
  std::vector<float> factor(op.bottom_size(), 1.0f);
  for (int i = 0; i < std::min(parameter.coeff_size(), op.bottom_size()); ++i)
    factor[i] = parameter.coeff(i);
  const auto operation = parameter.operation();
  const bool rectified = parameter.do_activation();
  // The second factor of a product may have one value per channel.
  const size_t repeat = static_cast<size_t>(count(op.input_shape(0)) / count(op.input_shape(1)));
  return [=](std::span<const Blob* const> inputs, std::span<Blob* const> outputs) -> Status {
    std::vector<float>& y = outputs[0]->data;
    parallel_for(y.size(), 16384, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        float result = inputs[0]->data[i];
        if (operation == Parameter::SUM) result *= factor[0];
        for (size_t k = 1; k < inputs.size(); ++k) {
          const float x = inputs[k]->data[i / repeat];
          if (operation == Parameter::SUM) result += factor[k] * x;
          if (operation == Parameter::PROD) result *= x;
          if (operation == Parameter::MAX) result = std::max(result, x);
        }
        y[i] = rectified ? std::max(result, 0.0f) : result;
      }
    });
    return {};
  };
}

}  // namespace

Result<FloatKernel> make_float_elementwise(const TensorOp& op, const std::vector<Blob>& blobs) {
  if (is(op, Op::prelu)) return prelu(op, blobs);
  if (is(op, Op::scale)) return scale(op, blobs);
  if (is(op, Op::batchnorm)) return batchnorm(op, blobs);
  if (is(op, Op::eltwise)) return eltwise(op);
  if (is_plain_relu(op)) return relu(0);
  if (is_leaky_relu(op)) return relu(op.tg_activation_param().activation_arg(0));
  if (auto function = table_function(op)) return per_value(std::move(function));
  return FloatKernel();
}

}  // namespace tputwin::net
