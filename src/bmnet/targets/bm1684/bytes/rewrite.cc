// The float net of a net of bytes, rewritten before it is quantized.
#include "bmnet/targets/bm1684/bytes/rewrite.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bmnet/integers/integers.h"
#include "bmnet/integers/thresholds.h"
#include "bmnet/targets/bm1684/bytes/quantize.h"
#include "bmnet/targets/bm1684x/axis/join_norms.h"
#include "bmnet/targets/bm1684x/moves/join_concats.h"
#include "bmnet/targets/bm1684x/simplify.h"
#include "bmnet/targets/bm1684x/windows/long_attention.h"
#include "bmnet/targets/bm1684x/windows/wide_products.h"

namespace tputwin::net::bm1684 {
namespace {

// Range holds what a table has for a tensor.
struct Range {
  float threshold = 0;
  std::vector<float> means;
};
using Ranges = std::map<std::string, Range, std::less<>>;

std::vector<float> means_of(const LayerCalibrationParameter* entry, const std::string& blob) {
  if (entry != nullptr)
    for (const BlobParameter& own : entry->blob_param())
      if (own.name() == blob) return {own.means().begin(), own.means().end()};
  return {};
}

Result<Ranges> ranges_of(const Network& network, const NetCalibrationParameter& table) {
  TW_ASSIGN_OR_RETURN(thresholds, resolve_thresholds(network, table));
  Ranges ranges;
  for (size_t i = 0; i < network.ops.size(); ++i) {
    const TensorOp& op = network.ops[i];
    for (int t = 0; t < op.top_size(); ++t)
      ranges[op.top(t)] = {thresholds[i].y[static_cast<size_t>(t)],
                           means_of(find_entry(table, op), network.blob_name(op.top(t)))};
  }
  return ranges;
}

// Constants that are added become a bias if the layer that adds them would round its result as
// coarsely. A mask of -10000, for example, would leave few steps for scores in bytes.
bool may_be_bias(const Ranges& ranges, const NetCalibrationParameter& table,
                 const TensorOp& product, const TensorOp& sum) {
  if (is_fp32(table, product) || !computes_bytes(product)) return true;
  constexpr float kMostGrowth = 2;
  const auto threshold = [&](const std::string& tensor) {
    const auto found = ranges.find(tensor);
    return found == ranges.end() ? 0 : found->second.threshold;
  };
  return !is_fp32(table, sum) && !is(sum, Op::softmax) &&
         threshold(sum.top(0)) <= kMostGrowth * threshold(product.top(0));
}

// Returns the layers of which some operand may be bytes once constants are biases and reshapes have
// moved.
std::set<std::string> layers_near_bytes(const Network& network,
                                        const NetCalibrationParameter& table) {
  std::set<std::string> layers, tensors;
  for (const TensorOp& op : network.ops) {
    const bool is_product = is(op, Op::convolution) || is(op, Op::inner_product);
    const bool passes_on = computes_bytes(op) || has_trait(op, trait::moves_elements) ||
                           is(op, Op::arithmetic) || is(op, Op::power);
    const bool has_bytes =
        std::ranges::any_of(op.bottom(), [&](const std::string& t) { return tensors.contains(t); });
    if (op.cpu_op() || is_fp32(table, op) || !passes_on) continue;
    if (!has_bytes && !(is_product && computes_bytes(op))) continue;
    layers.insert(op.name());
    tensors.insert(op.top().begin(), op.top().end());
  }
  return layers;
}

// Layers that move elements of a new tensor give it the range of their result.
void give_operands_of_moves(const Network& network, Ranges& ranges) {
  for (size_t i = network.ops.size(); i-- > 0;) {
    const TensorOp& op = network.ops[i];
    if (!has_trait(op, trait::moves_elements) || op.top_size() == 0) continue;
    const auto known = ranges.find(op.top(0));
    if (known == ranges.end()) continue;
    const Range range{known->second.threshold, {}};
    for (const std::string& tensor : op.bottom()) ranges.try_emplace(tensor, range);
  }
}

void join_concats(Network& network, const NetCalibrationParameter& table, Ranges& ranges) {
  std::map<std::string, float> thresholds;
  for (const auto& [tensor, range] : ranges) thresholds[tensor] = range.threshold;
  bm1684x::join_concats(network, thresholds, [&](const TensorOp& a, const TensorOp& b) {
    return is_fp32(table, a) == is_fp32(table, b);
  });
  for (const auto& [tensor, threshold] : thresholds) ranges[tensor].threshold = threshold;
}

const std::string& id_of(const TensorOp& op) {
  return op.calib_id().empty() ? op.name() : op.calib_id();
}

NetCalibrationParameter table_of(const Network& network, const Ranges& ranges,
                                 const NetCalibrationParameter& before) {
  NetCalibrationParameter table;
  std::map<std::string, LayerCalibrationParameter*> entries;
  for (const TensorOp& op : network.ops) {
    LayerCalibrationParameter*& entry = entries[id_of(op)];
    if (entry == nullptr) {
      entry = table.add_layer();
      const LayerCalibrationParameter* own = find_entry(before, op);
      if (own != nullptr) *entry = *own;
      entry->set_name(id_of(op));
      entry->clear_blob_param();
      entry->clear_threshold_y();
    }
    for (const std::string& top : op.top()) {
      const auto known = ranges.find(top);
      if (known == ranges.end() && keeps_threshold(op)) continue;  // that of its input
      BlobParameter& blob = *entry->add_blob_param();
      blob.set_name(network.blob_name(top));
      blob.set_threshold_y(known == ranges.end() ? 1 : known->second.threshold);
      if (known != ranges.end())
        blob.mutable_means()->Assign(known->second.means.begin(), known->second.means.end());
    }
  }
  return table;
}

}  // namespace

Result<NetCalibrationParameter> rewrite(Network& network, const NetCalibrationParameter& table) {
  TW_ASSIGN_OR_RETURN(ranges, ranges_of(network, table));
  bm1684x::join_norms(network);
  give_operands_of_moves(network, ranges);  // before reshapes cancel each other
  const std::set<std::string> near_bytes = layers_near_bytes(network, table);
  const auto keeps = [&](const TensorOp& op) {
    return near_bytes.contains(op.name()) &&
           (computes_bytes(op) || has_trait(op, trait::moves_elements));
  };
  const bm1684x::BytesOfLayers bytes{
      .keeps = keeps, .may_be_bias = [&](const TensorOp& product, const TensorOp& sum) {
        return may_be_bias(ranges, table, product, sum);
      }};
  for (const auto& [tensor, of] : bm1684x::simplify(network, true, bytes)) {
    Range range = ranges[of.tensor];
    range.threshold *= of.factor;
    if (of.factor != 1) range.means.clear();
    ranges[tensor] = std::move(range);
  }
  join_concats(network, table, ranges);
  TW_RETURN_IF_ERROR(bm1684x::divide_long_attention(network, bm1684x::Types{}));
  TW_RETURN_IF_ERROR(bm1684x::divide_wide_products(network, bm1684x::Types{}));
  give_operands_of_moves(network, ranges);
  return table_of(network, ranges, table);
}

}  // namespace tputwin::net::bm1684
