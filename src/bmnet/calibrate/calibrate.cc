// Calibration: the float net over samples, thresholds, int8 weights, the comparison of both.
#include "bmnet/calibrate/calibrate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors/bmnet.h"
#include "bmnet/arithmetic/activation.h"
#include "bmnet/arithmetic/lrn.h"
#include "bmnet/caffe/import.h"
#include "bmnet/calibrate/bias_correction.h"
#include "bmnet/calibrate/compare.h"
#include "bmnet/calibrate/equalize.h"
#include "bmnet/calibrate/shared_thresholds.h"
#include "bmnet/calibrate/statistics.h"
#include "bmnet/float/execute.h"
#include "bmnet/integers/integers.h"
#include "bmnet/integers/rules.h"
#include "bmnet/quantize/quantize.h"

namespace tputwin::net {
namespace {

// Fewer values than this tell no distribution; their range counts.
constexpr uint64_t kEnoughValues = 4096;

// Every tensor has the batch in front.
bool is_batched(const Network& network, int64_t batch) {
  return std::ranges::all_of(network.ops, [&](const TensorOp& op) {
    return std::ranges::all_of(op.output_shape(), [&](const TensorShape& shape) {
      return shape.dim_size() > 0 && shape.dim(0) == batch;
    });
  });
}

// The largest batch up to `wanted` that divides the samples, if the net can have one.
Result<Network> import_batched(const caffe::NetParameter& net, const CalibrationOptions& options,
                               size_t samples) {
  size_t batch = std::max<size_t>(1, std::min(options.batch, samples));
  while (samples % batch != 0) --batch;
  ImportOptions import;
  import.input_shapes = options.input_shapes;
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

class Calibrator {
 public:
  Calibrator(const std::vector<const DataSet*>& data, const CalibrationOptions& options)
      : data_(data), options_(options) {}

  Result<Calibration> run(caffe::NetParameter folded) {
    TW_RETURN_IF_ERROR(check());
    result_.net = std::move(folded);
    if (options_.equalize) TW_RETURN_IF_ERROR(equalize_net());
    NetCalibrationParameter thresholds;
    TW_RETURN_IF_ERROR(observe(thresholds));
    CalibrationOptions single = options_;
    single.batch = 1;
    TW_ASSIGN_OR_RETURN(network, import_batched(result_.net, single, samples_));
    result_.network = network;
    auto table = quantize(result_.network, thresholds, &result_.warnings);
    if (!table.ok()) return table.error();
    result_.table = std::move(*table);
    if (options_.correct_biases)
      TW_RETURN_IF_ERROR(correct_biases(network, result_.table, means_, result_.network));
    TW_RETURN_IF_ERROR(compare_with_float(network));
    store_blobs(result_.network);
    return std::move(result_);
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

  Status equalize_net() {
    CalibrationOptions single = options_;
    single.batch = 1;
    TW_ASSIGN_OR_RETURN(network, import_batched(result_.net, single, samples_));
    equalize(network);
    store_blobs(network);
    return {};
  }

  void advance() {
    ++done_;
    if (options_.progress) options_.progress(done_, total_);
  }

  // Thresholds of all tensors, folded.
  Status observe(NetCalibrationParameter& thresholds) {
    TW_ASSIGN_OR_RETURN(network, import_batched(result_.net, options_, samples_));
    TW_ASSIGN_OR_RETURN(executor, FloatExecutor::create(network));
    const SampleBatches batches{network, data_, samples_};
    total_ = 2 * batches.count() + std::min(options_.report_samples, samples_);
    const auto step = [this] { advance(); };
    MeanCollector means(network);
    TW_ASSIGN_OR_RETURN(ranges, find_ranges(batches, *executor, means, step));
    means_ = means.means();
    TW_ASSIGN_OR_RETURN(histograms,
                        make_histograms(batches, *executor, ranges, options_.bins,
                                        options_.method != ThresholdMethod::divergence, step));
    TensorThresholds folded;
    for (const TensorOp& op : network.ops)
      for (const std::string& top : op.top()) folded[top] = choose(op, histograms.at(top));
    for (const std::string& output : network.outputs())
      folded[output] = positive(ranges.at(output).magnitude(false));
    share_thresholds(network, folded);
    for (const LayerCalibrationParameter& entry : options_.thresholds.layer())
      for (const BlobParameter& blob : entry.blob_param())
        if (const auto own = folded.find(blob.name()); own != folded.end())
          own->second = blob.threshold_y();
    thresholds = make_table(network, folded, ranges);
    describe(network, folded, ranges);
    return {};
  }

  static float positive(float threshold) { return threshold > 0 ? threshold : 1.0f; }

  float choose(const TensorOp& op, const Histogram& histogram) const {
    // Bounded functions and operators of the host: clipping would change what they say.
    const bool bounded = table_function(op) != nullptr || runs_on_host(op);
    if (bounded || histogram.total() < kEnoughValues) return positive(histogram.largest());
    switch (options_.method) {
      case ThresholdMethod::percentile:
        return positive(percentile_threshold(histogram, options_.percent));
      case ThresholdMethod::divergence:
        return positive(divergence_threshold(histogram));
      case ThresholdMethod::squared_error:
        return positive(squared_error_threshold(histogram));
      case ThresholdMethod::maximum:
        break;
    }
    return positive(histogram.largest());
  }

  static NetCalibrationParameter make_table(const Network& network,
                                            const TensorThresholds& thresholds,
                                            const TensorRanges& ranges) {
    NetCalibrationParameter table;
    for (const TensorOp& op : network.ops) {
      LayerCalibrationParameter& entry = *table.add_layer();
      entry.set_name(op.calib_id().empty() ? op.name() : op.calib_id());
      const auto add = [&](const std::string& name, float threshold) {
        BlobParameter& blob = *entry.add_blob_param();
        blob.set_name(name);
        blob.set_threshold_y(threshold);
      };
      for (const std::string& top : op.top()) add(top, thresholds.at(top));
      if (is(op, Op::lrn)) {
        const float x = thresholds.at(op.bottom(0));
        const float most = x * x * static_cast<float>(op.tg_lrn_param().local_size());
        add(kSumOfSquares, std::min(most, positive(ranges.at(op.bottom(0)).sum_of_squares)));
      }
    }
    return table;
  }

  void describe(const Network& network, const TensorThresholds& thresholds,
                const TensorRanges& ranges) {
    for (const TensorOp& op : network.ops)
      for (const std::string& top : op.top()) {
        const TensorRange& range = ranges.at(top);
        result_.tensors.push_back({op.name(), op.type(), network.blob_name(top), range.least,
                                   range.largest, thresholds.at(top)});
        tensors_.push_back(top);
      }
  }

  Status compare_with_float(const Network& network) {
    TW_ASSIGN_OR_RETURN(executor, FloatExecutor::create(network));
    TW_ASSIGN_OR_RETURN(integers, resolve(result_.network, result_.table));
    Comparison comparison(result_.network, integers);
    for (size_t i = 0; i < std::min(options_.report_samples, samples_); ++i) {
      TW_ASSIGN_OR_RETURN(inputs, read_inputs(network, data_, i, samples_));
      TW_RETURN_IF_ERROR(comparison.add(*executor, inputs));
      advance();
    }
    for (size_t i = 0; i < tensors_.size(); ++i) {
      result_.tensors[i].sqnr = comparison.sqnr(tensors_[i]);
      result_.tensors[i].cosine = comparison.cosine(tensors_[i]);
    }
    return {};
  }

  void store_blobs(const Network& network) {
    for (caffe::LayerParameter& layer : *result_.net.mutable_layer()) {
      const auto found = network.blobs.find(layer.name());
      if (found == network.blobs.end()) continue;
      const int blobs = std::min(layer.blobs_size(), static_cast<int>(found->second.size()));
      for (int b = 0; b < blobs; ++b) {
        caffe::BlobProto& blob = *layer.mutable_blobs(b);
        blob.clear_double_data();
        blob.clear_diff();
        // A blob of one value stands for every channel of the network's.
        const std::vector<float>& values = found->second[b].data;
        const bool is_shared = blob.data_size() == 1;
        blob.mutable_data()->Assign(values.begin(), is_shared ? values.begin() + 1 : values.end());
      }
    }
  }

  const std::vector<const DataSet*>& data_;
  const CalibrationOptions& options_;
  Calibration result_;
  std::vector<std::string> tensors_;  // of result_.tensors
  TensorMeans means_;
  size_t samples_ = 0, done_ = 0, total_ = 0;
};

}  // namespace

Result<Calibration> calibrate_folded(caffe::NetParameter float_net,
                                     const std::vector<const DataSet*>& data,
                                     const CalibrationOptions& options) {
  return Calibrator(data, options).run(std::move(float_net));
}

Result<Extents> sample_shape(const caffe::NetParameter& net, size_t index,
                             const std::vector<TensorShape>& input_shapes) {
  ImportOptions import;
  import.input_shapes = input_shapes;
  import.needs_weights = false;
  TW_ASSIGN_OR_RETURN(network, import_caffe(net, import));
  const auto inputs = network.inputs();
  if (index >= inputs.size()) return Error(errors::net_no_input).in("net " + net.name());
  Extents shape = extents(*network.shape_of(inputs[index]));
  shape.n = 1;
  return shape;
}

}  // namespace tputwin::net
