#include "classics/graph.h"

namespace tputwin::models {

caffe::LayerParameter& Graph::layer(const Name& name, const Name& type, const Names& bottoms) {
  caffe::LayerParameter& layer = *net.add_layer();
  layer.set_name(name);
  layer.set_type(type);
  for (const Name& bottom : bottoms) layer.add_bottom(bottom);
  layer.add_top(name);
  return layer;
}

Name Graph::in_place(const Name& name, const Name& type, const Name& bottom) {
  layer(name, type, {bottom}).set_top(0, bottom);
  return bottom;
}

Name Graph::input(std::initializer_list<int> dims, const Name& name) {
  auto& shape = *layer(name, "Input", {}).mutable_input_param()->add_shape();
  for (int d : dims) shape.add_dim(d);
  return name;
}

Name Graph::conv(const Name& name, const Name& bottom, const Conv& conv) {
  auto& p = *layer(name, "Convolution", {bottom}).mutable_convolution_param();
  p.set_num_output(static_cast<uint32_t>(conv.outputs));
  p.add_kernel_size(static_cast<uint32_t>(conv.kernel));
  if (conv.stride != 1) p.add_stride(static_cast<uint32_t>(conv.stride));
  if (conv.pad != 0) p.add_pad(static_cast<uint32_t>(conv.pad));
  if (conv.group != 1) p.set_group(static_cast<uint32_t>(conv.group));
  if (!conv.bias) p.set_bias_term(false);
  return name;
}

Name Graph::fc(const Name& name, const Name& bottom, int outputs) {
  layer(name, "InnerProduct", {bottom})
      .mutable_inner_product_param()
      ->set_num_output(static_cast<uint32_t>(outputs));
  return name;
}

Name Graph::relu(const Name& name, const Name& bottom, float slope) {
  in_place(name, "ReLU", bottom);
  if (slope != 0)
    net.mutable_layer(net.layer_size() - 1)->mutable_relu_param()->set_negative_slope(slope);
  return bottom;
}

Name Graph::max_pool(const Name& name, const Name& bottom, int kernel, int stride, int pad) {
  auto& p = *layer(name, "Pooling", {bottom}).mutable_pooling_param();
  p.set_pool(caffe::PoolingParameter::MAX);
  p.set_kernel_size(static_cast<uint32_t>(kernel));
  p.set_stride(static_cast<uint32_t>(stride));
  if (pad != 0) p.set_pad(static_cast<uint32_t>(pad));
  return name;
}

Name Graph::ave_pool(const Name& name, const Name& bottom, int kernel, int stride) {
  max_pool(name, bottom, kernel, stride);
  net.mutable_layer(net.layer_size() - 1)
      ->mutable_pooling_param()
      ->set_pool(caffe::PoolingParameter::AVE);
  return name;
}

Name Graph::global_pool(const Name& name, const Name& bottom) {
  auto& p = *layer(name, "Pooling", {bottom}).mutable_pooling_param();
  p.set_pool(caffe::PoolingParameter::AVE);
  p.set_global_pooling(true);
  return name;
}

Name Graph::lrn(const Name& name, const Name& bottom) {
  auto& p = *layer(name, "LRN", {bottom}).mutable_lrn_param();
  p.set_local_size(5);
  p.set_alpha(1e-4F);
  p.set_beta(0.75F);
  return name;
}

Name Graph::dropout(const Name& name, const Name& bottom) {
  return in_place(name, "Dropout", bottom);
}

Name Graph::add(const Name& name, const Name& a, const Name& b) {
  layer(name, "Eltwise", {a, b});
  return name;
}

Name Graph::concat(const Name& name, const Names& bottoms, int axis) {
  auto& added = layer(name, "Concat", bottoms);
  if (axis != 1) added.mutable_concat_param()->set_axis(axis);
  return name;
}

Name Graph::softmax(const Name& name, const Name& bottom, int axis) {
  auto& added = layer(name, "Softmax", {bottom});
  if (axis != 1) added.mutable_softmax_param()->set_axis(axis);
  return name;
}

Name Graph::flatten(const Name& name, const Name& bottom) {
  layer(name, "Flatten", {bottom});
  return name;
}

Name Graph::norm(const Name& name, const Name& bottom) {
  in_place(name + "/bn", "BatchNorm", bottom);
  in_place(name + "/scale", "Scale", bottom);
  net.mutable_layer(net.layer_size() - 1)->mutable_scale_param()->set_bias_term(true);
  return bottom;
}

Name Graph::conv_relu(const Name& name, const Name& bottom, const Conv& c) {
  return relu("relu_" + name, conv(name, bottom, c));
}

Name Graph::conv_norm(const Name& name, const Name& bottom, const Conv& c) {
  Conv plain = c;
  plain.bias = false;
  return norm(name, conv(name, bottom, plain));
}

Name Graph::conv_norm_relu(const Name& name, const Name& bottom, const Conv& c, float slope) {
  return relu(name + "/relu", conv_norm(name, bottom, c), slope);
}

}  // namespace tputwin::models
