// Calibration in units, which several processes may compute in any order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bmnet/calibrate/calibrate.h"

namespace tputwin::net {

// A unit is one or more batches of samples. Each unit first computes the ranges of its tensors.
// When the ranges of all units are known, each computes its distributions. Results are bytes,
// joined in the order of units: they are equal to the last bit no matter which process computed
// which unit.
class CalibrationUnits {
 public:
  // `data` has one data set per input of the net and must outlive this object. The net must be
  // float and folded.
  static Result<std::unique_ptr<CalibrationUnits>> open(caffe::NetParameter float_net,
                                                        std::vector<const DataSet*> data,
                                                        CalibrationOptions options);
  ~CalibrationUnits();

  size_t count() const;
  size_t samples() const;
  // Returns the number of progress steps: ranges and distributions of all units, and the comparison
  // in finish().
  size_t steps() const;

  Result<std::string> ranges(size_t unit);
  Result<std::string> join_ranges(const std::vector<std::string>& of_units) const;
  Status know_ranges(const std::string& joined);

  // The ranges must be known. Bytes of another net are an error: net_statistics.
  Result<std::string> distributions(size_t unit);
  Status add_distributions(const std::string& of_unit);  // in the order of units
  Result<Calibration> finish();                          // once, after all distributions

  Result<Calibration> all();  // computes all units in this process

 private:
  class Work;
  explicit CalibrationUnits(std::unique_ptr<Work> work);
  std::unique_ptr<Work> work_;
};

}  // namespace tputwin::net
