// Scale and batch normalization: one factor and one addend per channel.
#include <algorithm>
#include <cmath>

#include "bmnet/arithmetic/by_value.h"
#include "bmnet/reference/layer.h"

namespace tputwin::net {

Result<FloatKernel> make_float_scale(const TensorOp& op, const std::vector<Blob>& blobs) {
  const auto& parameter = op.tg_scale_param();
  if (blobs.empty()) return check_blob(op, blobs, 0, 1);
  AroundAxis shape = around_axis(op.input_shape(0), parameter.axis());
  shape.axis = static_cast<int64_t>(blobs[0].data.size());
  const int64_t total = count(op.input_shape(0));
  if (shape.axis == 0 || total % (shape.outer * shape.axis) != 0)
    return check_blob(op, blobs, 0, total / shape.outer);
  if (blobs.size() > 1) TW_RETURN_IF_ERROR(check_blob(op, blobs, 1, shape.axis));
  return make_float_host(op, blobs);
}

Result<FloatKernel> make_float_batchnorm(const TensorOp& op, const std::vector<Blob>& blobs) {
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

namespace reference {

Status scale(const Layer& layer) {
  const auto& param = layer.op.tg_scale_param();
  TW_ASSIGN_OR_RETURN(axis, axis_of(layer, param.axis()));
  const TensorShape& shape = layer.op.input_shape(0);
  const int end =
      param.num_axes() < 0 ? shape.dim_size() : std::min(axis + param.num_axes(), shape.dim_size());
  const int64_t scales = product(shape, axis, end), inner = product(shape, end, shape.dim_size());
  TW_ASSIGN_OR_RETURN(weight, integer_blob<int8_t>(layer, 0, scales));
  std::vector<int16_t> bias(static_cast<size_t>(scales));
  if (param.bias_term()) {
    TW_ASSIGN_OR_RETURN(blob, integer_blob<int16_t>(layer, 1, scales));
    bias = std::move(blob);
  }
  for (size_t i = 0; i < layer.values().size(); ++i) {
    const size_t s = i / static_cast<size_t>(inner) % static_cast<size_t>(scales);
    const int64_t sum = int64_t{weight[s]} * layer.in()[i] + bias[s];
    layer.out()[i] = sat8(rhu(sum, layer.integers.right_shift));
  }
  return {};
}

}  // namespace reference
}  // namespace tputwin::net
