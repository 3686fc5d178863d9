// Parts of convolutions.
#include "bmnet/targets/bm1684x/products/convolution_parts.h"

#include "ops/conv/weights_bm1684x.h"

namespace tputwin::net::bm1684x {
namespace {

std::span<const float> part_of(std::span<const float> values, Span range) {
  return values.subspan(static_cast<size_t>(range.begin), static_cast<size_t>(range.count()));
}

std::span<const float> part_of_any(std::span<const float> values, Span range) {
  return values.empty() ? values : part_of(values, range);
}

std::span<const float> means_of_input(const Layer& layer) {
  const auto found = layer.types.means.find(layer.op.bottom(0));
  return found == layer.types.means.end() ? std::span<const float>()
                                          : std::span<const float>(found->second);
}

}  // namespace

// A number without such a divisor stays, and is refused.
Extents window_extents(int64_t samples, int64_t length) {
  const int64_t most = chip().limits.channels;
  int64_t w = ceil_div(length, most);
  while (w < length && (length % w != 0 || length / w > most)) ++w;
  return length / w > 1 ? Extents{samples, length / w, 1, w} : Extents{samples, length, 1, 1};
}

void ConvolutionParts::set(WindowKernel& k, const ConvolutionPart& part) const {
  k.window = window;
  k.inputs = {part.input};
  k.output = part.output;
  k.do_relu = do_relu;
}

Result<ConvolutionParts> convolution_parts(const Layer& layer) {
  const TensorOp& op = layer.op;
  const auto& param = op.tg_convolution_param();
  const View in = layer.input(0), out = layer.output();
  ConvolutionParts all{.kernel = convolution_kernel(op, layer.blobs()[0]),
                       .input = in,
                       .output = out,
                       .biases = {},
                       .means = {},
                       .window = convolution_window(op),
                       .by_channel = is_depthwise(op),
                       .do_relu = param.do_activation()};
  TW_RETURN_IF_ERROR(fit_window(op, all.window, in.e, out.e));
  const int64_t groups = all.by_channel ? 1 : param.group();
  if (param.bias_term()) all.biases = layer.blobs()[1].data;
  const std::span<const float> means = means_of_input(layer);
  if (static_cast<int64_t>(means.size()) == in.e.c) all.means = means;
  const int64_t size = static_cast<int64_t>(all.kernel.size()) / groups;
  for (int64_t g = 0; g < groups; ++g) {
    const auto share = [&](int64_t count) {
      return Span{count / groups * g, count / groups * (g + 1)};
    };
    const Span oc = share(out.e.c);
    all.parts.push_back({.input = channels_of(in, share(in.e.c)),
                         .output = channels_of(out, oc),
                         .kernel = part_of(all.kernel, {size * g, size * (g + 1)}),
                         .biases = part_of_any(all.biases, oc),
                         .means = part_of_any(all.means, share(in.e.c))});
  }
  return all;
}

ConvolutionParts inner_product_parts(const Layer& layer) {
  const TensorOp& op = layer.op;
  const auto& param = op.tg_inner_product_param();
  ConvolutionParts all{.kernel = inner_product_matrix(op, layer.blobs()[0]),
                       .input = layer.input(0),
                       .output = layer.output(),
                       .biases = {},
                       .means = {},
                       .window = {},
                       .do_relu = param.do_activation()};
  const int64_t outputs = param.num_output();
  const int64_t length = static_cast<int64_t>(all.kernel.size()) / outputs;
  Extents in = extents(op.input_shape(0));
  const int64_t samples = in.count() / length;
  if (in.c * in.h * in.w != length || in.c > chip().limits.channels)
    in = window_extents(samples, length);
  all.window.kernel_h = static_cast<int>(in.h);
  all.window.kernel_w = static_cast<int>(in.w);
  ConvolutionPart part{
      .input = all.input, .output = all.output, .kernel = all.kernel, .biases = {}, .means = {}};
  part.input.e = in;
  part.output.e = {samples, outputs, 1, 1};
  if (param.bias_term()) part.biases = layer.blobs()[1].data;
  const std::span<const float> means = means_of_input(layer);
  if (static_cast<int64_t>(means.size()) == length) part.means = means;
  all.parts.push_back(std::move(part));
  return all;
}

PackedKernel packed_kernel(const ConvolutionPart& part, int64_t taps, DType type) {
  const int64_t ic = part.input_channels(), oc = part.output_channels();
  const int64_t group = target().weight_group(type), groups = ceil_div(ic, group);
  PackedKernel packed{std::vector<float>(static_cast<size_t>(oc * groups * taps * group)),
                      {1, oc, groups * taps, group}};
  float* to = packed.values.data();
  for (int64_t o = 0; o < oc; ++o)
    for (int64_t first = 0; first < ic; first += group)
      for (int64_t k = 0; k < taps; ++k, to += group)
        for (int64_t i = first; i < std::min(first + group, ic); ++i)
          to[i - first] = part.kernel[static_cast<size_t>((o * ic + i) * taps + k)];
  return packed;
}

}  // namespace tputwin::net::bm1684x
