// Comparison of float tensors with int8 tensors of the same samples.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "bmnet/float/execute.h"
#include "bmnet/integers/integers.h"
#include "bmnet/reference/execute.h"

namespace tputwin::net {

// The bytes of a tensor in the int8 net: floats, or rounded by the threshold.
TensorBytes to_bytes(const Blob& blob, float threshold, bool floats);
// Value `index` of these bytes.
float value_at(const TensorBytes& bytes, size_t index, float threshold, bool floats);

// Sums over values of the float net and of the int8 net. NaN without samples.
struct Fit {
  double signal = 0, result = 0, product = 0, error = 0;

  void add(double real, double value);
  void add(std::span<const float> real, std::span<const float> values);
  // Values that are both NaN, or the same infinity, do not count. Where one alone is NaN or
  // infinite nothing agrees: -infinity dB, and a cosine of 0.
  double sqnr() const;    // 10 log10(signal / error)
  double cosine() const;  // of the angle; 1 if both are 0
};

class Comparison {
 public:
  // `network` is the int8 net. It and `integers` must outlive this object.
  Comparison(const Network& network, const std::vector<LayerIntegers>& integers);
  // Returns the outputs of the int8 net, in its order, as real values.
  Result<std::vector<std::vector<float>>> run(const std::map<std::string, Blob>& inputs) const;
  Status add(FloatExecutor& executor, const std::map<std::string, Blob>& inputs);
  double sqnr(const std::string& tensor) const;  // NaN without samples
  double cosine(const std::string& tensor) const;

 private:
  bool holds_floats(const std::string& tensor) const;
  Result<std::map<std::string, TensorBytes>> results(
      const std::map<std::string, Blob>& inputs) const;

  const Network& network_;
  const std::vector<LayerIntegers>& integers_;
  std::map<std::string, float> thresholds_;
  std::map<std::string, Fit> fits_;
};

}  // namespace tputwin::net
