// Comparison of float tensors with int8 tensors of the same samples.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bmnet/float/execute.h"
#include "bmnet/integers/integers.h"

namespace tputwin::net {

class Comparison {
 public:
  // `network` is the int8 net. It and `integers` must outlive this object.
  Comparison(const Network& network, const std::vector<LayerIntegers>& integers);
  Status add(FloatExecutor& executor, const std::map<std::string, Blob>& inputs);
  double sqnr(const std::string& tensor) const;  // NaN without samples
  double cosine(const std::string& tensor) const;

 private:
  struct Sums {
    double signal = 0, result = 0, product = 0, error = 0;
  };
  const Network& network_;
  const std::vector<LayerIntegers>& integers_;
  std::map<std::string, float> thresholds_;
  std::map<std::string, Sums> sums_;
};

}  // namespace tputwin::net
