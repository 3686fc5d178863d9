// Calibration: converts a float Caffe net, with samples, to an int8 Caffe net and a calibration
// table.
#pragma once

#include <bmnet/calibration.pb.h>

#include <functional>
#include <optional>
#include <vector>

#include "bmnet/caffe/caffe_net.h"
#include "bmnet/calibrate/histogram.h"
#include "bmnet/calibrate/leave_to_host.h"
#include "bmnet/data/data_set.h"
#include "bmnet/ir/network.h"

namespace tputwin::net {

struct CalibrationOptions {
  ThresholdMethod method = ThresholdMethod::squared_error;
  double percent = 99.99;  // for ThresholdMethod::percentile
  int bins = 2048;         // a multiple of 128
  size_t samples = 0;      // 0 for all of the data set
  size_t batch = 16;       // samples per batch; the net may reduce it
  // Samples that are compared in float and int8 for the report.
  size_t report_samples = 4;
  bool equalize = true;        // see equalize.h
  bool correct_biases = true;  // see bias_correction.h
  // Leaves layers to the host until every output has this cosine at the samples of the report; see
  // leave_to_host.h.
  std::optional<double> reach;
  // Only a table is made, with thresholds and means, for a chip whose compiler rounds weights
  // itself (docs/compiler168x.md). The net stays as it is.
  bool table_only = false;
  // Bytes may be unsigned and multipliers have any size, as on the BM1684X.
  bool has_unsigned_bytes = false;
  std::vector<TensorShape> input_shapes;
  // Thresholds of the net itself. Calibration does not change them.
  NetCalibrationParameter thresholds;
  std::function<void(size_t done, size_t total)> progress;
};

// Report of one tensor: its range and its threshold.
struct TensorReport {
  std::string layer, type, blob;
  float least = 0, largest = 0, threshold = 0;
  // Comparison of float and int8 at the same samples: 10 log10(signal / error), and the cosine of
  // the angle. NaN if nothing was compared.
  double sqnr = 0, cosine = 0;
};

struct Calibration {
  caffe::NetParameter net;  // folded; blobs are integers
  NetCalibrationParameter table;
  // The network of `net`. The batch is 1 unless the net mixes samples.
  Network network;
  std::vector<TensorReport> tensors;
  std::optional<HostSearch> host;  // with options.reach
  std::vector<Error> warnings;
};

// Calibrates a net that is float and folded. `data` has one data set per input of the net.
Result<Calibration> calibrate_folded(caffe::NetParameter float_net,
                                     const std::vector<const DataSet*>& data,
                                     const CalibrationOptions& options);

// An input of a net, and the shape of its samples: n is 1 if the first extents of the inputs count
// samples, else a sample is all of the input.
struct SampleInput {
  std::string name;
  Extents shape;
};
Result<std::vector<SampleInput>> sample_inputs(const caffe::NetParameter& net,
                                               const std::vector<TensorShape>& input_shapes = {});
Result<std::vector<SampleInput>> sample_inputs(const Network& network);

std::string report_text(const Calibration& calibration);
std::string report_json(const Calibration& calibration);

}  // namespace tputwin::net
