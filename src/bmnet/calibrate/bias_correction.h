// Bias correction: rounded weights shift the mean of a result, and the bias compensates the shift.
#pragma once

#include <bmnet/calibration.pb.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "bmnet/ir/network.h"

namespace tputwin::net {

// Means of tensors: one value per channel, or one per value if inner products read the tensor.
using TensorMeans = std::map<std::string, std::vector<float>, std::less<>>;

// Accumulator of the sums for these means. Samples are along axis 0 of each batch.
class MeanCollector {
 public:
  struct Sums {
    bool per_value = false;
    std::vector<double> sums;
    double count = 0;  // number of values in each sum
  };
  using Tensors = std::map<std::string, Sums, std::less<>>;

  explicit MeanCollector(const Network& network);
  void add(const std::string& tensor, const Blob& value);
  // Adds the sums of another unit. Returns false, and adds nothing, if this net cannot have such
  // sums.
  bool add(const std::string& tensor, std::span<const double> sums, double count);
  const Tensors& tensors() const { return tensors_; }
  TensorMeans means() const;

 private:
  Tensors tensors_;
};

// Recomputes the biases of `quantized` from the weights and biases of `network`, the same net in
// float. Shifts do not change. A bias that would saturate does not change either.
Status correct_biases(const Network& network, const NetCalibrationParameter& table,
                      const TensorMeans& means, Network& quantized);

}  // namespace tputwin::net
