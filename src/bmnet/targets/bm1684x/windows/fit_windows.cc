// Windows beyond the fields of commands, and products beyond local memory, as layers that fit.
#include "bmnet/targets/bm1684x/windows/fit_windows.h"

#include <algorithm>
#include <functional>

#include "bmnet/integers/thresholds.h"
#include "bmnet/lowering/window_rows.h"
#include "bmnet/targets/bm1684x/lower.h"
#include "bmnet/targets/bm1684x/numbers.h"
#include "bmnet/targets/bm1684x/search/table_types.h"
#include "bmnet/targets/bm1684x/target.h"
#include "bmnet/targets/bm1684x/window.h"
#include "bmnet/targets/bm1684x/windows/layer_parts.h"

namespace tputwin::net::bm1684x {
namespace {

using Thresholds = std::map<std::string, float>;

bool fits(const Window2d& w, const Extents& out) {
  const auto& most = chip().limits.window;
  const int pad = std::max({w.pad_top, w.pad_bottom, w.pad_left, w.pad_right});
  const int stride = std::max(out.h == 1 ? 1 : w.stride_h, out.w == 1 ? 1 : w.stride_w);
  return pad <= static_cast<int>(most.padding) && stride <= static_cast<int>(most.stride) &&
         std::max(w.ins_h, w.ins_w) <= static_cast<int>(most.insert);
}

using Fit = std::function<PartTensor(LayerParts&)>;

// Sums of channels are convolutions.
PartTensor fit_lrn(LayerParts& parts) {
  const int64_t columns = parts.input().dims.back();
  return fit_columns(parts, ceil_div(columns, chip().limits.window.extent));
}

PartTensor fit_ranges(LayerParts& parts) { return fit_wide_map(parts); }

// Averages count pads on both sides alike, so their maps are not divided.
Fit fit_of_pooling(const TensorOp& op, const auto& exceeds, const auto& is_wide) {
  const Window2d w = pooling_window(op);
  const bool is_maximum = op.tg_pooling_param().pool() == ::bmnet::TGPoolingParameter::MAX;
  if (exceeds(w)) return is_maximum ? fit_max_pooling : fit_average;
  if (!is_wide(w)) return nullptr;
  return is_maximum || w.pad_left + w.pad_right == 0 ? Fit(fit_ranges) : fit_average;
}

// The types that layers compute in.
class OwnTypes {
 public:
  static Result<OwnTypes> read(const Network& network, DType type,
                               const NetCalibrationParameter* table) {
    OwnTypes types;
    types.type_ = type;
    types.floats_ = type == DType::i8 ? DType::f32 : type;
    if (table == nullptr) return types;
    if (type == DType::i8 && table->has_floats()) {
      TW_ASSIGN_OR_RETURN(floats, floats_of(*table));
      types.floats_ = floats;
    }
    const auto set = [&](const std::string& layer,
                         const LayerCalibrationParameter& entry) -> Status {
      if (!entry.has_type()) return {};
      TW_ASSIGN_OR_RETURN(own, type_of_name("layer " + layer, entry.type()));
      types.layers_.set(layer, own);
      return {};
    };
    for (const LayerCalibrationParameter& entry : table->layer())
      TW_RETURN_IF_ERROR(set(entry.name(), entry));
    for (const TensorOp& op : network.ops)
      if (const LayerCalibrationParameter* entry = find_entry(*table, op); entry != nullptr)
        TW_RETURN_IF_ERROR(set(op.name(), *entry));
    return types;
  }

  // Parts have the type of their layer, but for those of set_fp32().
  void set_fp32(const std::set<std::string>& parts) {
    for (const std::string& part : parts) layers_.set(part, DType::f32);
  }

  DType of(const TensorOp& op) const {
    const DType own = layers_.of(op.name()).value_or(type_);
    if (own != DType::i8) return own;
    const BytePacking* packing = target().packing();
    const bool is_float =
        op.cpu_op() || is(op, Op::matmul) || (packing != nullptr && !packing->computes_bytes(op));
    return is_float ? floats_ : type_;
  }

  // True for bytes in cells.
  bool packs() const { return type_ == DType::i8 && target().packing() != nullptr; }

 private:
  DType type_ = DType::f32, floats_ = DType::f32;
  LayerTypes layers_;
};

Fit fit_of_channels(const TensorOp& op, DType own) {
  if (is_long_product(op, own)) return [=](LayerParts& parts) { return fit_product(parts, own); };
  if (is_heavy_convolution(op, own))
    return [=](LayerParts& parts) { return fit_heavy_convolution(parts, own); };
  if (!has_too_many_channels(op)) return nullptr;
  return is(op, Op::lrn) ? fit_many_normalized : fit_channel_ranges;
}

// Returns what replaces a layer; nullptr if it fits.
Fit fit_of(const TensorOp& op, DType own, const ColumnRanges& columns) {
  if (const auto found = columns.find(op.name()); found != columns.end() && can_divide_columns(op))
    return [count = found->second](LayerParts& parts) { return fit_columns(parts, count); };
  if (const Fit fit = fit_of_channels(op, own)) return fit;
  const auto exceeds = [&](const Window2d& w) { return !fits(w, extents(op.output_shape(0))); };
  const auto is_wide = [&](const Window2d& w) {
    return is_too_wide(w, extents(op.input_shape(0)), extents(op.output_shape(0)));
  };
  if (is(op, Op::lrn) && is_wide({})) return fit_lrn;
  if (is(op, Op::pooling)) return fit_of_pooling(op, exceeds, is_wide);
  if (is(op, Op::upsample)) {
    const auto& sizes = op.tg_upsample_param().size();
    if (std::ranges::max(sizes) > kMostPadding) return fit_upsample;
    const Window2d w =
        upsample_window(static_cast<int>(sizes[0]), static_cast<int>(sizes[sizes.size() - 1]));
    return is_wide(w) ? Fit([](LayerParts& parts) { return fit_wide_upsample(parts); }) : nullptr;
  }
  if (!is(op, Op::convolution)) return nullptr;
  const Window2d w = convolution_window(op);
  if (is_deconvolution(op)) {
    if (!exceeds(w) && !is_wide(w) && !is_too_dilated(w)) return nullptr;
    const bool is_dilated = w.dilation_h > 1 || w.dilation_w > 1;
    return is_dilated ? fit_dilated_deconvolution : fit_deconvolution;
  }
  if (is_too_dilated(w)) return fit_dilation;
  return exceeds(w) ? Fit(fit_convolution) : is_wide(w) ? Fit(fit_ranges) : nullptr;
}

void add_threshold(NetCalibrationParameter& table, const std::string& tensor, float threshold) {
  LayerCalibrationParameter& entry = *table.add_layer();
  entry.set_name(tensor);
  entry.add_threshold_y(threshold);
  BlobParameter& blob = *entry.add_blob_param();
  blob.set_name(tensor);
  blob.set_threshold_y(threshold);
}

// Tensors of parts have the threshold of the result, but for copies of the input. Those of moves
// have that of what they move.
void add_thresholds(const std::vector<TensorOp>& made, const LayerParts& parts,
                    const Thresholds& known, NetCalibrationParameter& table) {
  const TensorOp& whole = parts.whole();
  for (const TensorOp& op : made) {
    if (keeps_threshold(op)) continue;
    const bool is_float = parts.fp32().contains(op.name()) || parts.partial().contains(op.name());
    if (is_float && op.top(0) != whole.top(0)) {
      // It is not used: floats need none.
      add_threshold(table, op.name(), 1);
      continue;
    }
    const bool is_input =
        std::ranges::find(parts.like_input(), op.top(0)) != parts.like_input().end();
    const float threshold = known.at(is_input ? whole.bottom(0) : whole.top(0));
    if (threshold > 0) add_threshold(table, op.name(), threshold);
  }
}

Result<Thresholds> thresholds_of(const Network& network, const NetCalibrationParameter* table) {
  Thresholds known;
  if (table == nullptr) return known;
  TW_ASSIGN_OR_RETURN(all, resolve_thresholds(network, *table, 0));
  for (size_t i = 0; i < network.ops.size(); ++i)
    for (int t = 0; t < network.ops[i].top_size(); ++t)
      known[network.ops[i].top(t)] = all[i].y[static_cast<size_t>(t)];
  return known;
}

}  // namespace

namespace {

// Replaces layers once. Returns false if all fit.
Result<bool> fit_once(Network& network, NetCalibrationParameter* table, OwnTypes& types,
                      const ColumnRanges& columns, std::vector<std::string>& fp32) {
  if (std::ranges::none_of(network.ops, [&](const TensorOp& op) {
        return fit_of(op, types.of(op), columns) != nullptr;
      }))
    return false;
  TW_ASSIGN_OR_RETURN(known, thresholds_of(network, table));
  std::vector<TensorOp> all;
  for (TensorOp& op : network.ops) {
    const Fit fit = fit_of(op, types.of(op), columns);
    if (fit == nullptr) {
      all.push_back(std::move(op));
      continue;
    }
    LayerParts parts(op, network);
    const PartTensor result = fit(parts);
    TW_ASSIGN_OR_RETURN(made, parts.finish(result));
    if (table != nullptr) add_thresholds(made, parts, known, *table);
    fp32.insert(fp32.end(), parts.fp32().begin(), parts.fp32().end());
    types.set_fp32(parts.fp32());
    // Packed bytes would saturate what exceeds the threshold of the whole layer.
    for (TensorOp& part : made)
      if (types.packs() &&
          (parts.fp32().contains(part.name()) || parts.partial().contains(part.name())))
        part.set_cpu_op(true);
    network.blobs.erase(op.name());
    std::ranges::move(made, std::back_inserter(all));
  }
  network.ops = std::move(all);
  return true;
}

}  // namespace

// Parts may be divided again: a large stride, for example, on a wide map.
Result<std::vector<std::string>> fit_windows(Network& network, NetCalibrationParameter* table,
                                             DType type, const ColumnRanges& columns) {
  constexpr int kMostRounds = 4;
  std::vector<std::string> fp32;
  TW_ASSIGN_OR_RETURN(types, OwnTypes::read(network, type, table));
  for (int round = 0; round < kMostRounds; ++round) {
    TW_ASSIGN_OR_RETURN(changed, fit_once(network, table, types, columns, fp32));
    if (!changed) break;
  }
  return fp32;
}

}  // namespace tputwin::net::bm1684x
