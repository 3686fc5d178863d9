// A float net over samples, in batches, and what its tensors held.
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
  float least = 0, largest = 0;
  float sum_of_squares = 0;  // largest of an LRN's windows, for tensors that an LRN reads
  float magnitude(bool positive) const {
    return positive ? std::max(0.0f, largest) : std::max(-least, largest);
  }
};
using TensorRanges = std::map<std::string, TensorRange, std::less<>>;

// Values of the network's inputs for the samples begin, begin + 1 ... (from the first again after
// `samples`); as many as the batch has.
Result<std::map<std::string, Blob>> read_inputs(const Network& network,
                                                const std::vector<const DataSet*>& data,
                                                size_t begin, size_t samples);

// The samples of a calibration, as many at a time as the net takes; so many of these batches are a
// unit that there are 256 at the most, as what is found in a unit is kept till all are done.
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

// Of a unit. Errors: net_threshold, of values that are not finite.
Result<TensorRanges> find_ranges(const SampleBatches& batches, size_t unit,
                                 FloatExecutor& executor);
void widen(TensorRanges& ranges, const TensorRanges& others);

using Histograms = std::map<std::string, Histogram, std::less<>>;
struct Distributions {
  Histograms histograms;
  std::set<std::string, std::less<>> positive;  // tensors whose values below zero count as zeros
  MeanCollector means;
};
// Counts of nothing, for what is to be counted. With `positive`, tensors that only ReLUs read are.
Distributions no_distributions(const Network& network, const TensorRanges& ranges, int bins,
                               bool positive);
// Adds those of a unit.
Status find_distributions(const SampleBatches& batches, size_t unit, FloatExecutor& executor,
                          Distributions& distributions);

// As one process tells another.
std::string to_bytes(const TensorRanges& ranges);
std::string to_bytes(const Distributions& distributions);
// What another tells: all of the net's tensors, in order. Errors: net_statistics.
Result<TensorRanges> ranges_of(const std::string& bytes, const Network& network);
Status add_bytes(Distributions& distributions, const std::string& bytes);

}  // namespace tputwin::net
