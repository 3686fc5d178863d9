// The front half of the compiler: files -> a net with its calibration table, ready for compile().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bmnet/caffe/import.h"
#include "bmnet/calibrate/calibrate.h"
#include "bmnet/calibrate/units.h"

namespace tputwin::net {

struct Source {
  std::string prototxt;              // graph; empty: that of the caffemodel
  std::string caffemodel;            // weights, int8 or float
  std::optional<std::string> table;  // file of the calibration table; nothing: none is read
  ImportOptions import;
};

struct Prepared {
  Network network;
  NetCalibrationParameter table;
};

// A float net is folded, and quantized with the thresholds of its table if there is one; what the
// table says about customized layers stays as it is.
Result<Prepared> prepare(const Source& source);

// Float Caffe net and samples, one data set per input of the net -> int8 Caffe net and table.
Result<Calibration> calibrate(const caffe::NetParameter& float_net,
                              const std::vector<const DataSet*>& samples,
                              const CalibrationOptions& options);
// The same in units; the samples outlive them.
Result<std::unique_ptr<CalibrationUnits>> calibration_units(
    const caffe::NetParameter& float_net, const std::vector<const DataSet*>& samples,
    const CalibrationOptions& options);

}  // namespace tputwin::net
