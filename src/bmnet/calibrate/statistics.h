// Runs of a float net over samples, in batches, and statistics of its tensors.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bmnet/calibrate/bias_correction.h"
#include "bmnet/calibrate/histogram.h"
#include "bmnet/calibrate/shared_thresholds.h"
#include "bmnet/data/data_set.h"
#include "bmnet/float/execute.h"

namespace tputwin::net {

struct TensorRange {
  float least = 0, largest = 0;  // of the finite values
  // For tensors that an LRN reads: the largest sum of its windows.
  float sum_of_squares = 0;
  bool has_infinite = false;
  float magnitude(bool positive) const {
    return positive ? std::max(0.0f, largest) : std::max(-least, largest);
  }
};
using TensorRanges = std::map<std::string, TensorRange, std::less<>>;

// Returns true if the first extents of all inputs are equal, so that they count samples. Those of a
// recurrent layer's state and of its input may differ.
bool first_extents_count_samples(const Network& network);
// Returns the number of samples in a run. If first extents differ, a run has one sample, which is
// all of each input.
size_t samples_of_run(const Network& network);

// Returns values of the network's inputs for the samples begin, begin + 1 ..., as many as a run
// has. After `samples` it continues with the first.
Result<std::map<std::string, Blob>> read_inputs(const Network& network,
                                                const std::vector<const DataSet*>& data,
                                                size_t begin, size_t samples);

// The samples of a calibration, in batches of the net's size. A unit has as many batches as needed
// for at most 256 units, because the results of all units are kept until the end.
struct SampleBatches {
  const Network& network;
  const std::vector<const DataSet*>& data;
  size_t samples;
  size_t batch() const;
  size_t count() const { return (samples + batch() - 1) / batch(); }
  size_t of_unit() const { return (count() + 255) / 256; }
  size_t units() const { return (count() + of_unit() - 1) / of_unit(); }
  Status run(size_t unit, FloatExecutor& executor, const FloatExecutor::Observer& observer) const;
};

// Returns the ranges of a unit. Errors: net_threshold for NaN.
Result<TensorRanges> find_ranges(const SampleBatches& batches, size_t unit,
                                 FloatExecutor& executor);
void widen(TensorRanges& ranges, const TensorRanges& others);

using Histograms = std::map<std::string, Histogram, std::less<>>;
struct Distributions {
  Histograms histograms;
  // Tensors whose negative values count as zeros.
  std::set<std::string, std::less<>> positive;
  MeanCollector means;
};
// Returns empty distributions for all tensors to be counted. If `positive`, `positive` of the
// result has the tensors that only ReLUs read.
Distributions no_distributions(const Network& network, const TensorRanges& ranges, int bins,
                               bool positive);
// Adds the distributions of a unit.
Status find_distributions(const SampleBatches& batches, size_t unit, FloatExecutor& executor,
                          Distributions& distributions);

// Converts statistics to bytes for another process.
std::string to_bytes(const TensorRanges& ranges);
std::string to_bytes(const Distributions& distributions);
// These functions read the bytes of another process. They must have all of the net's tensors, in
// order. Errors: net_statistics.
Result<TensorRanges> ranges_of(const std::string& bytes, const Network& network);
Status add_bytes(Distributions& distributions, const std::string& bytes);

}  // namespace tputwin::net
