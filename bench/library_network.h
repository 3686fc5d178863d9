// The convolutions and inner products of a quantized net in oneDNN: same extents, same types, the
// library's preferred layouts, in sequence. Pooling, sums of branches and changes of layout are not
// executed. The time is a lower bound for the net. As in the net, each operation reads the result
// of an earlier one, which is in the cache of the thread that wrote it. If the net has another
// operation between the two, the reader gets the largest result that is an input of it.
#pragma once

#include <cmath>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bmnet/ir/network.h"

namespace tputwin::bench {

class LibraryNetwork {
 public:
  explicit LibraryNetwork(const net::Network& network)
      : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    for (const net::TensorOp& op : network.ops) {
      if (op.type() == "tg_convolution" && !net::is_deconvolution(op))
        add_convolution(op);
      else if (op.type() == "tg_inner_product")
        add_inner_product(op);
      else
        pass_on(op);
    }
  }

  void run() {
    for (Layer& layer : layers_) layer.primitive.execute(stream_, layer.arguments);
    stream_.wait();
  }
  size_t layers() const { return layers_.size(); }
  double macs() const { return macs_; }

 private:
  using memory = dnnl::memory;
  using type = memory::data_type;

  struct Layer {
    dnnl::primitive primitive;
    std::unordered_map<int, memory> arguments;
  };

  static memory::desc any(const memory::dims& dims) {
    return {dims, type::s8, memory::format_tag::any};
  }
  // Scales results to the size usual in quantized nets; the exact scale does not affect the time.
  static dnnl::primitive_attr attributes() {
    dnnl::primitive_attr attributes;
    attributes.set_output_scales(0, {std::ldexp(1.0f, -10)});
    return attributes;
  }

  void add_convolution(const net::TensorOp& op) {
    const net::Extents in = net::extents(op.input_shape(0)), out = net::extents(op.output_shape(0));
    const net::Window2d w = net::convolution_window(op);
    const memory::dim groups = op.tg_convolution_param().group();
    memory::dims weight{out.c, in.c / groups, w.kernel_h, w.kernel_w};
    if (groups > 1) weight = {groups, out.c / groups, in.c / groups, w.kernel_h, w.kernel_w};
    const memory::desc bias({out.c}, type::s32, memory::format_tag::x);
    const dnnl::convolution_forward::desc desc(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
        any({in.n, in.c, in.h, in.w}), any(weight), bias, any({out.n, out.c, out.h, out.w}),
        {w.stride_h, w.stride_w}, {w.dilation_h - 1, w.dilation_w - 1}, {w.pad_top, w.pad_left},
        {w.pad_bottom, w.pad_right});
    const dnnl::convolution_forward::primitive_desc primitive(desc, attributes(), engine_);
    finish(op, primitive, dnnl::convolution_forward(primitive));
    const int64_t taps = int64_t{w.kernel_h} * w.kernel_w * (in.c / groups);
    macs_ += static_cast<double>(out.count() * taps);
  }

  void add_inner_product(const net::TensorOp& op) {
    const net::Extents in = net::extents(op.input_shape(0));
    const memory::dim outputs = op.tg_inner_product_param().num_output();
    const memory::dim inputs = in.c * in.h * in.w;
    const memory::desc bias({outputs}, type::s32, memory::format_tag::x);
    const dnnl::inner_product_forward::desc desc(dnnl::prop_kind::forward_inference,
                                                 any({in.n, inputs}), any({outputs, inputs}), bias,
                                                 any({in.n, outputs}));
    const dnnl::inner_product_forward::primitive_desc primitive(desc, attributes(), engine_);
    finish(op, primitive, dnnl::inner_product_forward(primitive));
    macs_ += static_cast<double>(in.n * inputs * outputs);
  }

  template <class Description>
  void finish(const net::TensorOp& op, const Description& description, dnnl::primitive primitive) {
    const memory result = noise(description.dst_desc());
    layers_.push_back({std::move(primitive),
                       {{DNNL_ARG_SRC, source(op, description.src_desc())},
                        {DNNL_ARG_WEIGHTS, noise(description.weights_desc())},
                        {DNNL_ARG_BIAS, noise(description.bias_desc())},
                        {DNNL_ARG_DST, result}}});
    results_[op.top(0)] = result;
  }
  memory noise(const memory::desc& desc) {
    memory data(desc, engine_);
    auto* bytes = static_cast<uint8_t*>(data.get_data_handle());
    for (size_t i = 0; i < desc.get_size(); ++i) bytes[i] = static_cast<uint8_t>(random_());
    return data;
  }
  // Returns the result that the operation reads. Returns noise if that result is too small or if
  // the operation reads the net's input.
  memory source(const net::TensorOp& op, const memory::desc& desc) {
    const auto found = results_.find(op.bottom(0));
    if (found == results_.end() || size(found->second) < desc.get_size()) return noise(desc);
    return {desc, engine_, found->second.get_data_handle()};
  }
  void pass_on(const net::TensorOp& op) {
    const memory* largest = nullptr;
    for (const std::string& input : op.bottom())
      if (const auto found = results_.find(input); found != results_.end())
        if (largest == nullptr || size(found->second) > size(*largest)) largest = &found->second;
    if (largest == nullptr) return;
    const memory passed = *largest;
    for (const std::string& output : op.top()) results_[output] = passed;
  }
  static size_t size(const memory& data) { return data.get_desc().get_size(); }

  dnnl::engine engine_;
  dnnl::stream stream_;
  std::minstd_rand random_;
  std::vector<Layer> layers_;
  std::unordered_map<std::string, memory> results_;  // by the tensor's name
  double macs_ = 0;
};

}  // namespace tputwin::bench
