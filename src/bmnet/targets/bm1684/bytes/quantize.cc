// Float nets as nets of bytes for the BM1684.
#include "bmnet/targets/bm1684/bytes/quantize.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/errors/bmnet.h"
#include "bmnet/calibrate/bias_correction.h"
#include "bmnet/integers/thresholds.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"
#include "bmnet/quantize/quantize.h"

namespace tputwin::net::bm1684 {
namespace {

using Thresholds = std::vector<LayerThresholds>;

size_t readers(const Network& network, const std::string& tensor) {
  size_t n = 0;
  for (const TensorOp& op : network.ops)
    n += static_cast<size_t>(std::ranges::count(op.bottom(), tensor));
  return n;
}

bool rectify(TensorOp& op) {
  if (!computes_bytes(op)) return false;
  if (is(op, Op::convolution))
    op.mutable_tg_convolution_param()->set_do_activation(true);
  else if (is(op, Op::inner_product))
    op.mutable_tg_inner_product_param()->set_do_activation(true);
  else if (is(op, Op::eltwise))
    op.mutable_tg_eltwise_param()->set_do_activation(true);
  else if (is(op, Op::scale))
    op.mutable_tg_scale_param()->set_do_activation(true);
  else
    return false;
  return true;
}

// Returns the largest result of a ReLU, or of a clip from 0 to a number; nullopt for other layers.
std::optional<float> most_of_rectifier(const TensorOp& op) {
  if (is_plain_relu(op)) return INFINITY;
  if (is(op, Op::clip) && op.tg_clip_param().min() == 0) return op.tg_clip_param().max();
  return std::nullopt;
}

bool is_product(const TensorOp& op) { return is(op, Op::convolution) || is(op, Op::inner_product); }

// Returns true for a layer of bytes, if these tensors are bytes and these layers floats. Products
// take bytes, and other layers that have bytes among their inputs: the ranges of float tensors may
// be too large for bytes.
bool is_byte_layer(const TensorOp& op, const std::set<std::string>& bytes,
                   const std::set<std::string>& floats) {
  if (op.cpu_op() || floats.contains(op.name()) || op.bottom_size() == 0) return false;
  const auto has_bytes = [&](const std::string& t) { return bytes.contains(t); };
  if (has_trait(op, trait::moves_elements)) return std::ranges::all_of(op.bottom(), has_bytes);
  return computes_bytes(op) && (is_product(op) || std::ranges::any_of(op.bottom(), has_bytes));
}

// A ReLU or clip that follows a product or sum alone becomes part of it, and gives it its
// threshold. Saturation then is the upper bound of the clip, so the layer must be one of bytes.
void merge_rectifiers(Network& network, Thresholds& thresholds,
                      const std::set<std::string>& floats) {
  std::vector<TensorOp>& ops = network.ops;
  std::set<std::string> bytes;
  for (size_t i = 0; i < ops.size(); ++i) {
    const std::optional<float> most = most_of_rectifier(ops[i]);
    const auto producer = std::ranges::find_if(ops, [&](const TensorOp& op) {
      return most && op.top_size() == 1 && op.top(0) == ops[i].bottom(0);
    });
    const bool saturates = most && bytes.contains(ops[i].bottom(0));
    if (producer == ops.end() || readers(network, ops[i].bottom(0)) != 1 ||
        !(saturates || std::isinf(*most)) || !rectify(*producer)) {
      if (is_byte_layer(ops[i], bytes, floats))
        bytes.insert(ops[i].top().begin(), ops[i].top().end());
      continue;
    }
    const auto p = static_cast<size_t>(producer - ops.begin());
    thresholds[p].y = {std::min(*most, thresholds[i].y[0])};
    producer->set_top(0, ops[i].top(0));
    if (saturates) bytes.insert(ops[i].top(0));
    ops.erase(ops.begin() + static_cast<ptrdiff_t>(i));
    thresholds.erase(thresholds.begin() + static_cast<ptrdiff_t>(i));
    --i;
  }
}

// Returns a table with an entry for every layer.
NetCalibrationParameter table_of(const Network& network, const Thresholds& thresholds) {
  NetCalibrationParameter table;
  for (size_t i = 0; i < network.ops.size(); ++i) {
    const TensorOp& op = network.ops[i];
    LayerCalibrationParameter& layer = *table.add_layer();
    layer.set_name(op.name());
    for (int t = 0; t < op.top_size(); ++t) {
      auto& blob = *layer.add_blob_param();
      blob.set_name(network.blob_name(op.top(t)));
      blob.set_threshold_y(thresholds[i].y[static_cast<size_t>(t)]);
      layer.add_threshold_y(thresholds[i].y[static_cast<size_t>(t)]);
    }
  }
  return table;
}

// Returns the means of tensors that the table has.
TensorMeans means_of(const Network& network, const NetCalibrationParameter& table) {
  std::map<std::string, const BlobParameter*> known;
  for (const LayerCalibrationParameter& entry : table.layer())
    for (const BlobParameter& blob : entry.blob_param())
      if (blob.means_size() > 0) known[blob.name()] = &blob;
  TensorMeans means;
  for (const TensorOp& op : network.ops)
    for (const std::string& top : op.top())
      if (const auto found = known.find(network.blob_name(top)); found != known.end())
        means[top].assign(found->second->means().begin(), found->second->means().end());
  return means;
}

// Leaves layers to the host, those of `floats` among them.
void leave_floats(Network& network, const std::set<std::string>& floats) {
  std::set<std::string> bytes;
  for (TensorOp& op : network.ops) {
    const bool is_byte = is_byte_layer(op, bytes, floats);
    if (is_byte) bytes.insert(op.top().begin(), op.top().end());
    if (!is_byte && !has_trait(op, trait::moves_elements) &&
        properties(op.type()).runs_on == RunsOn::tpu)
      op.set_cpu_op(true);
  }
}

// Results that are elements of their input have its threshold.
void share_thresholds(const Network& network, Thresholds& thresholds) {
  std::map<std::string, float> of_tensor;
  for (size_t i = 0; i < network.ops.size(); ++i) {
    const TensorOp& op = network.ops[i];
    const bool keeps = op.bottom_size() > 0 && !is_left_to_host(op) && keeps_threshold(op);
    for (int t = 0; t < op.top_size(); ++t) {
      float& own = thresholds[i].y[static_cast<size_t>(t)];
      if (keeps) own = of_tensor.at(op.bottom(0));
      of_tensor[op.top(t)] = own;
    }
  }
}

}  // namespace

// In bytes a row is a sample of one position, so that most units of a lane idle. Products of more
// rows take less time in fp32, whose rows are positions, unless loading their weights takes longer.
// Predicted milliseconds of 8, 12 and 16 rows, in bytes and in fp32:
//   768 x 3072    0.60, 0.80, 1.01    0.74, 0.54, 0.54
//   4096 x 4096   2.16, 3.07, 4.03    4.63, 4.21, 4.23
bool has_rows_of_bytes(const TensorOp& op) {
  constexpr int64_t kMostRows = 8, kMostRowsOfLarge = 16, kLarge = int64_t{4096} * 4096;
  const int64_t rows = op.input_shape(0).dim(0);
  const int64_t weights =
      count(op.input_shape(0)) / rows * int64_t{op.tg_inner_product_param().num_output()};
  return rows <= (weights < kLarge ? kMostRows : kMostRowsOfLarge);
}

bool is_fp32(const NetCalibrationParameter& table, const TensorOp& op) {
  const LayerCalibrationParameter* entry = find_entry(table, op);
  return entry != nullptr && (entry->on_host() || entry->type() == "fp32");
}

bool computes_bytes(const TensorOp& op) {
  switch (properties(op.type()).op) {
    case Op::convolution:
      return true;
    case Op::inner_product:
      return has_rows_of_bytes(op);
    case Op::scale:
      return op.input_shape(0).dim_size() > 2 && op.tg_scale_param().axis() == 1;
    case Op::activation:
      return is_plain_relu(op);
    case Op::eltwise:
      return op.tg_eltwise_param().operation() != ::bmnet::TGEltwiseParameter::PROD;
    case Op::pooling:
      return !average_overhang(op).any();
    default:
      return false;
  }
}

namespace {

Result<QuantizedNet> quantized_but(const Network& network, const NetCalibrationParameter& table,
                                   const std::set<std::string>& floats) {
  Compilation c;
  Network& net = c.net.network;
  net = network;
  TW_ASSIGN_OR_RETURN(thresholds, resolve_thresholds(net, table));
  merge_rectifiers(net, thresholds, floats);
  leave_floats(net, floats);
  share_thresholds(net, thresholds);
  const Network real = net;
  TW_ASSIGN_OR_RETURN(integers, quantize(net, table_of(net, thresholds)));
  TW_RETURN_IF_ERROR(correct_biases(real, integers, means_of(real, table), net));
  TW_ASSIGN_OR_RETURN(resolved, resolve(net, integers));
  c.net.integers = std::move(resolved);
  TW_RETURN_IF_ERROR(pass::rescale(c));
  TW_RETURN_IF_ERROR(pass::fuse(c));
  TW_RETURN_IF_ERROR(pass::trim(c));
  return std::move(c.net);
}

// Returns the layer whose scales no shift or multiplier expresses; "" for other errors.
std::string layer_without_scales(const Network& network, const Error& error) {
  if (error.id() != errors::net_weight_range && error.id() != errors::net_multiplier) return "";
  for (const TensorOp& op : network.ops)
    if (error.call() == "layer " + op.name() && properties(op.type()).runs_on == RunsOn::tpu)
      return op.name();
  return "";
}

}  // namespace

// A layer without a right shift, because its weights are large and its results small, is fp32, as
// are those of the table.
Result<QuantizedNet> quantized(const Network& network, const NetCalibrationParameter& table) {
  std::set<std::string> floats;
  for (const TensorOp& op : network.ops)
    if (is_fp32(table, op)) floats.insert(op.name());
  for (;;) {
    Result<QuantizedNet> net = quantized_but(network, table, floats);
    if (net.ok()) return net;
    const std::string layer = layer_without_scales(network, net.error());
    if (layer.empty() || !floats.insert(layer).second) return net;
  }
}

}  // namespace tputwin::net::bm1684
