// A float net opened for calibration, and the statistics of its units.
#include "bmnet/calibrate/units.h"

#include <algorithm>
#include <optional>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/import.h"
#include "bmnet/calibrate/equalize.h"
#include "bmnet/calibrate/int8_net.h"
#include "bmnet/calibrate/statistics.h"
#include "bmnet/float/execute.h"
#include "bmnet/ir/samples.h"

namespace tputwin::net {
namespace {

// Returns true if axis 0 of every tensor is the batch.
bool is_batched(const Network& network, int64_t batch) {
  return std::ranges::all_of(network.ops, [&](const TensorOp& op) {
    return std::ranges::all_of(op.output_shape(), [&](const TensorShape& shape) {
      return shape.dim_size() > 0 && shape.dim(0) == batch;
    });
  });
}

// Returns true if the net mixes the samples of a batch. Returns false if this is unknown because
// the net accepts only its own batch.
bool mixes_samples(const caffe::NetParameter& net, ImportOptions import) {
  import.batch = 2;
  const auto pair = import_caffe(net, import);
  return pair.ok() && mixes_samples(*pair);
}

// Imports the net with the largest batch up to options.batch that divides the samples, if possible.
// A net that mixes samples keeps its own batch, so its tensors are the same as in use.
Result<Network> import_batched(const caffe::NetParameter& net, const CalibrationOptions& options,
                               size_t samples, bool mixes) {
  size_t batch = std::max<size_t>(1, std::min(options.batch, samples));
  while (samples % batch != 0) --batch;
  ImportOptions import;
  import.input_shapes = options.input_shapes;
  if (mixes)
    if (auto own = import_caffe(net, import); own.ok()) return own;
  if (batch > 1) {
    import.batch = static_cast<int64_t>(batch);
    auto network = import_caffe(net, import);
    if (network.ok() && is_batched(*network, import.batch)) return network;
  }
  import.batch = 1;
  auto single = import_caffe(net, import);
  if (single.ok()) return single;
  import.batch = 0;
  auto own = import_caffe(net, import);
  return own.ok() ? std::move(own) : std::move(single);
}

}  // namespace

class CalibrationUnits::Work {
 public:
  Work(std::vector<const DataSet*> data, CalibrationOptions options)
      : data_(std::move(data)), options_(std::move(options)) {}

  Status open(caffe::NetParameter folded) {
    TW_RETURN_IF_ERROR(check());
    net_ = std::move(folded);
    ImportOptions import;
    import.input_shapes = options_.input_shapes;
    TW_ASSIGN_OR_RETURN(own, import_caffe(net_, import));
    // Another batch would change extents that count no samples.
    mixes_samples_ = !first_extents_count_samples(own) || mixes_samples(net_, std::move(import));
    if (options_.equalize) {
      TW_ASSIGN_OR_RETURN(single, import_single());
      equalize(single, options_.thresholds);
      store_blobs(single, net_);
    }
    TW_ASSIGN_OR_RETURN(network, import_batched(net_, options_, samples_, mixes_samples_));
    network_ = std::move(network);
    TW_ASSIGN_OR_RETURN(executor, FloatExecutor::create(network_));
    executor_ = std::move(executor);
    return {};
  }

  SampleBatches batches() const { return {network_, data_, samples_}; }
  size_t samples() const { return samples_; }
  size_t steps() const {
    return 2 * batches().units() + std::min(options_.report_samples, samples_);
  }

  Result<std::string> ranges(size_t unit) {
    TW_ASSIGN_OR_RETURN(found, find_ranges(batches(), unit, *executor_));
    return to_bytes(found);
  }
  Result<std::string> join_ranges(const std::vector<std::string>& of_units) const {
    TensorRanges joined;
    for (const std::string& bytes : of_units) {
      TW_ASSIGN_OR_RETURN(ranges, ranges_of(bytes, network_));
      widen(joined, ranges);
    }
    return to_bytes(joined);
  }
  Status know_ranges(const std::string& joined) {
    TW_ASSIGN_OR_RETURN(ranges, ranges_of(joined, network_));
    ranges_ = std::move(ranges);
    sum_ = none();
    return {};
  }

  Result<std::string> distributions(size_t unit) {
    TW_RETURN_IF_ERROR(needs_ranges());
    Distributions found = none();
    TW_RETURN_IF_ERROR(find_distributions(batches(), unit, *executor_, found));
    return to_bytes(found);
  }
  Status add_distributions(const std::string& of_unit) {
    TW_RETURN_IF_ERROR(needs_ranges());
    return add_bytes(*sum_, of_unit);
  }

  Result<Calibration> finish() {
    TW_RETURN_IF_ERROR(needs_ranges());
    executor_.reset();  // its weights are large
    TW_ASSIGN_OR_RETURN(single, import_single());
    done_ = 2 * batches().units();  // includes units of other processes
    return make_int8({network_, data_, samples_, ranges_, *sum_}, options_, single, std::move(net_),
                     [this] { advance(); });
  }

  Result<Calibration> all() {
    std::vector<std::string> of_units;
    for (size_t unit = 0; unit < batches().units(); ++unit, advance()) {
      TW_ASSIGN_OR_RETURN(bytes, ranges(unit));
      of_units.push_back(std::move(bytes));
    }
    TW_ASSIGN_OR_RETURN(joined, join_ranges(of_units));
    TW_RETURN_IF_ERROR(know_ranges(joined));
    for (size_t unit = 0; unit < batches().units(); ++unit, advance()) {
      TW_ASSIGN_OR_RETURN(bytes, distributions(unit));
      TW_RETURN_IF_ERROR(add_distributions(bytes));
    }
    return finish();
  }

 private:
  Status check() {
    if (options_.bins < 128 || options_.bins % 128 != 0)
      return Error(errors::net_cli)
          .in("calibration")
          .argument("bins", std::to_string(options_.bins))
          .detail("a multiple of 128");
    for (const DataSet* set : data_) {
      if (set->size() == 0) return Error(errors::net_data_empty).in("calibration");
      samples_ = samples_ == 0 ? set->size() : std::min(samples_, set->size());
    }
    if (options_.samples != 0) samples_ = std::min(samples_, options_.samples);
    return {};
  }
  Status needs_ranges() const {
    if (sum_) return {};
    return Error(errors::net_statistics)
        .in("calibration")
        .detail("the ranges of all samples are not known");
  }
  Result<Network> import_single() const {
    CalibrationOptions single = options_;
    single.batch = 1;
    return import_batched(net_, single, samples_, mixes_samples_);
  }
  Distributions none() const {
    const bool positive = options_.method != ThresholdMethod::divergence;
    return no_distributions(network_, ranges_, options_.bins, positive);
  }
  // Called after each unit, and after each sample of the comparison.
  void advance() {
    ++done_;
    if (options_.progress) options_.progress(done_, steps());
  }

  const std::vector<const DataSet*> data_;
  const CalibrationOptions options_;
  caffe::NetParameter net_;
  Network network_;  // float, in batches
  std::unique_ptr<FloatExecutor> executor_;
  TensorRanges ranges_;
  std::optional<Distributions> sum_;  // set when ranges are known
  size_t samples_ = 0, done_ = 0;
  bool mixes_samples_ = false;
};

CalibrationUnits::CalibrationUnits(std::unique_ptr<Work> work) : work_(std::move(work)) {}
CalibrationUnits::~CalibrationUnits() = default;

Result<std::unique_ptr<CalibrationUnits>> CalibrationUnits::open(caffe::NetParameter float_net,
                                                                 std::vector<const DataSet*> data,
                                                                 CalibrationOptions options) {
  auto work = std::make_unique<Work>(std::move(data), std::move(options));
  TW_RETURN_IF_ERROR(work->open(std::move(float_net)));
  return std::unique_ptr<CalibrationUnits>(new CalibrationUnits(std::move(work)));
}

size_t CalibrationUnits::count() const { return work_->batches().units(); }
size_t CalibrationUnits::samples() const { return work_->samples(); }
size_t CalibrationUnits::steps() const { return work_->steps(); }
Result<std::string> CalibrationUnits::ranges(size_t unit) { return work_->ranges(unit); }
Result<std::string> CalibrationUnits::join_ranges(const std::vector<std::string>& of_units) const {
  return work_->join_ranges(of_units);
}
Status CalibrationUnits::know_ranges(const std::string& joined) {
  return work_->know_ranges(joined);
}
Result<std::string> CalibrationUnits::distributions(size_t unit) {
  return work_->distributions(unit);
}
Status CalibrationUnits::add_distributions(const std::string& of_unit) {
  return work_->add_distributions(of_unit);
}
Result<Calibration> CalibrationUnits::finish() { return work_->finish(); }
Result<Calibration> CalibrationUnits::all() { return work_->all(); }

}  // namespace tputwin::net
