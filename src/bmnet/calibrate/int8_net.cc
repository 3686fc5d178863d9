// Thresholds from distributions, integers from thresholds, and the comparison with the float net.
#include "bmnet/calibrate/int8_net.h"

#include <algorithm>
#include <limits>

#include "base/errors/bmnet.h"
#include "bmnet/arithmetic/lrn.h"
#include "bmnet/caffe/operation.h"
#include "bmnet/calibrate/bias_correction.h"
#include "bmnet/calibrate/compare_tensors.h"
#include "bmnet/calibrate/masks.h"
#include "bmnet/calibrate/shared_thresholds.h"
#include "bmnet/calibrate/warnings.h"
#include "bmnet/cpu_ops/table_function.h"
#include "bmnet/float/execute.h"
#include "bmnet/integers/float_outputs.h"
#include "bmnet/integers/float_tensors.h"
#include "bmnet/integers/integers.h"
#include "bmnet/integers/rules.h"
#include "bmnet/quantize/quantize.h"

namespace tputwin::net {
namespace {

// Fewer values than this have no reliable distribution; then the range determines the threshold.
constexpr uint64_t kEnoughValues = 4096;

class Int8NetBuilder {
 public:
  Int8NetBuilder(const Observed& found, const CalibrationOptions& options,
                 const std::function<void()>& step)
      : found_(found), options_(options), step_(step) {}

  Result<Calibration> run(const Network& single, caffe::NetParameter net) {
    is_onnx_ = std::ranges::any_of(net.layer(), is_operation);
    outputs_ = is_onnx_ ? FloatOutputs::allowed : FloatOutputs::kept;
    for (const caffe::LayerParameter& layer : net.layer()) layers_.insert(layer.name());
    masks_ = mask_layers(found_.network, found_.ranges);
    thresholds_ = choose_thresholds();
    if (options_.table_only) return table_of(single, std::move(net));
    LayerNames left;
    if (options_.reach) TW_RETURN_IF_ERROR(find_left(single, left));
    TW_ASSIGN_OR_RETURN(int8, make(single, left, &result_.warnings));
    result_.network = std::move(int8.network);
    result_.table = std::move(int8.table);
    TW_RETURN_IF_ERROR(compare_with_float(single));
    result_.net = std::move(net);
    store_blobs(result_.network, result_.net);
    for (const TensorOp& op : result_.network.ops)
      if (is_left_to_host(op)) left.insert(layer_of(op));  // with their ReLU
    for (caffe::LayerParameter& layer : *result_.net.mutable_layer())
      if (left.contains(layer.name())) layer.set_on_host(true);
    return std::move(result_);
  }

 private:
  // Returns the float net, and thresholds and means of its tensors.
  Calibration table_of(const Network& single, caffe::NetParameter net) {
    result_.network = single;
    result_.net = std::move(net);
    result_.table = thresholds_;
    mark_masks(single, result_.table);
    for (TensorReport& tensor : result_.tensors)
      tensor.sqnr = tensor.cosine = std::numeric_limits<double>::quiet_NaN();
    if (!options_.correct_biases) return std::move(result_);
    for (LayerCalibrationParameter& entry : *result_.table.mutable_layer())
      for (BlobParameter& blob : *entry.mutable_blob_param())
        if (const auto found = means().find(blob.name()); found != means().end())
          blob.mutable_means()->Assign(found->second.begin(), found->second.end());
    return std::move(result_);
  }

  // ---- Layers on the host ----

  // Marks the layers of masks in the table: their numbers are floats.
  void mark_masks(const Network& single, NetCalibrationParameter& table) const {
    Network marked = single;
    for (TensorOp& op : marked.ops)
      if (masks_.contains(op.name())) op.set_cpu_op(true);
    leave_rectifiers(marked);
    std::set<std::string> left;
    for (const TensorOp& op : marked.ops)
      if (is_left_to_host(op)) left.insert(op.calib_id().empty() ? op.name() : op.calib_id());
    const auto mark = [](LayerCalibrationParameter& entry) {
      entry.set_on_host(true);
      entry.set_type("fp32");
    };
    for (LayerCalibrationParameter& entry : *table.mutable_layer())
      if (left.erase(entry.name()) != 0) mark(entry);
    for (const std::string& name : left) {
      LayerCalibrationParameter& entry = *table.add_layer();
      entry.set_name(name);
      mark(entry);
    }
  }

  // Returns the int8 net that leaves some layers to the host.
  Result<Int8Net> make(const Network& single, const LayerNames& left,
                       std::vector<Error>* warnings) const {
    Int8Net int8{single, {}};
    for (TensorOp& op : int8.network.ops)
      if (masks_.contains(op.name()) || (left.contains(layer_of(op)) && can_leave_to_host(op)))
        op.set_cpu_op(true);
    leave_rectifiers(int8.network);
    TW_ASSIGN_OR_RETURN(table, quantize(int8.network, thresholds_, warnings, outputs_));
    int8.table = std::move(table);
    if (options_.correct_biases)
      TW_RETURN_IF_ERROR(correct_biases(single, int8.table, means(), int8.network));
    return int8;
  }

  // A ReLU goes where the layer before it goes.
  static void leave_rectifiers(Network& network) {
    for (TensorOp& op : network.ops)
      if (is_plain_relu(op) && is_left_to_host(*network.producer(op.bottom(0))))
        op.set_cpu_op(true);
  }

  // A layer may consist of several ops LAYER/WHAT.
  std::string layer_of(const TensorOp& op) const {
    std::string name = op.name();
    while (!layers_.contains(name) && name.find('/') != std::string::npos)
      name.resize(name.rfind('/'));
    return layers_.contains(name) ? name : op.name();
  }

  Status find_left(const Network& single, LayerNames& left) {
    HostSearchTask task{.network = single, .outputs = outputs_, .wanted = *options_.reach};
    for (size_t i = 0; i < std::min(options_.report_samples, found_.samples); ++i) {
      TW_ASSIGN_OR_RETURN(inputs, read_inputs(single, found_.data, i, found_.samples));
      task.samples.push_back(std::move(inputs));
    }
    task.make = [&](const LayerNames& names) { return make(single, names, nullptr); };
    task.layer_of = [&](const TensorOp& op) { return layer_of(op); };
    TW_ASSIGN_OR_RETURN(found, find_host_layers(task));
    for (const LeftLayer& layer : found.left) left.insert(layer.name);
    result_.host = std::move(found);
    return {};
  }

  const TensorMeans& means() const {
    if (means_.empty()) means_ = found_.distributions.means.means();
    return means_;
  }

  // ---- Thresholds ----

  // Returns a table with the thresholds of all tensors of the folded network.
  NetCalibrationParameter choose_thresholds() {
    const Network& network = found_.network;
    TensorThresholds folded;
    for (const TensorOp& op : network.ops)
      for (const std::string& top : op.top())
        folded[top] = choose(op, top, found_.distributions.histograms.at(top));
    for (const std::string& output : network.outputs())
      folded[output] = positive(found_.ranges.at(output).magnitude(false));
    share_thresholds(network, folded, kept_inputs(folded), masks_, !options_.has_unsigned_bytes);
    for (const LayerCalibrationParameter& entry : options_.thresholds.layer())
      for (const BlobParameter& blob : entry.blob_param())
        if (const auto own = folded.find(blob.name()); own != folded.end())
          own->second = blob.threshold_y();
    describe(folded);
    return make_table(network, folded, found_.ranges);
  }

  // Returns the concatenations of floats (float_tensors.h).
  KeptInputs kept_inputs(const TensorThresholds& thresholds) const {
    ForcedMoves joins;
    const auto of_part = [&](const std::string& part) { return thresholds.at(part); };
    if (is_onnx_)
      for (const JoinedOutput& output : joined_outputs(found_.network))
        if (is_mixed(output, of_part)) joins.insert(output.layers.begin(), output.layers.end());
    KeptInputs kept;
    const auto floats = float_tensors(found_.network, outputs_, joins);
    for (const TensorOp& op : found_.network.ops)
      if (is(op, Op::concat) && floats.contains(op.top(0)) && !holds_floats(op, 0))
        kept.insert(op.name());
    return kept;
  }

  static float positive(float threshold) { return threshold > 0 ? threshold : 1.0f; }

  // Returns true for x times a gate: large results are those of large inputs, as after a layer.
  static bool grows_like_input(const TensorOp& op) {
    const std::string& name = op.tg_function_param().name();
    return name == "gate" || name == "hard_swish" || name == "swish" || name == "gelu" ||
           name == "gelu_tanh" || name == "mish";
  }

  float choose(const TensorOp& op, const std::string& top, const Histogram& histogram) const {
    // Results of bounded functions and of host operators are not clipped: clipping would change
    // their meaning.
    const bool bounded =
        (table_function(op) != nullptr && !grows_like_input(op)) || runs_on_host(op);
    if (bounded || histogram.total() < kEnoughValues) return positive(histogram.largest());
    switch (options_.method) {
      case ThresholdMethod::percentile:
        return positive(percentile_threshold(histogram, options_.percent));
      case ThresholdMethod::divergence:
        return positive(divergence_threshold(histogram));
      case ThresholdMethod::squared_error:
        return positive(squared_error_threshold(histogram, steps_of(top)));
      case ThresholdMethod::maximum:
        break;
    }
    return positive(histogram.largest());
  }

  // Unsigned bytes hold values that are never negative.
  ByteSteps steps_of(const std::string& tensor) const {
    const bool is_unsigned =
        found_.distributions.positive.contains(tensor) || found_.ranges.at(tensor).least >= 0;
    return options_.has_unsigned_bytes && is_unsigned ? kUnsignedSteps : ByteSteps{};
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

  void describe(const TensorThresholds& thresholds) {
    for (const TensorOp& op : found_.network.ops)
      for (const std::string& top : op.top()) {
        const TensorRange& range = found_.ranges.at(top);
        result_.tensors.push_back({op.name(), op.type(), found_.network.blob_name(top), range.least,
                                   range.largest, thresholds.at(top)});
        tensors_.push_back(top);
      }
  }

  // Bytes hold no infinities.
  Status check_infinite(const Network& compiled) const {
    for (const TensorOp& op : compiled.ops)
      for (int i = 0; i < op.top_size(); ++i) {
        const auto range = found_.ranges.find(op.top(i));
        if (range == found_.ranges.end() || !range->second.has_infinite || holds_floats(op, i))
          continue;
        return Error(errors::net_threshold)
            .in("calibration")
            .argument("blob", compiled.blob_name(op.top(i)))
            .detail(
                "the float net makes infinite values, and the int8 net has bytes here; take "
                "finite numbers, for a mask some 20 below the least score");
      }
    return {};
  }

  Status compare_with_float(const Network& network) {
    TW_ASSIGN_OR_RETURN(executor, FloatExecutor::create(network));
    Network compiled = result_.network;
    NetCalibrationParameter table = result_.table;
    use_floats(compiled, table, outputs_);
    TW_RETURN_IF_ERROR(check_infinite(compiled));
    TW_ASSIGN_OR_RETURN(integers, resolve(compiled, table));
    Comparison comparison(compiled, integers);
    for (size_t i = 0; i < std::min(options_.report_samples, found_.samples); ++i) {
      TW_ASSIGN_OR_RETURN(inputs, read_inputs(network, found_.data, i, found_.samples));
      TW_RETURN_IF_ERROR(comparison.add(*executor, inputs));
      step_();
    }
    for (size_t i = 0; i < tensors_.size(); ++i) {
      result_.tensors[i].sqnr = comparison.sqnr(tensors_[i]);
      result_.tensors[i].cosine = comparison.cosine(tensors_[i]);
    }
    std::map<std::string, TensorReport, std::less<>> reports;
    for (size_t i = 0; i < tensors_.size(); ++i) reports[tensors_[i]] = result_.tensors[i];
    warn_of_poor_fit(compiled, reports, result_.warnings);
    return {};
  }

  const Observed& found_;
  const CalibrationOptions& options_;
  const std::function<void()>& step_;
  Calibration result_;
  bool is_onnx_ = false;
  FloatOutputs outputs_ = FloatOutputs::kept;
  LayerNames layers_;  // of the Caffe net
  NetCalibrationParameter thresholds_;
  std::set<std::string> masks_;       // layers that mask_layers() leaves to the host
  mutable TensorMeans means_;         // once they are needed
  std::vector<std::string> tensors_;  // names of result_.tensors
};

bool is_scale(const Network& network, const std::string& name) {
  const auto op = std::ranges::find(network.ops, name, &TensorOp::name);
  return op != network.ops.end() && is(*op, Op::scale);
}

// Sets the shape of this layer. A shared blob had another layer's shape.
void take_shape(caffe::BlobProto& blob, const Blob& own) {
  blob.clear_any_shape();
  blob.clear_num();
  blob.clear_channels();
  blob.clear_height();
  blob.clear_width();
  blob.mutable_shape()->mutable_dim()->Assign(own.shape.begin(), own.shape.end());
}

// Converts a Scale or Bias layer of any axis to a Scale with one factor per channel. With two blobs
// it also has one addend per channel. The network has these blobs even if the layer had others.
void make_per_channel(caffe::LayerParameter& layer, const std::vector<Blob>& blobs) {
  layer.set_type("Scale");
  layer.clear_bias_param();
  layer.clear_scale_param();
  layer.mutable_scale_param()->set_bias_term(blobs.size() > 1);
  layer.clear_blobs();
  for (const Blob& blob : blobs) {
    caffe::BlobProto& to = *layer.add_blobs();
    for (int64_t extent : blob.shape) to.mutable_shape()->add_dim(extent);
    to.mutable_data()->Assign(blob.data.begin(), blob.data.end());
  }
}

}  // namespace

Result<Calibration> make_int8(const Observed& found, const CalibrationOptions& options,
                              const Network& single, caffe::NetParameter net,
                              const std::function<void()>& step) {
  return Int8NetBuilder(found, options, step).run(single, std::move(net));
}

void store_blobs(const Network& network, caffe::NetParameter& net) {
  for (caffe::LayerParameter& layer : *net.mutable_layer()) {
    const auto found = network.blobs.find(layer.name());
    if (found == network.blobs.end()) continue;
    if (is_scale(network, layer.name())) make_per_channel(layer, found->second);
    const int blobs = std::min(layer.blobs_size(), static_cast<int>(found->second.size()));
    for (int b = 0; b < blobs; ++b) {
      caffe::BlobProto& blob = *layer.mutable_blobs(b);
      blob.clear_double_data();
      blob.clear_diff();
      if (blob.any_shape()) take_shape(blob, found->second[b]);
      // If the layer's blob has one value, that value is for every channel of the network's blob.
      const std::vector<float>& values = found->second[b].data;
      const bool is_shared = blob.data_size() == 1;
      blob.mutable_data()->Assign(values.begin(), is_shared ? values.begin() + 1 : values.end());
    }
  }
}

}  // namespace tputwin::net
