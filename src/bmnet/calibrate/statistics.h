// A float net over samples, in batches, and what its tensors held.
#pragma once

#include <map>
#include <string>

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

using Step = std::function<void()>;  // after every batch

struct SampleBatches {
  const Network& network;
  const std::vector<const DataSet*>& data;
  size_t samples;
  size_t batch() const;
  size_t count() const { return (samples + batch() - 1) / batch(); }
  Status each(FloatExecutor& executor, const FloatExecutor::Observer& observer,
              const Step& step) const;
};

Result<TensorRanges> find_ranges(const SampleBatches& batches, FloatExecutor& executor,
                                 MeanCollector& means, const Step& step);
using Histograms = std::map<std::string, Histogram, std::less<>>;
// With `positive`, of a tensor that only ReLUs read what is below zero counts as zero.
Result<Histograms> make_histograms(const SampleBatches& batches, FloatExecutor& executor,
                                   const TensorRanges& ranges, int bins, bool positive,
                                   const Step& step);

}  // namespace tputwin::net
