// Float weights and thresholds to int8 weights and the table that goes with them.
#include "bmnet/quantize/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors/bmnet.h"
#include "bmnet/integers/integers.h"
#include "bmnet/integers/lrn.h"
#include "bmnet/integers/rules.h"
#include "bmnet/integers/thresholds.h"

namespace tputwin::net {
namespace {

using Entry = LayerCalibrationParameter;

// One layer and where its numbers go.
struct Layer {
  const TensorOp& op;
  const LayerThresholds& thresholds;
  std::vector<Blob>* blobs;  // nullptr: none
  Entry& entry;

  float x(int i = 0) const { return thresholds.x.at(i); }
  float y() const { return thresholds.y.at(0); }
  Error range(float ratio) const {
    return Error(errors::net_weight_range)
        .in("layer " + op.name())
        .argument("max|w| * T_x / T_y", fmt::format("{}", ratio))
        .detail(fmt::format("T_x = {}, T_y = {}", thresholds.x.empty() ? 0 : x(), y()));
  }
};

// Mean square of int8 inputs that the choice between weights and biases assumes.
constexpr double kInputPower = 400;

// What rounding the weights and clamping the biases cost at `shift`, in output steps squared.
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

Status quantize_weighted(const Layer& layer, std::vector<Error>* warnings) {
  if (layer.blobs == nullptr || layer.blobs->empty())
    return Error(errors::net_missing_blob).in("layer " + layer.op.name()).argument("blob", "0");
  std::vector<Blob>& blobs = *layer.blobs;
  auto shift = weight_shift(blobs[0].data, layer.x(), layer.y());
  if (!shift) return layer.range(largest_magnitude(blobs[0].data) * (layer.x() / layer.y()));
  if (blobs.size() > 1) {
    const size_t channels = std::max<size_t>(1, blobs[1].data.size());
    const double products =
        static_cast<double>(blobs[0].data.size()) / static_cast<double>(channels);
    *shift = balance(*shift, products, blobs[1].data, layer.y());
    const size_t saturated = quantize_bias(blobs[1].data, layer.y(), *shift);
    if (saturated > 0 && warnings != nullptr)
      warnings->push_back(Error(errors::net_bias_saturated)
                              .in("layer " + layer.op.name())
                              .argument("biases", fmt::format("{} of {}", saturated, channels)));
  }
  quantize_weights(blobs[0].data, layer.x(), layer.y(), *shift);
  layer.entry.set_right_shift_width(*shift);
  return {};
}

Status quantize_pooling(const Layer& layer) {
  const auto& p = layer.op.tg_pooling_param();
  float ratio = layer.x() / layer.y();
  if (p.pool() == ::bmnet::TGPoolingParameter::AVE) {
    const Window2d window = pooling_window(layer.op);
    ratio = average_ratio(layer.x(), layer.y(), window.kernel_h, window.kernel_w);
  }
  if (!(ratio < 256)) return layer.range(ratio);
  const Multiplier rescale = unsigned_multiplier(ratio);
  layer.entry.add_threshold_x_quantized(rescale.multiplier);
  layer.entry.set_right_shift_width(rescale.shift);
  return {};
}

Status quantize_leaky(const Layer& layer) {
  const float ratio = layer.x() / layer.y();
  const float slope = layer.op.tg_activation_param().activation_arg(0);
  const auto gt = signed_multiplier(ratio), le = signed_multiplier(slope * ratio);
  if (!gt || !le) return layer.range(std::max(1.0f, std::fabs(slope)) * ratio);
  auto& p = *layer.entry.mutable_relu_param();
  p.set_gt_scale(gt->multiplier);
  p.set_gt_right_shift_width(gt->shift);
  p.set_le_scale(le->multiplier);
  p.set_le_right_shift_width(le->shift);
  return {};
}

Status quantize_prelu(const Layer& layer) {
  if (layer.blobs == nullptr || layer.blobs->empty())
    return Error(errors::net_missing_blob).in("layer " + layer.op.name()).argument("blob", "0");
  std::vector<float>& slopes = layer.blobs->at(0).data;
  const auto gt = signed_multiplier(layer.x() / layer.y());
  const auto le = weight_shift(slopes, layer.x(), layer.y());
  if (!gt || !le)
    return layer.range(std::max(1.0f, largest_magnitude(slopes)) * (layer.x() / layer.y()));
  quantize_weights(slopes, layer.x(), layer.y(), *le);
  auto& p = *layer.entry.mutable_prelu_param();
  p.set_gt_scale(gt->multiplier);
  p.set_gt_right_shift_width(gt->shift);
  p.set_le_right_shift_width(*le);
  return {};
}

Status quantize_eltwise(const Layer& layer) {
  const auto& p = layer.op.tg_eltwise_param();
  std::optional<EltwiseMultipliers> result;
  if (p.operation() == ::bmnet::TGEltwiseParameter::PROD) {
    if (layer.thresholds.x.size() != 2)
      return Error(errors::net_bottom_count).in("layer " + layer.op.name());
    result = eltwise_product(layer.x(0), layer.x(1), layer.y());
  } else {
    const std::vector<float> coefficients(p.coeff().begin(), p.coeff().end());
    const bool sum = p.operation() == ::bmnet::TGEltwiseParameter::SUM;
    result = eltwise_sum(sum ? coefficients : std::vector<float>{}, layer.thresholds.x, layer.y());
  }
  if (!result) return layer.range(*std::ranges::max_element(layer.thresholds.x) / layer.y());
  for (const int multiplier : result->multiplier) layer.entry.add_threshold_x_quantized(multiplier);
  layer.entry.set_right_shift_width(result->shift);
  return {};
}

Status quantize_concat(const Layer& layer) {
  const auto differs = [&](float x) { return x != layer.y(); };
  const auto count = std::ranges::count_if(layer.thresholds.x, differs);
  auto& p = *layer.entry.mutable_concat_param();
  p.set_need_quantize_num(static_cast<int>(count));
  if (count == 0) return {};
  for (const float x : layer.thresholds.x) {
    if (!(x / layer.y() < 256)) return layer.range(x / layer.y());
    const Multiplier rescale = unsigned_multiplier(x / layer.y());
    p.add_threshold_x_quantized(rescale.multiplier);
    p.add_right_shift_width(rescale.shift);
  }
  return {};
}

void quantize_lrn(const Layer& layer, const Entry* given) {
  float sum_threshold = 0;
  if (given != nullptr)
    for (const BlobParameter& blob : given->blob_param())
      if (blob.name() == kSumOfSquares) sum_threshold = blob.threshold_y();
  const auto& p = layer.op.tg_lrn_param();
  const LrnIntegers integers = choose_lrn(p, layer.x(), layer.y(), sum_threshold);
  layer.entry.add_threshold_x_quantized(integers.sum_multiplier);
  layer.entry.add_threshold_x_quantized(1);
  layer.entry.set_right_shift_width(integers.right_shift);
  BlobParameter& sum = *layer.entry.add_blob_param();
  sum.set_name(kSumOfSquares);
  sum.set_threshold_y(sum_threshold > 0
                          ? sum_threshold
                          : layer.x() * layer.x() * static_cast<float>(p.local_size()));
  sum.set_right_shift_width(integers.sum_shift);
}

Status quantize_layer(const Layer& layer, const Entry* given, std::vector<Error>* warnings) {
  if (has_trait(layer.op, trait::weighted)) return quantize_weighted(layer, warnings);
  if (is(layer.op, Op::pooling)) return quantize_pooling(layer);
  if (is_leaky_relu(layer.op)) return quantize_leaky(layer);
  if (is(layer.op, Op::prelu)) return quantize_prelu(layer);
  if (is(layer.op, Op::eltwise)) return quantize_eltwise(layer);
  if (is(layer.op, Op::concat)) return quantize_concat(layer);
  if (is(layer.op, Op::lrn)) quantize_lrn(layer, given);
  return {};
}

// The layer's entry in the new table: ops of one Caffe layer (inputs with several tops) share it.
Entry& entry_of(NetCalibrationParameter& table, const TensorOp& op) {
  const std::string& id = op.calib_id().empty() ? op.name() : op.calib_id();
  for (Entry& entry : *table.mutable_layer())
    if (entry.name() == id) return entry;
  Entry& entry = *table.add_layer();
  entry.set_name(id);
  return entry;
}

bool has_fraction(const Blob& blob) {
  // Counted without a branch, a block at a time, which the compiler turns into vectors.
  constexpr size_t kBlock = 4096;
  for (size_t begin = 0; begin < blob.data.size(); begin += kBlock) {
    const size_t end = std::min(begin + kBlock, blob.data.size());
    unsigned fractions = 0;
    for (size_t i = begin; i < end; ++i)
      fractions += blob.data[i] != std::trunc(blob.data[i]) ? 1 : 0;
    if (fractions != 0) return true;
  }
  return false;
}

}  // namespace

bool has_float_weights(const Network& network) {
  return std::ranges::any_of(network.ops, [&](const TensorOp& op) {
    if (!has_trait(op, trait::integer_blobs)) return false;
    const auto blobs = network.blobs.find(op.name());
    return blobs != network.blobs.end() && std::ranges::any_of(blobs->second, has_fraction);
  });
}

Result<NetCalibrationParameter> quantize(Network& network,
                                         const NetCalibrationParameter& thresholds,
                                         std::vector<Error>* warnings) {
  TW_ASSIGN_OR_RETURN(all, resolve_thresholds(network, thresholds));
  NetCalibrationParameter table;
  table.set_name(network.name);
  for (size_t i = 0; i < network.ops.size(); ++i) {
    const TensorOp& op = network.ops[i];
    if (is(op, Op::end)) continue;
    Entry& entry = entry_of(table, op);
    for (int t = 0; t < op.top_size(); ++t) {
      entry.add_threshold_y(all[i].y[t]);
      BlobParameter& blob = *entry.add_blob_param();
      blob.set_name(network.blob_name(op.top(t)));
      blob.set_threshold_y(all[i].y[t]);
      entry.add_top_unsigned(false);
    }
    for (int b = 0; b < op.bottom_size(); ++b) entry.add_bottom_unsigned(false);
    const auto blobs = network.blobs.find(op.name());
    const Layer layer{op, all[i], blobs == network.blobs.end() ? nullptr : &blobs->second, entry};
    TW_RETURN_IF_ERROR(quantize_layer(layer, find_entry(thresholds, op), warnings));
  }
  return table;
}

}  // namespace tputwin::net
