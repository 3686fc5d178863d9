// Thresholds of a net's tensors, from its table.
#include "bmnet/integers/thresholds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/errors/bmnet.h"
#include "bmnet/integers/integers.h"

namespace tputwin::net {
namespace {

using Entry = LayerCalibrationParameter;
using Known = std::map<std::string, float, std::less<>>;

// Returns the threshold of top `i`, by blob name or else by position.
std::optional<float> entry_threshold(const Network& network, const TensorOp& op, const Entry& entry,
                                     int i) {
  const std::string& blob_name = network.blob_name(op.top(i));
  for (const BlobParameter& blob : entry.blob_param())
    if (blob.name() == blob_name || blob.name() == op.top(i)) return blob.threshold_y();
  if (i < entry.threshold_y_size()) return entry.threshold_y(i);
  return std::nullopt;
}

// Tensors that have no threshold, and the layer of the first.
struct Missing {
  std::string layer;
  std::vector<std::string> blobs;

  Error error() const {
    constexpr size_t kNamed = 4;
    std::string names;
    for (size_t i = 0; i < std::min(blobs.size(), kNamed); ++i)
      names += (i == 0 ? "" : ", ") + blobs[i];
    if (blobs.size() > kNamed) names += fmt::format(" and {} others", blobs.size() - kNamed);
    return Error(errors::net_table_entry)
        .in("layer " + layer)
        .argument("threshold_y", "missing")
        .detail((blobs.size() == 1 ? "of blob " : "of blobs ") + names +
                "; calibrate this net again");
  }
};

// Missing ones are remembered and count as 1. Those of floats are `of_floats`.
Result<float> threshold_of_top(const Network& network, const TensorOp& op, const Entry* entry,
                               int i, const LayerThresholds& layer, float of_floats,
                               Missing& missing) {
  std::optional<float> threshold;
  if (entry != nullptr) threshold = entry_threshold(network, op, *entry, i);
  if (!threshold && keeps_threshold(op) && !layer.x.empty()) return layer.x[0];
  if (!threshold && (holds_floats(op, i) || is(op, Op::host))) return of_floats;
  if (!threshold) {
    if (missing.blobs.empty()) missing.layer = op.name();
    missing.blobs.push_back(network.blob_name(op.top(i)));
    return 1.0f;
  }
  if (!(*threshold > 0) || !std::isfinite(*threshold))
    return Error(errors::net_threshold)
        .in("layer " + op.name())
        .argument("threshold_y", fmt::format("{}", *threshold))
        .detail("of blob " + network.blob_name(op.top(i)) + "; calibrate again");
  return *threshold;
}

// Returns the entry of an op, which it adds if there is none.
Entry& own_entry(NetCalibrationParameter& table, const TensorOp& op) {
  const Entry* known = find_entry(table, op);
  for (Entry& entry : *table.mutable_layer())
    if (&entry == known) return entry;
  Entry& added = *table.add_layer();
  added.set_name(op.calib_id().empty() ? op.name() : op.calib_id());
  return added;
}

}  // namespace

Result<std::vector<LayerThresholds>> resolve_thresholds(const Network& network,
                                                        const NetCalibrationParameter& table,
                                                        float of_floats) {
  Known known;
  Missing missing;
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
      TW_ASSIGN_OR_RETURN(threshold,
                          threshold_of_top(network, op, entry, i, layer, of_floats, missing));
      layer.y.push_back(threshold);
      known[op.top(i)] = threshold;
    }
  }
  if (!missing.blobs.empty()) return missing.error();
  return result;
}

std::set<std::string> tensors_without_threshold(const Network& network,
                                                const NetCalibrationParameter& table) {
  std::set<std::string> without;
  for (const TensorOp& op : network.ops) {
    const Entry* entry = find_entry(table, op);
    const bool keeps = keeps_threshold(op) && op.bottom_size() > 0;
    if (is(op, Op::host) || (keeps && !without.contains(op.bottom(0)))) continue;
    for (int i = 0; i < op.top_size(); ++i)
      if (!holds_floats(op, i) &&
          (entry == nullptr || !entry_threshold(network, op, *entry, i).has_value()))
        without.insert(op.top(i));
  }
  return without;
}

void keep_unscaled_end_in_floats(const Network& network, NetCalibrationParameter& table) {
  const std::set<std::string> without = tensors_without_threshold(network, table);
  std::set<std::string> scaled;  // tensors that a layer before the last scale reads
  for (auto op = network.ops.rbegin(); op != network.ops.rend(); ++op) {
    // A range that is known anyway, such as that of a Sigmoid, is no scale of the file.
    const bool reads_unscaled = std::ranges::any_of(
        op->bottom(), [&](const std::string& bottom) { return without.contains(bottom); });
    const bool is_at_end = std::ranges::all_of(op->top(), [&](const std::string& top) {
      return (reads_unscaled || without.contains(top)) && !scaled.contains(top);
    });
    if (is(*op, Op::end) || is(*op, Op::host) || holds_floats(*op, 0)) continue;
    if (is(*op, Op::start) || !is_at_end) {
      scaled.insert(op->bottom().begin(), op->bottom().end());
      continue;
    }
    Entry& entry = own_entry(table, *op);
    entry.set_type("fp32");
    for (const std::string& top : op->top()) {
      if (!without.contains(top)) continue;
      // Floats need a threshold for their form only.
      BlobParameter& blob = *entry.add_blob_param();
      blob.set_name(network.blob_name(top));
      blob.set_threshold_y(1);
    }
  }
}

}  // namespace tputwin::net
