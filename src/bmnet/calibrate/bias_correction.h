// Rounded weights shift the mean of a result; the bias takes the shift back.
#pragma once

#include <bmnet/calibration.pb.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "bmnet/ir/network.h"

namespace tputwin::net {

// Mean of the values of a tensor: one per channel, or for tensors that inner products read, per
// value.
using TensorMeans = std::map<std::string, std::vector<float>, std::less<>>;

// Sums of the form above, of batches (samples in front).
class MeanCollector {
 public:
  struct Sums {
    bool per_value = false;
    std::vector<double> sums;
    double count = 0;  // of values in each
  };
  using Tensors = std::map<std::string, Sums, std::less<>>;

  explicit MeanCollector(const Network& network);
  void add(const std::string& tensor, const Blob& value);
  // Those of another unit. What no tensor of this net can have is not added: false.
  bool add(const std::string& tensor, std::span<const double> sums, double count);
  const Tensors& tensors() const { return tensors_; }
  TensorMeans means() const;

 private:
  Tensors tensors_;
};

// Biases of `quantized` anew, from the weights and biases of `network`, the same net in float.
// Their shifts stay; a bias that would saturate stays as it is.
Status correct_biases(const Network& network, const NetCalibrationParameter& table,
                      const TensorMeans& means, Network& quantized);

}  // namespace tputwin::net
