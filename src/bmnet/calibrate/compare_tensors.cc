// Comparison of float tensors with int8 tensors of the same samples.
#include "bmnet/calibrate/compare_tensors.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "bmnet/integers/rules.h"
#include "bmnet/reference/execute.h"

namespace tputwin::net {
namespace {

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

}  // namespace

Comparison::Comparison(const Network& network, const std::vector<LayerIntegers>& integers)
    : network_(network), integers_(integers) {
  for (size_t i = 0; i < network.ops.size(); ++i)
    for (int t = 0; t < network.ops[i].top_size(); ++t)
      thresholds_[network.ops[i].top(t)] = integers[i].threshold_y[t];
}

Status Comparison::add(FloatExecutor& executor, const std::map<std::string, Blob>& inputs) {
  const auto holds_floats = [&](const std::string& tensor) {
    return network_.shape_of(tensor)->data_type_size() == 4;
  };
  std::map<std::string, TensorBytes> bytes;
  for (const auto& [name, blob] : inputs)
    bytes[name] = to_bytes(blob, thresholds_.at(name), holds_floats(name));
  TW_ASSIGN_OR_RETURN(results, run_int8(network_, integers_, bytes));
  auto run = executor.run(inputs, [&](const std::string& tensor, const Blob& blob) {
    const bool floats = holds_floats(tensor);
    const auto found = results.find(tensor);
    if (found == results.end() || found->second.size() != blob.data.size() * (floats ? 4 : 1))
      return;
    const float threshold = thresholds_.at(tensor);
    Sums& sums = sums_[tensor];
    for (size_t i = 0; i < blob.data.size(); ++i) {
      const double x = blob.data[i], y = value_at(found->second, i, threshold, floats);
      sums.signal += x * x;
      sums.result += y * y;
      sums.product += x * y;
      sums.error += (x - y) * (x - y);
    }
  });
  return run.status();
}

double Comparison::sqnr(const std::string& tensor) const {
  const auto found = sums_.find(tensor);
  if (found == sums_.end() || found->second.signal == 0)
    return std::numeric_limits<double>::quiet_NaN();
  return 10 * std::log10(found->second.signal / found->second.error);
}

double Comparison::cosine(const std::string& tensor) const {
  const auto found = sums_.find(tensor);
  if (found == sums_.end() || found->second.signal == 0 || found->second.result == 0)
    return std::numeric_limits<double>::quiet_NaN();
  return found->second.product / std::sqrt(found->second.signal * found->second.result);
}

}  // namespace tputwin::net
