// Layers that multiply by weights, in integers: y = sat8(rhu(sum w*x + bias16, right_shift)). The
// blobs hold int8 weights w and int16 biases.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "bmnet/integers/choice.h"
#include "bmnet/reference/layer.h"

namespace tputwin::net {
namespace {

// Assumed mean square of int8 inputs. It balances errors of weights against errors of biases.
constexpr double kInputPower = 400;

// Returns the mean squared error, in output steps squared, of rounding the weights and clamping the
// biases at `shift`.
double error_at(int shift, double products, std::span<const float> biases, float threshold_y) {
  const double step = std::ldexp(1.0, -shift), limit = 32767 * step;
  double clamped = 0;
  for (const float bias : biases) {
    const double excess = std::fabs(bias) * 128.0 / threshold_y - limit;
    if (excess > 0) clamped += excess * excess;
  }
  if (!biases.empty()) clamped /= static_cast<double>(biases.size());
  return clamped + products * kInputPower / 12 * step * step;
}

int balance(int shift, double products, std::span<const float> biases, float threshold_y) {
  int best = shift;
  double least = error_at(shift, products, biases, threshold_y);
  for (int s = shift - 1; s >= 0; --s) {
    const double error = error_at(s, products, biases, threshold_y);
    if (error < least) {
      least = error;
      best = s;
    }
  }
  return best;
}

}  // namespace

Status choose_weighted(const IntegerChoice& layer) {
  TW_RETURN_IF_ERROR(layer.check_blobs());
  std::vector<Blob>& blobs = *layer.blobs;
  auto shift = weight_shift(blobs[0].data, layer.x(), layer.y());
  if (!shift) return layer.range(largest_magnitude(blobs[0].data) * (layer.x() / layer.y()));
  if (blobs.size() > 1) {
    const size_t channels = std::max<size_t>(1, blobs[1].data.size());
    const double products =
        static_cast<double>(blobs[0].data.size()) / static_cast<double>(channels);
    *shift = balance(*shift, products, blobs[1].data, layer.y());
    const size_t saturated = quantize_bias(blobs[1].data, layer.y(), *shift);
    if (saturated > 0 && layer.warnings != nullptr)
      layer.warnings->push_back(
          Error(errors::net_bias_saturated)
              .in("layer " + layer.op.name())
              .argument("biases", fmt::format("{} of {}", saturated, channels)));
  }
  quantize_weights(blobs[0].data, layer.x(), layer.y(), *shift);
  layer.entry.set_right_shift_width(*shift);
  return {};
}

// Reads nothing from the table: the integers of these layers are in the blobs.
void read_weighted(EntryReader&, LayerIntegers&) {}

// ---- int8 ----

namespace reference {
namespace {

// output pixels that share a read of weights
constexpr size_t kPixels = 32;

// Exact for at least 2^17 terms. Blocks of constant length let compilers use int16 dot products.
int32_t dot(const int16_t* a, const int16_t* b, size_t length) {
  constexpr size_t kBlock = 64;
  int32_t sum = 0;
  for (; length >= kBlock; length -= kBlock, a += kBlock, b += kBlock)
    for (size_t k = 0; k < kBlock; ++k) sum += int32_t{a[k]} * b[k];
  for (size_t k = 0; k < length; ++k) sum += int32_t{a[k]} * b[k];
  return sum;
}

struct Weights {
  std::vector<int16_t> rows;  // one per output channel
  size_t length = 0;          // elements of a row
  std::vector<int16_t> bias;
};

using Arrange = std::vector<float> (*)(const TensorOp& op, const Blob& weight);

// Loads the weights. `arrange` reorders them if the blob's layout differs from that of the rows.
Result<Weights> load(const Layer& layer, int64_t outputs, int64_t per_output, bool has_bias,
                     Arrange arrange) {
  const int64_t count = outputs * per_output;
  if (layer.blobs.empty()) return fail(layer.op, errors::net_missing_blob);
  auto rows = integer_blob<int8_t, int16_t>(layer, 0, count);
  if (rows.ok() && arrange != nullptr)
    rows = integers_of<int8_t, int16_t>(layer, "blob 0", arrange(layer.op, layer.blobs[0]), count);
  if (!rows.ok()) return rows.error();
  Weights result{.rows = std::move(*rows),
                 .length = static_cast<size_t>(per_output),
                 .bias = std::vector<int16_t>(static_cast<size_t>(outputs))};
  if (!has_bias) return result;
  TW_ASSIGN_OR_RETURN(bias, integer_blob<int16_t>(layer, 1, outputs));
  result.bias = std::move(bias);
  return result;
}

// Returns the position in the input for position `at` of the padded input with inserted zeros.
// Returns -1 for padding and for an inserted zero.
int64_t source(int64_t at, int64_t ins, int64_t extent) {
  if (at < 0 || at % (ins + 1) != 0) return -1;
  return at / (ins + 1) < extent ? at / (ins + 1) : -1;
}

// Gathers the inputs that output pixel (oh, ow) reads from `channels` planes, ordered by channel,
// kernel row, kernel column.
void gather(const int8_t* planes, const Extents& in, int64_t channels, const Window2d& w,
            int64_t oh, int64_t ow, int16_t* window) {
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t kh = 0; kh < w.kernel_h; ++kh) {
      const int64_t y = source(oh * w.stride_h + kh * w.dilation_h - w.pad_top, w.ins_h, in.h);
      for (int64_t kw = 0; kw < w.kernel_w; ++kw) {
        const int64_t x = source(ow * w.stride_w + kw * w.dilation_w - w.pad_left, w.ins_w, in.w);
        *window++ = y < 0 || x < 0 ? int16_t{0} : planes[(c * in.h + y) * in.w + x];
      }
    }
}

// Convolves one group of one sample: `channels` planes to `outputs` planes, with the rows of
// weights from `first` on.
void convolve(const Layer& layer, const Weights& weights, const Window2d& window, const int8_t* in,
              int8_t* out, size_t first, size_t outputs, int64_t channels) {
  const Extents from = layer.in_extents(), to = layer.out_extents();
  const auto pixels = static_cast<size_t>(to.h * to.w);
  parallel_for((pixels + kPixels - 1) / kPixels, 1, [&](size_t begin, size_t end) {
    std::vector<int16_t> windows(kPixels * weights.length);
    for (size_t p = begin * kPixels; p < std::min(end * kPixels, pixels); p += kPixels) {
      const size_t count = std::min(kPixels, pixels - p);
      for (size_t i = 0; i < count; ++i)
        gather(in, from, channels, window, static_cast<int64_t>(p + i) / to.w,
               static_cast<int64_t>(p + i) % to.w, &windows[i * weights.length]);
      for (size_t o = 0; o < outputs; ++o)
        for (size_t i = 0; i < count; ++i) {
          const int64_t sum = dot(&weights.rows[(first + o) * weights.length],
                                  &windows[i * weights.length], weights.length);
          out[o * pixels + p + i] =
              sat8(rhu(sum + weights.bias[first + o], layer.integers.right_shift));
        }
    }
  });
}

}  // namespace

Status convolution(const Layer& layer) {
  const auto& param = layer.op.tg_convolution_param();
  const Extents from = layer.in_extents(), to = layer.out_extents();
  const int64_t group = param.group();
  if (group < 1 || from.c % group != 0 || to.c % group != 0)
    return fail(layer.op, errors::net_layer_parameter).argument("group", std::to_string(group));
  const int64_t channels = from.c / group, outputs = to.c / group;
  const Window2d window = convolution_window(layer.op);
  const int64_t taps = int64_t{window.kernel_h} * window.kernel_w;
  TW_ASSIGN_OR_RETURN(weights, load(layer, to.c, channels * taps, param.bias_term(),
                                    is_deconvolution(layer.op) ? convolution_kernel : nullptr));
  for (int64_t n = 0; n < to.n; ++n)
    for (int64_t g = 0; g < group; ++g)
      convolve(layer, weights, window, layer.in() + (n * from.c + g * channels) * from.h * from.w,
               layer.out() + (n * to.c + g * outputs) * to.h * to.w,
               static_cast<size_t>(g * outputs), static_cast<size_t>(outputs), channels);
  return {};
}

Status inner_product(const Layer& layer) {
  const auto& param = layer.op.tg_inner_product_param();
  const Extents from = layer.in_extents();
  const int64_t outputs = param.num_output(), inputs = from.c * from.h * from.w;
  TW_ASSIGN_OR_RETURN(weights, load(layer, outputs, inputs, param.bias_term(),
                                    param.weight_transpose() ? nullptr : inner_product_matrix));
  std::vector<int16_t> row(weights.length);
  for (int64_t n = 0; n < from.n; ++n) {
    std::copy_n(layer.in() + n * inputs, inputs, row.begin());
    for (int64_t o = 0; o < outputs; ++o) {
      const auto at = static_cast<size_t>(o);
      const int64_t sum = dot(&weights.rows[at * weights.length], row.data(), weights.length);
      layer.out()[n * outputs + o] = sat8(rhu(sum + weights.bias[at], layer.integers.right_shift));
    }
  }
  return {};
}

}  // namespace reference
}  // namespace tputwin::net
