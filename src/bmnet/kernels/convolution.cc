// tg_convolution: one convolution or depthwise command per tile. Groups are computed one after the
// other.
#include <fmt/format.h>

#include "base/errors/bmnet.h"
#include "bmnet/kernels/lower_op.h"
#include "bmnet/kernels/window_rows.h"

namespace tputwin::net {
namespace {

// Base of convolution and depthwise kernels: window, weights, bias and shift.
class WindowKernel : public Kernel {
 public:
  Window2d window;
  int right_shift = 0;
  bool has_bias = false;

  Span input_rows(size_t, Span rows) const override {
    return tile_axis(rows_of(window, inputs[0].e), rows).input;
  }
  bool accepts_rows(size_t, Span rows, Span held) const override {
    return serves(tile_axis(rows_of(window, inputs[0].e), rows), held);
  }

 protected:
  // Fills the members that have the same names in both parameter structures.
  template <class Param>
  void fill(Param& p, const Operands& o, tensor_lmem* out, tensor_lmem* in, tensor_lmem* weight,
            tensor_lmem* bias) const {
    p.ofmap = out;
    p.ifmap = in;
    p.weight = weight;
    p.bias = has_bias ? bias : nullptr;
    p.ins_h = static_cast<u8>(tile_axis(rows_of(window, inputs[0].e), o.rows).insert);
    p.ins_w = static_cast<u8>(tile_axis(columns_of(window, inputs[0].e), {0, output.e.w}).insert);
    set_window(p, window, inputs[0].e, o.rows, output.e.w);
    p.rshift_width = right_shift;
  }
};

class Convolution : public WindowKernel {
 public:
  bool can_split_channels() const override { return true; }

  void emit(Program& program, const Operands& o) const override {
    tensor_lmem out = tensor_of(o.output), in = tensor_of(o.inputs[0]);
    tensor_lmem weight = unaligned_tensor(
        o.weights[0].address, {inputs[0].e.c, o.output.e.c, window.kernel_h, window.kernel_w});
    tensor_lmem bias{};
    if (has_bias) bias = unaligned_tensor(o.weights[1].address, {2, o.output.e.c, 1, 1});
    bmk1880_conv_param_t p{};
    fill(p, o, &out, &in, &weight, &bias);
    p.dilation_h = static_cast<u8>(window.dilation_h);
    p.dilation_w = static_cast<u8>(window.dilation_w);
    program.check(bmk1880_tpu_conv(program.context(), &p));
    if (do_relu) emit_relu(program, o.output);
  }
};

class Depthwise : public WindowKernel {
 public:
  void emit(Program& program, const Operands& o) const override {
    tensor_lmem out = tensor_of(o.output), in = tensor_of(o.inputs[0]);
    tensor_lmem weight =
        aligned_tensor(o.weights[0].address, {1, o.output.e.c, window.kernel_h, window.kernel_w});
    tensor_lmem bias{};
    if (has_bias) bias = unaligned_tensor(o.weights[1].address, {2, o.output.e.c, 1, 1});
    bmk1880_depthwise_param_t p{};
    fill(p, o, &out, &in, &weight, &bias);
    program.check(bmk1880_tpu_depthwise(program.context(), &p));
    if (do_relu) emit_relu(program, o.output);
  }
};

// Converts rows [begin, end) of OC from (OC, IC, KH, KW) to (OC, KH*KW, IC).
Weight convolution_weight(std::span<const float> kernel, Span oc, int64_t ic, int64_t taps) {
  Weight w{std::vector<uint8_t>(static_cast<size_t>(oc.count() * taps * ic)),
           {1, oc.count(), taps, ic}};
  uint8_t* to = w.bytes.data();
  for (int64_t o = oc.begin; o < oc.end; ++o)
    for (int64_t k = 0; k < taps; ++k) {
      const float* from = &kernel[static_cast<size_t>(o * ic * taps + k)];
      for (int64_t i = 0; i < ic; ++i)
        *to++ = static_cast<uint8_t>(static_cast<int>(from[i * taps]));
    }
  return w;
}

}  // namespace

Result<std::vector<KernelPtr>> lower_convolution(const Network& network, const TensorOp& op,
                                                 const LayerIntegers& integers) {
  const std::vector<Blob>& blobs = network.blobs.at(op.name());
  if (Status s = check_integers(op, blobs[0], 127); !s.ok()) return s;
  const bool has_bias = op.tg_convolution_param().bias_term();
  if (has_bias)
    if (Status s = check_integers(op, blobs[1], 32767); !s.ok()) return s;
  Window2d window = convolution_window(op);
  const View in = view_of(op.bottom(0), op.input_shape(0));
  const View out = view_of(op.top(0), op.output_shape(0));
  if (Status s = fit_window(op, window, in.e, out.e); !s.ok()) return s;
  const std::vector<float> kernel = convolution_kernel(op, blobs[0]);
  const int64_t taps = int64_t{window.kernel_h} * window.kernel_w;
  const bool has_dilation = window.dilation_h > 1 || window.dilation_w > 1;
  const bool depthwise = is_depthwise(op) && !has_dilation;
  const int64_t groups = depthwise ? 1 : op.tg_convolution_param().group();

  std::vector<KernelPtr> kernels;
  for (int64_t g = 0; g < groups; ++g) {
    const Span ic{in.e.c / groups * g, in.e.c / groups * (g + 1)};
    const Span oc{out.e.c / groups * g, out.e.c / groups * (g + 1)};
    std::unique_ptr<WindowKernel> k;
    if (depthwise) {
      k = std::make_unique<Depthwise>();
      k->weights.push_back({weight_bytes(kernel),
                            {1, out.e.c, window.kernel_h, window.kernel_w},
                            Weight::Layout::aligned});
    } else {
      k = std::make_unique<Convolution>();
      k->weights.push_back(convolution_weight(kernel, oc, ic.count(), taps));
    }
    k->window = window;
    k->right_shift = integers.right_shift;
    k->has_bias = has_bias;
    if (has_bias)
      k->weights.push_back(bias_weight(
          std::span(blobs[1].data)
              .subspan(static_cast<size_t>(oc.begin), static_cast<size_t>(oc.count()))));
    k->inputs = {channels_of(in, ic)};
    k->output = channels_of(out, oc);
    k->do_relu = op.tg_convolution_param().do_activation();
    kernels.push_back(std::move(k));
  }
  return kernels;
}

// tg_scale: a 1x1 kernel per channel.
Result<std::vector<KernelPtr>> lower_scale(const Network& network, const TensorOp& op,
                                           const LayerIntegers& integers) {
  const std::vector<Blob>& blobs = network.blobs.at(op.name());
  if (Status s = check_integers(op, blobs[0], 127); !s.ok()) return s;
  const bool has_bias = op.tg_scale_param().bias_term();
  if (has_bias)
    if (Status s = check_integers(op, blobs[1], 32767); !s.ok()) return s;
  auto k = std::make_unique<Depthwise>();
  k->inputs = {channel_view(op.bottom(0), op.input_shape(0))};
  k->output = channel_view(op.top(0), op.output_shape(0));
  if (static_cast<int64_t>(blobs[0].data.size()) != k->output.e.c)
    return Error(errors::net_layer_parameter)
        .in("layer " + op.name())
        .argument("scale_param", fmt::format("{} factors", blobs[0].data.size()))
        .detail("one factor per channel is what the TPU computes");
  k->weights.push_back(
      {weight_bytes(blobs[0].data), {1, k->output.e.c, 1, 1}, Weight::Layout::aligned});
  k->has_bias = has_bias;
  if (has_bias) k->weights.push_back(bias_weight(blobs[1].data));
  k->right_shift = integers.right_shift;
  k->do_relu = op.tg_scale_param().do_activation();
  std::vector<KernelPtr> kernels;
  kernels.push_back(std::move(k));
  return kernels;
}

// tg_upsample: a depthwise convolution with a window of ones over the input with inserted zeros.
Result<std::vector<KernelPtr>> lower_upsample(const Network&, const TensorOp& op,
                                              const LayerIntegers&) {
  const auto& sizes = op.tg_upsample_param().size();
  const int h = static_cast<int>(sizes[0]), w = static_cast<int>(sizes[sizes.size() - 1]);
  auto k = std::make_unique<Depthwise>();
  k->window = {.kernel_h = h, .kernel_w = w};
  k->window.pad_top = k->window.pad_bottom = h - 1;
  k->window.pad_left = k->window.pad_right = w - 1;
  k->window.ins_h = h - 1;
  k->window.ins_w = w - 1;
  k->inputs = {view_of(op.bottom(0), op.input_shape(0))};
  k->output = view_of(op.top(0), op.output_shape(0));
  if (Status s = fit_window(op, k->window, k->inputs[0].e, k->output.e); !s.ok()) return s;
  k->weights.push_back({std::vector<uint8_t>(static_cast<size_t>(k->output.e.c * h * w), 1),
                        {1, k->output.e.c, h, w},
                        Weight::Layout::aligned});
  std::vector<KernelPtr> kernels;
  kernels.push_back(std::move(k));
  return kernels;
}

}  // namespace tputwin::net
