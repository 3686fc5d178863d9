// The front half of the compiler: converts files to a net with its calibration table, ready for
// compile().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bmnet/caffe/import.h"
#include "bmnet/calibrate/calibrate.h"
#include "bmnet/calibrate/units.h"
#include "chip/chip.h"

namespace tputwin::net {

struct Source {
  std::string prototxt;              // graph; if empty, from the caffemodel
  std::string caffemodel;            // weights, int8 or float
  std::optional<std::string> table;  // calibration table file; nullopt for none
  ImportOptions import;
  // The chip that the table must be for.
  ChipFamily chip = ChipFamily::bm1880;
};

struct Prepared {
  Network network;
  NetCalibrationParameter table;
};

// Reads a net. A float net is folded, and quantized with the thresholds of its table if it has one.
// Entries of customized layers are not changed.
Result<Prepared> prepare(const Source& source);

// Reads a float net and folds it, for targets that quantize it themselves or compute in floats.
// Without a table of its own, the net has the thresholds of its file, if any.
Result<Prepared> prepare_float(const Source& source);
// Prepares the int8 net of a calibration for another batch or other shapes.
Result<Prepared> prepare(Calibration calibration, const ImportOptions& import);

// Calibrates a float Caffe net. Returns an int8 Caffe net and its table. `samples` has one data set
// per input of the net.
Result<Calibration> calibrate(const caffe::NetParameter& float_net,
                              const std::vector<const DataSet*>& samples,
                              const CalibrationOptions& options);
// Opens the calibration in units. The samples must outlive the units.
Result<std::unique_ptr<CalibrationUnits>> calibration_units(
    const caffe::NetParameter& float_net, const std::vector<const DataSet*>& samples,
    const CalibrationOptions& options);

}  // namespace tputwin::net
