// Float Caffe net and samples -> int8 Caffe net and calibration table.
#pragma once

#include <bmnet/calibration.pb.h>

#include <functional>
#include <vector>

#include "bmnet/caffe/caffe_net.h"
#include "bmnet/calibrate/histogram.h"
#include "bmnet/data/data_set.h"
#include "bmnet/ir/network.h"

namespace tputwin::net {

struct CalibrationOptions {
  ThresholdMethod method = ThresholdMethod::squared_error;
  double percent = 99.99;      // of ThresholdMethod::percentile
  int bins = 2048;             // a multiple of 128
  size_t samples = 0;          // 0: all of the data set
  size_t batch = 16;           // samples at a time; fewer where the net wants it
  size_t report_samples = 4;   // compared in float and int8 for the report
  bool equalize = true;        // see equalize.h
  bool correct_biases = true;  // see bias_correction.h
  std::vector<TensorShape> input_shapes;
  NetCalibrationParameter thresholds;  // of the net itself: they stay what they are
  std::function<void(size_t done, size_t total)> progress;
};

// One tensor: what it held, what it became.
struct TensorReport {
  std::string layer, type, blob;
  float least = 0, largest = 0, threshold = 0;
  // Float against int8 at the same samples: 10 log10(signal / error), and the cosine of the angle.
  // Not a number where nothing was compared.
  double sqnr = 0, cosine = 0;
};

struct Calibration {
  caffe::NetParameter net;  // folded; blobs are integers
  NetCalibrationParameter table;
  Network network;  // the same as `net`, batch 1 unless the net mixes samples
  std::vector<TensorReport> tensors;
  std::vector<Error> warnings;
};

// One data set per input of the net, which is float and folded.
Result<Calibration> calibrate_folded(caffe::NetParameter float_net,
                                     const std::vector<const DataSet*>& data,
                                     const CalibrationOptions& options);

// Shape of the samples of input `index`.
Result<Extents> sample_shape(const caffe::NetParameter& net, size_t index,
                             const std::vector<TensorShape>& input_shapes = {});

std::string report_text(const Calibration& calibration);
std::string report_json(const Calibration& calibration);

}  // namespace tputwin::net
