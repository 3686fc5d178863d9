// Quantization of float weights and thresholds to int8 weights and their calibration table.
#include "bmnet/quantize/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors/bmnet.h"
#include "bmnet/integers/choice.h"

namespace tputwin::net {
namespace {

using Entry = LayerCalibrationParameter;

// Returns the layer's entry in the new table. Ops of one Caffe layer (inputs with several tops)
// share it.
Entry& entry_of(NetCalibrationParameter& table, const TensorOp& op) {
  const std::string& id = op.calib_id().empty() ? op.name() : op.calib_id();
  for (Entry& entry : *table.mutable_layer())
    if (entry.name() == id) return entry;
  Entry& entry = *table.add_layer();
  entry.set_name(id);
  return entry;
}

bool has_fraction(const Blob& blob) {
  // Counts fractions block by block and without a branch, so that the compiler vectorizes the loop.
  constexpr size_t kBlock = 4096;
  for (size_t begin = 0; begin < blob.data.size(); begin += kBlock) {
    const size_t end = std::min(begin + kBlock, blob.data.size());
    unsigned fractions = 0;
    for (size_t i = begin; i < end; ++i)
      fractions += blob.data[i] != std::trunc(blob.data[i]) ? 1 : 0;
    if (fractions != 0) return true;
  }
  return false;
}

// Steps of more than 1 come from masks such as -10000 that are added to the scores as an int8
// tensor, for which 0 is then the only step left.
void warn_of_coarse_scores(const TensorOp& op, const LayerThresholds& thresholds,
                           const std::set<std::string>& floats, std::vector<Error>* warnings) {
  if (warnings == nullptr || !is(op, Op::softmax) || floats.contains(op.bottom(0))) return;
  const float step = thresholds.x[0] / 128;
  if (step <= 1) return;
  warnings->push_back(
      Error(errors::net_coarse_scores)
          .in("layer " + op.name())
          .argument("step of " + op.bottom(0), fmt::format("{:g}", step))
          .detail("add masks right before the Softmax, which then adds them in "
                  "floats; or take smaller numbers, some 20 below the least score"));
}

}  // namespace

bool has_weights(const Network& network) {
  return std::ranges::any_of(network.ops, [&](const TensorOp& op) {
    if (!has_trait(op, trait::integer_blobs) || is_left_to_host(op)) return false;
    const auto blobs = network.blobs.find(op.name());
    return blobs != network.blobs.end() && !blobs->second.empty();
  });
}

bool has_float_weights(const Network& network) {
  return std::ranges::any_of(network.ops, [&](const TensorOp& op) {
    if (!has_trait(op, trait::integer_blobs) || is_left_to_host(op)) return false;
    const auto blobs = network.blobs.find(op.name());
    return blobs != network.blobs.end() && std::ranges::any_of(blobs->second, has_fraction);
  });
}

Result<NetCalibrationParameter> quantize(Network& network,
                                         const NetCalibrationParameter& thresholds,
                                         std::vector<Error>* warnings, FloatOutputs outputs) {
  TW_ASSIGN_OR_RETURN(all, resolve_thresholds(network, thresholds));
  NetCalibrationParameter table;
  table.set_name(network.name);
  const std::set<std::string> floats = float_tensors(network, outputs, {});
  for (size_t i = 0; i < network.ops.size(); ++i) {
    const TensorOp& op = network.ops[i];
    if (is(op, Op::end)) continue;
    Entry& entry = entry_of(table, op);
    for (int t = 0; t < op.top_size(); ++t) {
      entry.add_threshold_y(all[i].y[t]);
      BlobParameter& blob = *entry.add_blob_param();
      blob.set_name(network.blob_name(op.top(t)));
      blob.set_threshold_y(all[i].y[t]);
      entry.add_top_unsigned(false);
    }
    for (int b = 0; b < op.bottom_size(); ++b) entry.add_bottom_unsigned(false);
    warn_of_coarse_scores(op, all[i], floats, warnings);
    if (is_left_to_host(op)) {
      entry.set_on_host(true);
      continue;
    }
    const auto blobs = network.blobs.find(op.name());
    TW_RETURN_IF_ERROR(
        choose_integers({.op = op,
                         .thresholds = all[i],
                         .blobs = blobs == network.blobs.end() ? nullptr : &blobs->second,
                         .entry = entry,
                         .given = find_entry(thresholds, op),
                         .warnings = warnings}));
  }
  return table;
}

}  // namespace tputwin::net
