// Corrections of biases for the shift of means that rounded weights cause.
#include "bmnet/calibrate/bias_correction.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bmnet/integers/integers.h"
#include "bmnet/integers/rules.h"

namespace tputwin::net {
namespace {

bool is_correctable(const TensorOp& op) {
  if (is(op, Op::inner_product)) return op.tg_inner_product_param().weight_transpose();
  return is(op, Op::convolution) && !is_deconvolution(op);
}

// Returns the mean error of every output channel: rounded minus real weights, times the inputs'
// means.
std::vector<double> mean_errors(const TensorOp& op, const std::vector<float>& real,
                                const std::vector<float>& rounded, double unit,
                                const std::vector<float>& means, size_t outputs) {
  const bool matrix = is(op, Op::inner_product);
  const size_t row = real.size() / outputs;
  const size_t group = matrix ? 1 : op.tg_convolution_param().group();
  const size_t inputs = matrix ? row : means.size() / group;
  const size_t taps = row / inputs;
  std::vector<double> errors(outputs);
  for (size_t o = 0; o < outputs; ++o) {
    const float* mean = &means[matrix ? 0 : o / (outputs / group) * inputs];
    for (size_t i = 0; i < row; ++i) {
      const double error = rounded[o * row + i] * unit - real[o * row + i];
      errors[o] += error * mean[i / taps];
    }
  }
  return errors;
}

}  // namespace

MeanCollector::MeanCollector(const Network& network) {
  for (const TensorOp& op : network.ops)
    if (is_correctable(op)) {
      Sums& sums = tensors_[op.bottom(0)];
      sums.per_value = sums.per_value || is(op, Op::inner_product);
    }
  for (auto& [tensor, sums] : tensors_) {
    const TensorShape& shape = *network.shape_of(tensor);
    const Extents e = extents(shape);
    if (shape.dim_size() > 0)
      sums.sums.resize(count(shape) / (e.n * (sums.per_value ? 1 : e.h * e.w)));
  }
}

void MeanCollector::add(const std::string& tensor, const Blob& value) {
  const auto found = tensors_.find(tensor);
  if (found == tensors_.end() || found->second.sums.empty()) return;
  Sums& sums = found->second;
  const size_t values = sums.sums.size(), n = extents(make_shape(value.shape)).n;
  const size_t inner = value.data.size() / (n * values);
  for (size_t p = 0; p < values * n; ++p) {
    double sum = 0;
    for (size_t i = 0; i < inner; ++i)
      if (const float x = value.data[p * inner + i]; std::isfinite(x)) sum += x;
    sums.sums[p % values] += sum;
  }
  sums.count += static_cast<double>(n * inner);
}

bool MeanCollector::add(const std::string& tensor, std::span<const double> sums, double count) {
  const auto found = tensors_.find(tensor);
  if (found == tensors_.end()) return sums.empty();
  Sums& own = found->second;
  if (own.sums.size() != sums.size()) return false;
  if (sums.empty()) return true;
  const auto has_mean = [&](double sum) {
    return std::fabs(sum) <= count * std::numeric_limits<float>::max();
  };
  if (!(count >= 1 && count <= 0x1p53) || !std::ranges::all_of(sums, has_mean)) return false;
  for (size_t i = 0; i < sums.size(); ++i) own.sums[i] += sums[i];
  own.count += count;
  return true;
}

TensorMeans MeanCollector::means() const {
  TensorMeans means;
  for (const auto& [tensor, sums] : tensors_)
    for (const double sum : sums.sums)
      means[tensor].push_back(static_cast<float>(sum / sums.count));
  return means;
}

Status correct_biases(const Network& network, const NetCalibrationParameter& table,
                      const TensorMeans& means, Network& quantized) {
  TW_ASSIGN_OR_RETURN(integers, resolve(quantized, table));
  for (size_t i = 0; i < network.ops.size(); ++i) {
    const TensorOp& op = network.ops[i];
    const auto real = network.blobs.find(op.name());
    const bool is_corrected = is_correctable(op) && !is_left_to_host(quantized.ops[i]);
    const auto mean = is_corrected ? means.find(op.bottom(0)) : means.end();
    if (mean == means.end() || real == network.blobs.end() || real->second.size() < 2) continue;
    std::vector<Blob>& rounded = quantized.blobs.find(op.name())->second;
    const size_t inputs = is(op, Op::inner_product)
                              ? real->second[0].data.size() / real->second[1].data.size()
                              : extents(op.input_shape(0)).c;
    if (mean->second.size() != inputs) continue;  // read per value by another layer
    const LayerIntegers& layer = integers[i];
    const float y = layer.threshold_y[0];
    const double unit =
        std::ldexp(static_cast<double>(y) / layer.threshold_x[0], -layer.right_shift);
    const std::vector<float>& biases = real->second[1].data;
    const auto errors =
        mean_errors(op, real->second[0].data, rounded[0].data, unit, mean->second, biases.size());
    for (size_t o = 0; o < biases.size(); ++o) {
      std::vector<float> bias{biases[o] - static_cast<float>(errors[o])};
      if (quantize_bias(bias, y, layer.right_shift) == 0) rounded[1].data[o] = bias[0];
    }
  }
  return {};
}

}  // namespace tputwin::net
