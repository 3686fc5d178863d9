// Layers of more channels than a command, or than the weights in a lane have space for.
#include <algorithm>

#include "bmnet/lowering/window_rows.h"
#include "bmnet/targets/bm1684x/lower.h"
#include "bmnet/targets/bm1684x/target.h"
#include "bmnet/targets/bm1684x/windows/layer_parts.h"
#include "bmnet/targets/bm1684x/windows/long_rows.h"

namespace tputwin::net::bm1684x {
namespace {

constexpr int64_t kMostNormalized = 1024;  // channels that one matrix of squares sums
constexpr int64_t kNormalizedRange = 512;

// Few enough for weights and a row of bytes, in whole units, beside each other.
int64_t channels_of_range() {
  constexpr int64_t kMost = 16384;
  return std::min<int64_t>(kMost, chip().limits.channels / chip().lanes * chip().lanes);
}

int64_t row_bytes(int64_t channels, int64_t elements, DType type) {
  return ceil_div(channels, chip().lanes) *
         align_up_to(elements * element_bytes(type), chip().eu_bytes);
}

// LaneNeeds is what one group of a convolution needs with some of its input channels.
struct LaneNeeds {
  int64_t bytes = 0;   // in a lane: weights of one output channel, a row of input and of output
  int64_t groups = 0;  // rows of the weights' tensor
  int64_t channels = 0;
  int64_t rows = 0;  // bytes without weights

  bool fit(int64_t lane_bytes) const {
    return bytes <= lane_bytes && groups <= chip().limits.extent &&
           channels <= chip().limits.channels;
  }
};

LaneNeeds needs_of_convolution(const TensorOp& op, DType type, int64_t channels) {
  const Window2d w = convolution_window(op);
  const Extents in = extents(op.input_shape(0)), out = extents(op.output_shape(0));
  const int64_t group = type == DType::i8 && target().packing() != nullptr
                            ? 4
                            : static_cast<int64_t>(target().weight_group(type));
  const int64_t groups = ceil_div(channels, group) * w.kernel_h * w.kernel_w;
  const int64_t rows = std::min<int64_t>(in.h, int64_t{w.kernel_h - 1} * w.dilation_h + 1);
  const int64_t rows_bytes =
      row_bytes(channels, rows * in.w, type) + row_bytes(1, out.w, DType::f32);
  return {groups * group * element_bytes(type) + rows_bytes, groups, channels, rows_bytes};
}

int64_t group_of(const TensorOp& op) { return op.tg_convolution_param().group(); }

// Weights of a range of input channels. A deconvolution has inputs before outputs.
std::vector<float> weights_of_inputs(const TensorOp& op, const std::vector<float>& all,
                                     int64_t inputs, int64_t outputs, Span range) {
  const auto taps = static_cast<int64_t>(all.size()) / (inputs * outputs);
  if (is_deconvolution(op))
    return {all.begin() + range.begin * outputs * taps, all.begin() + range.end * outputs * taps};
  std::vector<float> part;
  for (int64_t o = 0; o < outputs; ++o) {
    const auto row = all.begin() + o * inputs * taps;
    part.insert(part.end(), row + range.begin * taps, row + range.end * taps);
  }
  return part;
}

PartTensor channels_of(LayerParts& parts, const PartTensor& x, Span range) {
  std::vector<int64_t> to = x.dims;
  to[1] = range.count();
  return parts.crop(x, {0, range.begin, 0, 0}, to);
}

// Returns the convolution with other channels, without its ReLU.
TensorOp convolution_like(const TensorOp& whole, int64_t outputs, int64_t group) {
  TensorOp op;
  set_type(op, Op::convolution);
  *op.mutable_tg_convolution_param() = whole.tg_convolution_param();
  op.mutable_tg_convolution_param()->set_group(static_cast<uint32_t>(group));
  op.mutable_tg_convolution_param()->set_do_activation(false);
  op.set_cpu_op(whole.cpu_op());
  *op.add_output_shape() = make_shape({1, outputs, 1, 1});
  return op;
}

std::vector<float> range_of(const std::vector<float>& values, Span range) {
  return {values.begin() + range.begin, values.begin() + range.end};
}

}  // namespace

PartTensor add_parts(LayerParts& parts, const PartTensor& a, const PartTensor& b) {
  TensorOp op;
  set_type(op, Op::arithmetic);
  op.mutable_tg_arithmetic_param()->set_operation(::bmnet::TGArithmeticParameter::ADD);
  const PartTensor y = parts.add(std::move(op), {a, b});
  parts.set_fp32(y);
  return y;
}

PartTensor rectified(LayerParts& parts, const PartTensor& x, bool is_rectified) {
  if (!is_rectified) return x;
  TensorOp op;
  set_type(op, Op::activation);
  op.mutable_tg_activation_param()->set_activation(::bmnet::RELU);
  const PartTensor y = parts.add(std::move(op), {x});
  parts.set_fp32(y);
  return y;
}

// Rows that are too long for a lane are divided into columns.
bool is_heavy_convolution(const TensorOp& op, DType type) {
  if (!is(op, Op::convolution) || is_depthwise(op)) return false;
  const int64_t channels = extents(op.input_shape(0)).c / group_of(op);
  return channels > 1 && needs_of_convolution(op, type, 1).rows <= chip().lane_bytes &&
         !needs_of_convolution(op, type, channels).fit(chip().lane_bytes);
}

// Groups become convolutions of their own. Others become sums of convolutions, each of some input
// channels, that take half of a lane.
PartTensor fit_heavy_convolution(LayerParts& parts, DType type) {
  const TensorOp& op = parts.whole();
  const bool is_relu = op.tg_convolution_param().do_activation();
  const int64_t groups = group_of(op);
  const int64_t inputs = extents(op.input_shape(0)).c / groups;
  const int64_t outputs = extents(op.output_shape(0)).c / groups;
  const std::vector<Blob>& all = parts.blobs();
  const auto convolve = [&](int64_t g, Span range, bool has_bias) {
    const auto size = static_cast<int64_t>(all[0].data.size()) / groups;
    const std::vector<float> own = range_of(all[0].data, {size * g, size * (g + 1)});
    TensorOp made = convolution_like(op, outputs, 1);
    made.mutable_tg_convolution_param()->set_bias_term(has_bias);
    std::vector<Blob> blobs{all[0]};
    blobs[0].data = weights_of_inputs(op, own, inputs, outputs, range);
    blobs[0].shape[0] = is_deconvolution(op) ? range.count() : outputs;
    blobs[0].shape[1] = is_deconvolution(op) ? outputs : range.count();
    if (has_bias)
      blobs.push_back({{outputs}, range_of(all[1].data, {outputs * g, outputs * (g + 1)})});
    const Span channels{inputs * g + range.begin, inputs * g + range.end};
    const PartTensor y =
        parts.add(std::move(made), {channels_of(parts, parts.input(), channels)}, std::move(blobs));
    parts.set_partial_sum(y);
    return y;
  };
  const bool has_bias = op.tg_convolution_param().bias_term();
  std::vector<PartTensor> results;
  if (groups > 1) {
    for (int64_t g = 0; g < groups; ++g) results.push_back(convolve(g, {0, inputs}, has_bias));
    return rectified(parts, parts.concat(results, 1), is_relu);
  }
  int64_t count = 2;
  while (count < inputs &&
         !needs_of_convolution(op, type, ceil_div(inputs, count)).fit(chip().lane_bytes / 2))
    ++count;
  const int64_t most = ceil_div(inputs, count);
  PartTensor sum;
  for (int64_t i = 0; i < inputs; i += most) {
    const PartTensor part = convolve(0, {i, std::min(i + most, inputs)}, has_bias && i == 0);
    sum = i == 0 ? part : add_parts(parts, sum, part);
  }
  return rectified(parts, sum, is_relu);
}

// ---- Layers that compute each channel alone ----

bool has_too_many_channels(const TensorOp& op) {
  if (op.bottom_size() != 1 || op.input_shape(0).dim_size() < 2) return false;
  // The rows of other matrices are their channels (view_extents()), but for slopes.
  const bool is_matrix = op.input_shape(0).dim_size() == 2 && op.input_shape(0).dim(0) > kFewRows;
  if (is_matrix && !is(op, Op::prelu)) return false;
  const int64_t channels = op.input_shape(0).dim(1);
  if (is(op, Op::lrn)) return channels > kMostNormalized;
  const bool is_alone = is(op, Op::scale) || is(op, Op::prelu) || is(op, Op::pooling) ||
                        is(op, Op::upsample) || is(op, Op::resample) || is(op, Op::interp) ||
                        (is(op, Op::convolution) && is_depthwise(op));
  return is_alone && channels > chip().limits.channels;
}

PartTensor fit_channel_ranges(LayerParts& parts) {
  const TensorOp& whole = parts.whole();
  const int64_t channels = whole.input_shape(0).dim(1), most = channels_of_range();
  std::vector<PartTensor> results;
  for (int64_t c = 0; c < channels; c += most) {
    const Span range{c, std::min(c + most, channels)};
    TensorOp op;
    if (is(whole, Op::convolution)) {
      op = convolution_like(whole, range.count(), range.count());
    } else if (is(whole, Op::resample) || is(whole, Op::interp)) {
      set_type(op, Op::resample);
      *op.mutable_tg_resample_param() = sums_of(whole);
    } else {
      op = whole;
      op.clear_calib_id();
      for (auto* list : {op.mutable_bottom(), op.mutable_top()}) list->Clear();
      op.clear_input_shape();
      op.clear_output_shape();
      if (is(op, Op::pooling) || is(op, Op::upsample)) {
        *op.add_output_shape() = whole.output_shape(0);
        op.mutable_output_shape(0)->set_dim(1, range.count());
      }
      op.mutable_tg_scale_param()->set_do_activation(false);
      if (!is(op, Op::scale)) op.clear_tg_scale_param();
    }
    std::vector<Blob> blobs = parts.copied_blobs();
    for (Blob& blob : blobs) {
      const auto size = static_cast<int64_t>(blob.data.size()) / channels;
      if (size == 0) continue;  // one for all channels
      blob.data = range_of(blob.data, {range.begin * size, range.end * size});
      blob.shape[blob.shape.size() > 1 && blob.shape[0] == 1 ? 1 : 0] = range.count();
    }
    results.push_back(
        parts.add(std::move(op), {channels_of(parts, parts.input(), range)}, std::move(blobs)));
  }
  const bool is_relu =
      whole.tg_scale_param().do_activation() || whole.tg_convolution_param().do_activation();
  return rectified(parts, parts.concat(results, 1), is_relu);
}

// ---- Normalization ----

// Channels are normalized with the neighbours on both sides.
PartTensor fit_many_normalized(LayerParts& parts) {
  const TensorOp& whole = parts.whole();
  const int64_t channels = whole.input_shape(0).dim(1);
  const int64_t reach = whole.tg_lrn_param().local_size();
  std::vector<PartTensor> results;
  for (int64_t c = 0; c < channels; c += kNormalizedRange) {
    const Span wanted{c, std::min(c + kNormalizedRange, channels)};
    const Span read{std::max<int64_t>(0, wanted.begin - reach),
                    std::min(channels, wanted.end + reach)};
    TensorOp op;
    set_type(op, Op::lrn);
    *op.mutable_tg_lrn_param() = whole.tg_lrn_param();
    const PartTensor y = parts.add(std::move(op), {channels_of(parts, parts.input(), read)});
    results.push_back(channels_of(parts, y, {wanted.begin - read.begin, wanted.end - read.begin}));
  }
  return parts.concat(results, 1);
}

}  // namespace tputwin::net::bm1684x
