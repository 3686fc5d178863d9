// Comparison of float tensors with int8 tensors of the same samples.
#include "bmnet/calibrate/compare_tensors.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "bmnet/integers/rules.h"

namespace tputwin::net {

TensorBytes to_bytes(const Blob& blob, float threshold, bool floats) {
  TensorBytes bytes(blob.data.size() * (floats ? 4 : 1));
  if (floats) {
    std::memcpy(bytes.data(), blob.data.data(), bytes.size());
    return bytes;
  }
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(round_to_int8(blob.data[i] * 128.0f / threshold));
  return bytes;
}

float value_at(const TensorBytes& bytes, size_t index, float threshold, bool floats) {
  if (!floats) return static_cast<float>(static_cast<int8_t>(bytes[index])) * threshold / 128.0f;
  float value;
  std::memcpy(&value, &bytes[4 * index], 4);
  return value;
}

void Fit::add(double real, double value) {
  if ((real == value && std::isinf(real)) || (std::isnan(real) && std::isnan(value))) return;
  signal += real * real;
  result += value * value;
  product += real * value;
  error += (real - value) * (real - value);
}

void Fit::add(std::span<const float> real, std::span<const float> values) {
  for (size_t i = 0; i < std::min(real.size(), values.size()); ++i) add(real[i], values[i]);
}

double Fit::sqnr() const {
  if (signal == 0) return std::numeric_limits<double>::quiet_NaN();
  if (!std::isfinite(error)) return -std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / error);
}

double Fit::cosine() const {
  if (signal == 0 && result == 0) return 1;
  const double cosine = product / std::sqrt(signal * result);
  return std::isfinite(cosine) ? cosine : 0;
}

Comparison::Comparison(const Network& network, const std::vector<LayerIntegers>& integers)
    : network_(network), integers_(integers) {
  for (size_t i = 0; i < network.ops.size(); ++i)
    for (int t = 0; t < network.ops[i].top_size(); ++t)
      thresholds_[network.ops[i].top(t)] = integers[i].threshold_y[t];
}

bool Comparison::holds_floats(const std::string& tensor) const {
  return network_.shape_of(tensor)->data_type_size() == 4;
}

Result<std::map<std::string, TensorBytes>> Comparison::results(
    const std::map<std::string, Blob>& inputs) const {
  std::map<std::string, TensorBytes> bytes;
  for (const auto& [name, blob] : inputs)
    bytes[name] = to_bytes(blob, thresholds_.at(name), holds_floats(name));
  return run_int8(network_, integers_, bytes);
}

Result<std::vector<std::vector<float>>> Comparison::run(
    const std::map<std::string, Blob>& inputs) const {
  TW_ASSIGN_OR_RETURN(all, results(inputs));
  std::vector<std::vector<float>> outputs;
  for (const std::string& name : network_.outputs()) {
    const TensorBytes& bytes = all.at(name);
    const bool floats = holds_floats(name);
    std::vector<float>& values = outputs.emplace_back(bytes.size() / (floats ? 4 : 1));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = value_at(bytes, i, thresholds_.at(name), floats);
  }
  return outputs;
}

Status Comparison::add(FloatExecutor& executor, const std::map<std::string, Blob>& inputs) {
  TW_ASSIGN_OR_RETURN(all, results(inputs));
  auto run = executor.run(inputs, [&](const std::string& tensor, const Blob& blob) {
    const auto found = all.find(tensor);
    if (found == all.end()) return;
    const bool floats = holds_floats(tensor);
    if (found->second.size() != blob.data.size() * (floats ? 4 : 1)) return;
    const float threshold = thresholds_.at(tensor);
    Fit& fit = fits_[tensor];
    for (size_t i = 0; i < blob.data.size(); ++i)
      fit.add(blob.data[i], value_at(found->second, i, threshold, floats));
  });
  return run.status();
}

double Comparison::sqnr(const std::string& tensor) const {
  const auto found = fits_.find(tensor);
  return found == fits_.end() ? Fit().sqnr() : found->second.sqnr();
}

double Comparison::cosine(const std::string& tensor) const {
  const auto found = fits_.find(tensor);
  if (found == fits_.end() || found->second.signal == 0 || found->second.result == 0)
    return std::numeric_limits<double>::quiet_NaN();
  return found->second.cosine();
}

}  // namespace tputwin::net
