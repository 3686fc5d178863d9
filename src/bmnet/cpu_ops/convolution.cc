// Convolution in floats, of nets that leave the layer to the host:
//   y(n, o, h, w) = bias(o) + sum over c, i, j of weight(o, c, i, j) * x(n, c, row, column).
// The sum has the order of the kernel, so that every machine computes the same bits.
#include "bmnet/cpu_ops/operator.h"

#include "base/parallel.h"
#include "bmnet/ir/network.h"

namespace tputwin::net::cpu {
namespace {

// An axis of the window: output position o reads position (o * stride + at) / step of the input if
// that is an integer. Inserted zeros make steps of more than 1.
struct Steps {
  int64_t stride, at, step, extent;

  int64_t source(int64_t o) const {
    const int64_t position = o * stride + at;
    if (position < 0 || position % step != 0 || position / step >= extent) return -1;
    return position / step;
  }
};

// y[o] += weight * x[source(o)] for all `outputs` positions of a row.
void add_row(float weight, const float* x, float* y, const Steps& s, int64_t outputs) {
  if (s.step != 1) {
    for (int64_t o = 0; o < outputs; ++o)
      if (const int64_t from = s.source(o); from >= 0) y[o] += weight * x[from];
    return;
  }
  const int64_t first = s.at >= 0 ? 0 : (-s.at + s.stride - 1) / s.stride;
  const int64_t last = s.extent - s.at;  // the first position outside, times the stride
  const int64_t end = std::min(outputs, last <= 0 ? 0 : (last + s.stride - 1) / s.stride);
  const float* from = x + s.at;
  if (s.stride == 1)
    for (int64_t o = first; o < end; ++o) y[o] += weight * from[o];
  else
    for (int64_t o = first; o < end; ++o) y[o] += weight * from[o * s.stride];
}

struct Planes {
  const Window2d& window;
  Extents in, out;
  int64_t channels;  // of the input, that an output channel reads

  // Adds the windows of all channels to one plane of the result.
  void add(const float* x, const float* weights, float* y) const {
    for (int64_t c = 0; c < channels; ++c, x += in.h * in.w)
      for (int i = 0; i < window.kernel_h; ++i)
        for (int j = 0; j < window.kernel_w; ++j) {
          const float weight = *weights++;
          const Steps rows =
              steps(window.stride_h, i * window.dilation_h - window.pad_top, window.ins_h, in.h);
          const Steps columns =
              steps(window.stride_w, j * window.dilation_w - window.pad_left, window.ins_w, in.w);
          for (int64_t h = 0; h < out.h; ++h)
            if (const int64_t row = rows.source(h); row >= 0)
              add_row(weight, x + row * in.w, y + h * out.w, columns, out.w);
        }
  }
  static Steps steps(int stride, int at, int zeros, int64_t extent) {
    return {stride, at, zeros + 1, extent};
  }
};

}  // namespace

Status convolution(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 2));
  const auto& parameter = call.op.tg_convolution_param();
  const Window2d window = convolution_window(call.op);
  const Extents in = extents(call.op.input_shape(0)), out = extents(call.op.output_shape(0));
  const int64_t group = parameter.group();
  if (group < 1 || in.c % group != 0 || out.c % group != 0 || count(call.in[0]) != in.count() ||
      count(call.out[0]) != out.count())
    return fail(call, "input and output have whole groups of channels");
  const int64_t taps = in.c / group * window.kernel_h * window.kernel_w;
  if (count(call.in[1]) != out.c * taps || (call.in.size() > 2 && count(call.in[2]) != out.c))
    return fail(call,
                "there is a weight for each input that a result reads, and a bias for each "
                "channel");
  Blob weight{call.in[1].shape, {call.in[1].data, call.in[1].data + count(call.in[1])}};
  const std::vector<float> kernel = convolution_kernel(call.op, weight);
  const Planes planes{window, in, out, in.c / group};
  const int64_t plane = out.h * out.w, outputs = out.c / group;
  parallel_for(static_cast<size_t>(out.n * out.c), 1, [&](size_t begin, size_t end) {
    for (auto p = static_cast<int64_t>(begin); p < static_cast<int64_t>(end); ++p) {
      const int64_t n = p / out.c, o = p % out.c;
      float* y = call.out[0].data + p * plane;
      std::fill_n(y, plane, call.in.size() > 2 ? call.in[2].data[o] : 0.0f);
      const int64_t first = n * in.c + o / outputs * planes.channels;
      planes.add(call.in[0].data + first * in.h * in.w, &kernel[static_cast<size_t>(o * taps)], y);
      if (parameter.do_activation())
        for (int64_t i = 0; i < plane; ++i) y[i] = std::max(y[i], 0.0f);
    }
  });
  return {};
}

}  // namespace tputwin::net::cpu
