// Layers that work element by element, and Softmax.
#include "base/errors/bmnet.h"
#include "bmnet/caffe/layer.h"

namespace tputwin::net {
namespace {

void same_shape(Importer& layer) {
  if (layer.ready()) layer.output_like_input();
}

::bmnet::TGActivationParameter& activation(Importer& layer, ::bmnet::ActivationMethod method) {
  set_type(layer.op, Op::activation);
  auto& param = *layer.op.mutable_tg_activation_param();
  param.set_activation(method);
  return param;
}

// Returns true for products whose second factor is (n,c,1,1), one value per channel.
bool is_per_channel(Importer& layer) {
  const Dims x = layer.dims(0), y = layer.dims(1);
  return layer.bottoms() == 2 && x.size() == 4 && y == Dims{x[0], x[1], 1, 1};
}

void clip(Importer& layer, float low, float high) {
  set_type(layer.op, Op::clip);
  auto& param = *layer.op.mutable_tg_clip_param();
  param.set_min(low);
  param.set_max(high);
  if (!(low <= high)) layer.parameter("min", std::to_string(low), "at most max");
  same_shape(layer);
}

void import_relu(Importer& layer) {
  const float slope = layer.caffe.relu_param().negative_slope();
  auto& param = activation(layer, ::bmnet::RELU);
  if (slope != 0) param.add_activation_arg(slope);
  layer.finite("negative_slope", slope);
  same_shape(layer);
}

void import_relu6(Importer& layer) { clip(layer, 0, 6); }

void import_clip(Importer& layer) {
  const auto& p = layer.caffe.clip_param();
  if (!p.has_min()) layer.parameter("min", "none", "a number");
  if (!p.has_max()) layer.parameter("max", "none", "a number");
  clip(layer, p.min(), p.max());
}

void import_sigmoid(Importer& layer) {
  activation(layer, ::bmnet::SIGMOID);
  same_shape(layer);
}

void import_tanh(Importer& layer) {
  activation(layer, ::bmnet::TANH);
  same_shape(layer);
}

void import_elu(Importer& layer) {
  const float alpha = layer.caffe.elu_param().alpha();
  activation(layer, ::bmnet::ELU).add_activation_arg(alpha);
  layer.finite("alpha", alpha);
  same_shape(layer);
}

void import_abs(Importer& layer) {
  activation(layer, ::bmnet::ABS);
  same_shape(layer);
}

// x * sigmoid(beta * x)
void import_swish(Importer& layer) {
  const float beta = layer.caffe.swish_param().beta();
  set_type(layer.op, Op::function);
  auto& param = *layer.op.mutable_tg_function_param();
  param.set_name("swish");
  param.add_arg(beta);
  layer.finite("beta", beta);
  same_shape(layer);
}

void import_power(Importer& layer) {
  const auto& p = layer.caffe.power_param();
  set_type(layer.op, Op::power);
  auto& param = *layer.op.mutable_tg_power_param();
  param.set_power(p.power());
  param.set_scale(p.scale());
  param.set_shift(p.shift());
  layer.finite("power", p.power());
  layer.finite("scale", p.scale());
  layer.finite("shift", p.shift());
  same_shape(layer);
}

void import_prelu(Importer& layer) {
  const auto& p = layer.caffe.prelu_param();
  set_type(layer.op, Op::prelu);
  layer.op.mutable_tg_prelu_param()->set_channel_shared(p.channel_shared());
  if (!layer.ready() || !layer.axes_at_least(2)) return;
  layer.weights({{"slope", p.channel_shared() ? Dims{} : Dims{layer.extents().c}}});
  layer.output_like_input();
}

void import_softmax(Importer& layer) {
  set_type(layer.op, Op::softmax);
  auto& param = *layer.op.mutable_tg_softmax_param();
  int axis = 1;
  if (layer.ready() && layer.axis("axis", layer.caffe.softmax_param().axis(), layer.dims(), axis))
    layer.output_like_input();
  param.set_axis(axis);
}

void import_eltwise(Importer& layer) {
  using Caffe = caffe::EltwiseParameter;
  const Caffe& p = layer.caffe.eltwise_param();
  set_type(layer.op, Op::eltwise);
  auto& param = *layer.op.mutable_tg_eltwise_param();
  param.set_operation(p.operation() == Caffe::PROD  ? ::bmnet::TGEltwiseParameter::PROD
                      : p.operation() == Caffe::MAX ? ::bmnet::TGEltwiseParameter::MAX
                                                    : ::bmnet::TGEltwiseParameter::SUM);
  bool ones = true;
  for (float coeff : p.coeff()) {
    layer.finite("coeff", coeff);
    ones = ones && coeff == 1;
  }
  if (!p.coeff().empty() && p.coeff_size() != layer.bottoms())
    layer.parameter("coeff", std::to_string(p.coeff_size()) + " values", "one per bottom");
  if (!p.coeff().empty() && p.operation() != Caffe::SUM)
    layer.parameter("coeff", "given", "for SUM only");
  if (!ones) param.mutable_coeff()->CopyFrom(p.coeff());
  const bool per_channel = layer.ready() && p.operation() == Caffe::PROD && is_per_channel(layer);
  for (int i = 1; layer.ready() && !per_channel && i < layer.bottoms(); ++i) layer.same_dims(0, i);
  same_shape(layer);
}

// The types of these layers.
constexpr LayerKind kPointwiseLayers[] = {
    {.type = "ReLU", .import = import_relu},
    {.type = "ReLU6", .import = import_relu6},
    {.type = "Clip", .import = import_clip},
    {.type = "Sigmoid", .import = import_sigmoid},
    {.type = "TanH", .import = import_tanh},
    {.type = "ELU", .import = import_elu},
    {.type = "AbsVal", .import = import_abs},
    {.type = "Swish", .import = import_swish},
    {.type = "Power", .import = import_power},
    {.type = "PReLU", .import = import_prelu},
    {.type = "Softmax", .import = import_softmax},
    {.type = "Eltwise",
     .import = import_eltwise,
     .min_bottoms = 2,
     .max_bottoms = kMany,
     .expand = expand_eltwise},
};

}  // namespace

std::span<const LayerKind> pointwise_layers() { return kPointwiseLayers; }

}  // namespace tputwin::net
