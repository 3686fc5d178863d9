// Thresholds of a net's tensors, from its table.
#include "bmnet/integers/thresholds.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/errors/bmnet.h"
#include "bmnet/integers/integers.h"

namespace tputwin::net {
namespace {

using Entry = LayerCalibrationParameter;
using Known = std::map<std::string, float, std::less<>>;

// Of top `i`: by blob name, else by position.
std::optional<float> entry_threshold(const Network& network, const TensorOp& op, const Entry& entry,
                                     int i) {
  const std::string& blob_name = network.blob_name(op.top(i));
  for (const BlobParameter& blob : entry.blob_param())
    if (blob.name() == blob_name || blob.name() == op.top(i)) return blob.threshold_y();
  if (i < entry.threshold_y_size()) return entry.threshold_y(i);
  return std::nullopt;
}

Result<float> threshold_of_top(const Network& network, const TensorOp& op, const Entry* entry,
                               int i, const LayerThresholds& layer) {
  std::optional<float> threshold;
  if (entry != nullptr) threshold = entry_threshold(network, op, *entry, i);
  if (!threshold && keeps_threshold(op) && !layer.x.empty()) threshold = layer.x[0];
  if (!threshold && holds_floats(op, i)) threshold = 1.0f;
  if (!threshold)
    return Error(errors::net_table_entry)
        .in("layer " + op.name())
        .argument("threshold_y", "missing")
        .detail("of blob " + network.blob_name(op.top(i)));
  if (!(*threshold > 0) || !std::isfinite(*threshold))
    return Error(errors::net_threshold)
        .in("layer " + op.name())
        .argument("threshold_y", fmt::format("{}", *threshold))
        .detail("of blob " + network.blob_name(op.top(i)));
  return *threshold;
}

}  // namespace

Result<std::vector<LayerThresholds>> resolve_thresholds(const Network& network,
                                                        const NetCalibrationParameter& table) {
  Known known;
  std::vector<LayerThresholds> result;
  result.reserve(network.ops.size());
  for (const TensorOp& op : network.ops) {
    if (is(op, Op::batchnorm)) return Error(errors::net_unfolded).in("layer " + op.name());
    LayerThresholds& layer = result.emplace_back();
    for (const std::string& bottom : op.bottom()) {
      const auto found = known.find(bottom);
      if (found == known.end())
        return Error(errors::net_ir).in("layer " + op.name()).argument("bottom", bottom);
      layer.x.push_back(found->second);
    }
    const Entry* entry = find_entry(table, op);
    for (int i = 0; i < op.top_size(); ++i) {
      TW_ASSIGN_OR_RETURN(threshold, threshold_of_top(network, op, entry, i, layer));
      layer.y.push_back(threshold);
      known[op.top(i)] = threshold;
    }
  }
  return result;
}

}  // namespace tputwin::net
