// Convolutions: over all input channels, by channel, and inner products as convolutions whose
// window is the whole input.
#include "bmnet/targets/bm1684x/window.h"
#include "ops/conv/weights_bm1684x.h"

namespace tputwin::net::bm1684x {
namespace {

class Convolution final : public WindowKernel {
 public:
  bool can_split_channels() const override { return true; }

  void emit(StreamProgram& program, const Operands& o) const override {
    Extents w = weights[0].e;
    w.c = o.output.e.c;
    Conv2dBm1684xFloat op{
        .out = out_view(o),
        .in = in_view(o),
        .weight = Source::tensor(compact(o.weights[0].address, w, inputs[0].type)),
        .window = window_of_tile(o)};
    if (weights.size() > 1) op.bias = compact(o.weights[1].address, {1, w.c, 1, 1}, DType::f32);
    program.add(op);
    if (do_relu) emit_relu(program, out_view(o));
  }
};

// Commands by channel round every product and every sum to the type of the input. A net of 16 bits
// computes windows in fp32 if its weights are fp32.
class Depthwise final : public WindowKernel {
 public:
  int64_t scratch_bytes(const Extents& e) const override {
    return is_widened() ? wide_bytes(input_tile(e)) + wide_bytes(e) : 0;
  }

  void emit(StreamProgram& program, const Operands& o) const override {
    const DType type = weights[0].type;
    Depthwise2dBm1684xFloat op{
        .out = out_view(o),
        .in = in_view(o),
        .weight = Source::tensor(compact(o.weights[0].address, weights[0].e, type)),
        .window = window_of_tile(o)};
    if (weights.size() > 1) op.bias = compact(o.weights[1].address, weights[1].e, type);
    if (is_widened()) {
      op.in = aligned(o.scratch, o.inputs[0].e, type);
      op.out = aligned(o.scratch + static_cast<uint32_t>(wide_bytes(input_tile(o.output.e))),
                       o.output.e, type);
      program.add(Convert{.rounding = Rounding::half_even, .out = op.in, .in = in_view(o)});
    }
    program.add(op);
    if (do_relu) emit_relu(program, op.out);
    if (is_widened())
      program.add(Convert{.rounding = Rounding::half_even, .out = out_view(o), .in = op.out});
  }

 private:
  bool is_widened() const { return weights[0].type != inputs[0].type; }
  static int64_t wide_bytes(const Extents& e) {
    return local_memory().tensor_bytes({.tensor = {}, .e = e, .type = DType::f32}, e);
  }
  // The most rows of the input that a tile holds.
  Extents input_tile(const Extents& out) const {
    const int64_t reach = int64_t{window.kernel_h - 1} * window.dilation_h + 1;
    Extents e = inputs[0].e;
    e.n = out.n;
    e.h = std::min(e.h, out.h * window.stride_h + reach);
    return e;
  }
};

// Converts rows `oc` of (OC, IC, KH, KW) to the order of commands: groups of input channels, taps,
// channels of a group. The last group is filled up with zeros.
Weight packed_kernel(std::span<const float> kernel, Span oc, int64_t ic, int64_t taps, DType type) {
  const int64_t group = target().weight_group(type), groups = ceil_div(ic, group);
  std::vector<float> packed(static_cast<size_t>(oc.count() * groups * taps * group));
  float* to = packed.data();
  for (int64_t o = oc.begin; o < oc.end; ++o)
    for (int64_t first = 0; first < ic; first += group)
      for (int64_t k = 0; k < taps; ++k, to += group)
        for (int64_t i = first; i < std::min(first + group, ic); ++i)
          to[i - first] = kernel[static_cast<size_t>((o * ic + i) * taps + k)];
  return {
      .bytes = bytes_of(packed, type), .e = {1, oc.count(), groups * taps, group}, .type = type};
}

std::span<const float> part(const Blob& blob, Span range) {
  return std::span(blob.data).subspan(static_cast<size_t>(range.begin),
                                      static_cast<size_t>(range.count()));
}

}  // namespace

Kernels lower_convolution(const Layer& layer) {
  const TensorOp& op = layer.op;
  const auto& param = op.tg_convolution_param();
  const View in = layer.input(0), out = layer.output();
  Window2d window = convolution_window(op);
  TW_RETURN_IF_ERROR(fit_window(op, window, in.e, out.e));
  const std::vector<float> kernel = convolution_kernel(op, layer.blobs()[0]);
  const int64_t taps = int64_t{window.kernel_h} * window.kernel_w;
  const bool depthwise = is_depthwise(op);
  const int64_t groups = depthwise ? 1 : param.group();
  std::vector<KernelPtr> kernels;
  for (int64_t g = 0; g < groups; ++g) {
    const Span ic{in.e.c / groups * g, in.e.c / groups * (g + 1)};
    const Span oc{out.e.c / groups * g, out.e.c / groups * (g + 1)};
    std::unique_ptr<WindowKernel> k;
    if (depthwise) {
      k = std::make_unique<Depthwise>();
      k->weights.push_back({.bytes = bytes_of(kernel, DType::f32),
                            .e = {1, out.e.c, window.kernel_h, window.kernel_w},
                            .type = DType::f32});
    } else {
      k = std::make_unique<Convolution>();
      k->weights.push_back(packed_kernel(kernel, oc, ic.count(), taps, in.type));
    }
    if (param.bias_term())
      k->weights.push_back(channel_weight(part(layer.blobs()[1], oc), DType::f32));
    k->window = window;
    k->inputs = {channels_of(in, ic)};
    k->output = channels_of(out, oc);
    k->do_relu = param.do_activation();
    kernels.push_back(std::move(k));
  }
  return kernels;
}

// A number without such a divisor stays, and is refused.
Extents window_extents(int64_t samples, int64_t length) {
  const int64_t most = chip().limits.channels;
  int64_t w = ceil_div(length, most);
  while (w < length && (length % w != 0 || length / w > most)) ++w;
  return length / w > 1 ? Extents{samples, length / w, 1, w} : Extents{samples, length, 1, 1};
}

Kernels lower_inner_product(const Layer& layer) {
  const TensorOp& op = layer.op;
  const auto& param = op.tg_inner_product_param();
  const std::vector<float> matrix = inner_product_matrix(op, layer.blobs()[0]);
  const int64_t outputs = param.num_output();
  const int64_t length = static_cast<int64_t>(matrix.size()) / outputs;
  const int64_t samples = count(op.input_shape(0)) / length;
  if (samples > kFewRows) return lower_rows_product(layer);
  // The window is the whole map if a sample is one.
  Extents in = extents(op.input_shape(0));
  if (in.c * in.h * in.w != length || in.c > chip().limits.channels)
    in = window_extents(samples, length);
  auto k = std::make_unique<Convolution>();
  k->window = {.kernel_h = static_cast<int>(in.h), .kernel_w = static_cast<int>(in.w)};
  k->inputs = {layer.input(0)};
  k->inputs[0].e = in;
  k->output = layer.output();
  k->output.e = {samples, outputs, 1, 1};
  k->weights.push_back(packed_kernel(matrix, {0, outputs}, in.c, in.h * in.w, layer.type()));
  if (param.bias_term()) k->weights.push_back(channel_weight(layer.blobs()[1].data, DType::f32));
  k->do_relu = param.do_activation();
  return one(std::move(k));
}

// A factor and a summand per channel.
Kernels lower_scale(const Layer& layer) {
  auto k = std::make_unique<Depthwise>();
  k->inputs = {layer.input(0)};
  k->output = layer.output();
  const std::vector<Blob>& blobs = layer.blobs();
  const DType type = layer.type();
  if (static_cast<int64_t>(blobs[0].data.size()) != k->output.e.c)
    return unsupported(layer.op, "factors", std::to_string(blobs[0].data.size()),
                       "one factor per channel can be compiled");
  k->weights.push_back(channel_weight(blobs[0].data, type));
  if (layer.op.tg_scale_param().bias_term())
    k->weights.push_back(channel_weight(blobs[1].data, type));
  k->do_relu = layer.op.tg_scale_param().do_activation();
  return one(std::move(k));
}

// Repeats rows and columns: a convolution by channel with a window of ones over inserted zeros.
Kernels lower_upsample(const Layer& layer) {
  const auto& sizes = layer.op.tg_upsample_param().size();
  const int h = static_cast<int>(sizes[0]), w = static_cast<int>(sizes[sizes.size() - 1]);
  auto k = std::make_unique<Depthwise>();
  k->window = upsample_window(h, w);
  k->inputs = {layer.input(0)};
  k->output = layer.output();
  TW_RETURN_IF_ERROR(fit_window(layer.op, k->window, k->inputs[0].e, k->output.e));
  const std::vector<float> ones(static_cast<size_t>(k->output.e.c * h * w), 1.0f);
  k->weights.push_back(
      {.bytes = bytes_of(ones, layer.type()), .e = {1, k->output.e.c, h, w}, .type = layer.type()});
  return one(std::move(k));
}

}  // namespace tputwin::net::bm1684x
