// Runs of a float net over samples: ranges and histograms of its tensors.
#include "bmnet/calibrate/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/errors/bmnet.h"
#include "base/parallel.h"

namespace tputwin::net {
namespace {

using LrnReaders = std::map<std::string, int64_t, std::less<>>;  // tensor -> local_size

LrnReaders lrn_readers(const Network& network) {
  LrnReaders readers;
  for (const TensorOp& op : network.ops)
    if (is(op, Op::lrn)) readers[op.bottom(0)] = op.tg_lrn_param().local_size();
  return readers;
}

float largest_sum_of_squares(const Blob& blob, int64_t size) {
  const Extents e = extents(make_shape(blob.shape));
  const int64_t plane = e.h * e.w, before = (size - 1) / 2, after = size - 1 - before;
  float largest = 0;
  for (int64_t n = 0; n < e.n; ++n)
    for (int64_t c = 0; c < e.c; ++c)
      for (int64_t i = 0; i < plane; ++i) {
        float sum = 0;
        for (int64_t o = std::max<int64_t>(0, c - before); o <= std::min(e.c - 1, c + after); ++o) {
          const float x = blob.data[(n * e.c + o) * plane + i];
          sum += x * x;
        }
        largest = std::max(largest, sum);
      }
  return largest;
}

// Widens the range by the finite values, if some are not. Returns true if one is NaN.
bool widen_finite(TensorRange& range, std::span<const float> values) {
  bool has_nan = false;
  for (const float value : values) {
    has_nan = has_nan || std::isnan(value);
    range.has_infinite = range.has_infinite || std::isinf(value);
    if (!std::isfinite(value)) continue;
    range.least = std::min(range.least, value);
    range.largest = std::max(range.largest, value);
  }
  return has_nan;
}

void widen(TensorRange& range, std::span<const float> values) {
  std::mutex mutex;
  parallel_for(values.size(), 65536, [&](size_t begin, size_t end) {
    const auto [least, largest] = std::minmax_element(values.begin() + begin, values.begin() + end);
    const std::lock_guard lock(mutex);
    range.least = std::min(range.least, *least);
    range.largest = std::max(range.largest, *largest);
  });
}

}  // namespace

bool first_extents_count_samples(const Network& network) {
  const auto inputs = network.inputs();
  return std::ranges::all_of(inputs, [&](const std::string& input) {
    return network.shape_of(input)->dim(0) == network.shape_of(inputs[0])->dim(0);
  });
}

size_t samples_of_run(const Network& network) {
  const auto inputs = network.inputs();
  if (inputs.empty() || !first_extents_count_samples(network)) return 1;
  return static_cast<size_t>(network.shape_of(inputs[0])->dim(0));
}

size_t SampleBatches::batch() const { return samples_of_run(network); }

Result<std::map<std::string, Blob>> read_inputs(const Network& network,
                                                const std::vector<const DataSet*>& data,
                                                size_t begin, size_t samples) {
  const auto names = network.inputs();
  if (names.size() != data.size())
    return Error(errors::net_data_shape)
        .in("data set")
        .argument("data sets", std::to_string(data.size()))
        .detail(fmt::format("the net has {} inputs", names.size()));
  std::map<std::string, Blob> inputs;
  for (size_t i = 0; i < names.size(); ++i) {
    const TensorShape& shape = *network.shape_of(names[i]);
    Blob& blob = inputs[names[i]];
    blob.shape = dims(shape);
    blob.data.resize(count(shape));
    const size_t batch = samples_of_run(network), size = blob.data.size() / batch;
    std::mutex mutex;
    Status status;
    parallel_for(batch, 1, [&](size_t first, size_t end) {
      for (size_t n = first; n < end; ++n) {
        auto read = data[i]->sample((begin + n) % samples, {&blob.data[n * size], size});
        const std::lock_guard lock(mutex);
        if (!read.ok()) status = std::move(read);
      }
    });
    TW_RETURN_IF_ERROR(std::move(status));
  }
  return inputs;
}

Status SampleBatches::run(size_t unit, FloatExecutor& executor,
                          const FloatExecutor::Observer& observer) const {
  const size_t begin = unit * of_unit(), end = std::min(count(), begin + of_unit());
  for (size_t i = begin; i < end; ++i) {
    TW_ASSIGN_OR_RETURN(inputs, read_inputs(network, data, i * batch(), samples));
    auto results = executor.run(inputs, observer);
    if (!results.ok()) return results.error();
  }
  return {};
}

// Returns which sample of a unit makes NaN, if one has values that are no finite numbers.
static std::string source_of_nan(const SampleBatches& batches, size_t unit) {
  const size_t batch = batches.batch(), begin = unit * batches.of_unit();
  for (size_t i = begin; i < std::min(batches.count(), begin + batches.of_unit()); ++i) {
    const auto inputs = read_inputs(batches.network, batches.data, i * batch, batches.samples);
    if (!inputs.ok()) break;
    for (const auto& [tensor, blob] : *inputs) {
      const auto found = std::ranges::find_if(blob.data, [](float x) { return !std::isfinite(x); });
      if (found == blob.data.end()) continue;
      const auto element = static_cast<size_t>(found - blob.data.begin());
      const size_t sample = i * batch + element / (blob.data.size() / batch);
      return fmt::format(
          "sample {} of input {} has the value {}; leave the sample out, or give it "
          "finite numbers",
          sample % batches.samples, batches.network.blob_name(tensor), *found);
    }
  }
  return "the float net makes NaN";
}

Result<TensorRanges> find_ranges(const SampleBatches& batches, size_t unit,
                                 FloatExecutor& executor) {
  TensorRanges ranges;
  std::string broken;
  const LrnReaders readers = lrn_readers(batches.network);
  TW_RETURN_IF_ERROR(batches.run(unit, executor, [&](const std::string& tensor, const Blob& value) {
    TensorRange& range = ranges[tensor];
    const auto finite = [](float x) { return std::isfinite(x); };
    if (std::ranges::all_of(value.data, finite))
      widen(range, value.data);
    else if (widen_finite(range, value.data) && broken.empty())
      broken = tensor;
    if (const auto lrn = readers.find(tensor); lrn != readers.end())
      range.sum_of_squares =
          std::max(range.sum_of_squares, largest_sum_of_squares(value, lrn->second));
  }));
  if (!broken.empty())
    return Error(errors::net_threshold)
        .in("calibration")
        .argument("blob", batches.network.blob_name(broken))
        .detail(source_of_nan(batches, unit));
  return ranges;
}

void widen(TensorRanges& ranges, const TensorRanges& others) {
  for (const auto& [tensor, other] : others) {
    TensorRange& range = ranges[tensor];
    range.least = std::min(range.least, other.least);
    range.largest = std::max(range.largest, other.largest);
    range.sum_of_squares = std::max(range.sum_of_squares, other.sum_of_squares);
    range.has_infinite = range.has_infinite || other.has_infinite;
  }
}

Distributions no_distributions(const Network& network, const TensorRanges& ranges, int bins,
                               bool positive) {
  Distributions none{.histograms = {}, .positive = {}, .means = MeanCollector(network)};
  for (const auto& [tensor, range] : ranges) {
    const bool half = positive && feeds_relu_only(network, tensor);
    if (half) none.positive.insert(tensor);
    none.histograms.emplace(tensor, Histogram(range.magnitude(half), bins));
  }
  return none;
}

Status find_distributions(const SampleBatches& batches, size_t unit, FloatExecutor& executor,
                          Distributions& distributions) {
  return batches.run(unit, executor, [&](const std::string& tensor, const Blob& value) {
    distributions.histograms.at(tensor).add(value.data, distributions.positive.contains(tensor));
    distributions.means.add(tensor, value);
  });
}

}  // namespace tputwin::net
