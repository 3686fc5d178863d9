// Calibration in units, which any process may do in any order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bmnet/calibrate/calibrate.h"

namespace tputwin::net {

// Some batches of samples are a unit. First each tells the ranges of its tensors, then, when those
// of all are known, their distributions, as bytes. These are put together in the order of units:
// the result is the same to the last bit whoever did which.
class CalibrationUnits {
 public:
  // One data set per input of the net, which is float and folded; they outlive this.
  static Result<std::unique_ptr<CalibrationUnits>> open(caffe::NetParameter float_net,
                                                        std::vector<const DataSet*> data,
                                                        CalibrationOptions options);
  ~CalibrationUnits();

  size_t count() const;
  size_t samples() const;
  // Of ranges and distributions, and of the comparison in finish(): what progress is told.
  size_t steps() const;

  Result<std::string> ranges(size_t unit);
  Result<std::string> join_ranges(const std::vector<std::string>& of_units) const;
  Status know_ranges(const std::string& joined);

  // When ranges are known. Errors of bytes of another net: net_statistics.
  Result<std::string> distributions(size_t unit);
  Status add_distributions(const std::string& of_unit);  // one after the other
  Result<Calibration> finish();                          // after those of all units, once

  Result<Calibration> all();  // of them here

 private:
  class Work;
  explicit CalibrationUnits(std::unique_ptr<Work> work);
  std::unique_ptr<Work> work_;
};

}  // namespace tputwin::net
