// Conversion of a float net's statistics to thresholds and an int8 net, with a comparison of both.
#pragma once

#include <functional>

#include "bmnet/calibrate/calibrate.h"
#include "bmnet/calibrate/statistics.h"

namespace tputwin::net {

struct Observed {
  const Network& network;  // float, in batches
  const std::vector<const DataSet*>& data;
  size_t samples;
  const TensorRanges& ranges;
  const Distributions& distributions;
};

// Makes the int8 net. `single` is the float net with batch 1; `net` is the Caffe net that it was
// imported from. Calls `step` after each sample of the comparison.
Result<Calibration> make_int8(const Observed& found, const CalibrationOptions& options,
                              const Network& single, caffe::NetParameter net,
                              const std::function<void()>& step);

// Stores the network's blobs in the Caffe net that it was imported from.
void store_blobs(const Network& network, caffe::NetParameter& net);

}  // namespace tputwin::net
