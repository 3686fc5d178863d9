// What samples told of a float net -> thresholds, the int8 net, and how well it fits.
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

// `single` is the float net with batch 1, `net` what it was made of. `step` is called after each
// sample of the comparison.
Result<Calibration> make_int8(const Observed& found, const CalibrationOptions& options,
                              const Network& single, caffe::NetParameter net,
                              const std::function<void()>& step);

// The blobs of the network, in the place of those of the Caffe net that it was made of.
void store_blobs(const Network& network, caffe::NetParameter& net);

}  // namespace tputwin::net
