// The integers of every layer, read from the table and checked.
#include "bmnet/integers/integers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors/bmnet.h"
#include "bmnet/integers/lrn.h"
#include "bmnet/integers/thresholds.h"

namespace tputwin::net {
namespace {

using Entry = LayerCalibrationParameter;

// Numbers of one layer: what is missing or out of range becomes the first error.
class Reader {
 public:
  Reader(const TensorOp& op, const Entry& entry) : op_(op), entry_(entry) {}

  Status status() && { return std::move(status_); }
  void fail(ErrorId id, std::string_view field, std::string value, std::string detail) {
    if (!status_.ok()) return;
    status_ = Error(id)
                  .in("layer " + op_.name())
                  .argument(field, std::move(value))
                  .detail(std::move(detail));
  }
  void missing(std::string_view field, std::string detail) {
    fail(errors::net_table_entry, field, "missing", std::move(detail));
  }
  int in_range(ErrorId id, std::string_view field, int64_t value, int least, int most) {
    if (value < least || value > most)
      fail(id, field, std::to_string(value), fmt::format("in [{}, {}]", least, most));
    return static_cast<int>(value);
  }
  int shift(std::string_view field, int64_t value) {
    return in_range(errors::net_shift, field, value, 0, kLargestShift);
  }
  int multiplier(std::string_view field, int64_t value, int least, int most) {
    return in_range(errors::net_multiplier, field, value, least, most);
  }
  // `wanted` values of threshold_x_quantized.
  std::vector<int> multipliers(int wanted, int least, int most) {
    std::vector<int> result;
    if (entry_.threshold_x_quantized_size() < wanted)
      fail(errors::net_multiplier, "threshold_x_quantized",
           fmt::format("{} values", entry_.threshold_x_quantized_size()),
           fmt::format("the layer needs {}", wanted));
    else
      for (int i = 0; i < wanted; ++i)
        result.push_back(
            multiplier("threshold_x_quantized", entry_.threshold_x_quantized(i), least, most));
    return result;
  }

 private:
  const TensorOp& op_;
  const Entry& entry_;
  Status status_;
};

void read_leaky(Reader& reader, const Entry& entry, LayerIntegers& integers) {
  const auto take = [&](const auto& p) {
    integers.gt_scale = reader.multiplier("gt_scale", p.gt_scale(), -128, 127);
    integers.le_scale = reader.multiplier("le_scale", p.le_scale(), -128, 127);
    integers.gt_shift = reader.shift("gt_right_shift_width", p.gt_right_shift_width());
    integers.le_shift = reader.shift("le_right_shift_width", p.le_right_shift_width());
  };
  if (entry.has_relu_param())
    take(entry.relu_param());
  else if (entry.has_leakyrelu_param())
    take(entry.leakyrelu_param());
  else
    reader.missing("relu_param", "a ReLU with a slope needs it");
}

void read_prelu(Reader& reader, const Entry& entry, LayerIntegers& integers) {
  if (!entry.has_prelu_param()) return reader.missing("prelu_param", "a PReLU needs it");
  const auto& p = entry.prelu_param();
  integers.gt_scale = reader.multiplier("gt_scale", p.gt_scale(), -128, 127);
  integers.gt_shift = reader.shift("gt_right_shift_width", p.gt_right_shift_width());
  integers.le_shift = reader.shift("le_right_shift_width", p.le_right_shift_width());
}

void read_eltwise(Reader& reader, const TensorOp& op, LayerIntegers& integers) {
  const bool product = op.tg_eltwise_param().operation() == ::bmnet::TGEltwiseParameter::PROD;
  integers.multiplier = reader.multipliers(product ? 1 : op.bottom_size(), -128, 127);
}

void read_concat(Reader& reader, const TensorOp& op, const Entry& entry, LayerIntegers& integers) {
  const auto& p = entry.concat_param();
  if (p.need_quantize_num() == 0) return;
  if (p.threshold_x_quantized_size() < op.bottom_size() ||
      p.right_shift_width_size() < op.bottom_size())
    return reader.fail(errors::net_multiplier, "concat_param",
                       fmt::format("{} multipliers, {} shifts", p.threshold_x_quantized_size(),
                                   p.right_shift_width_size()),
                       fmt::format("the layer has {} inputs", op.bottom_size()));
  for (int i = 0; i < op.bottom_size(); ++i) {
    integers.multiplier.push_back(reader.multiplier("concat_param.threshold_x_quantized",
                                                    p.threshold_x_quantized(i), 0, 255));
    integers.shift.push_back(
        reader.shift("concat_param.right_shift_width", p.right_shift_width(i)));
  }
}

void read_lrn(Reader& reader, const TensorOp& op, const Entry& entry, LayerIntegers& integers) {
  LrnIntegers lrn;
  lrn.right_shift = integers.right_shift;
  const auto multipliers = reader.multipliers(1, 1, 127);
  if (!multipliers.empty()) lrn.sum_multiplier = multipliers[0];
  bool found = false;
  for (const BlobParameter& blob : entry.blob_param()) {
    if (blob.name() != kSumOfSquares) continue;
    found = true;
    lrn.sum_shift = reader.shift("blob_param sum_sq.right_shift_width", blob.right_shift_width());
  }
  if (!found) reader.missing("blob_param sum_sq", "an LRN needs it");
  fill_lrn_tables(op.tg_lrn_param(), integers.threshold_x.at(0), integers.threshold_y.at(0), lrn);
  integers.lrn = lrn;
}

// The table has the numbers of whole windows. A window that hangs over divides by fewer taps.
void read_overhanging(Reader& reader, const TensorOp& op, LayerIntegers& integers) {
  const Overhang over = average_overhang(op);
  if (!over.any()) return;
  const Window2d w = pooling_window(op);
  const auto add = [&](int rows, int columns) {
    const float ratio =
        average_ratio(integers.threshold_x.at(0), integers.threshold_y.at(0), rows, columns);
    if (!(ratio < 256))
      reader.fail(errors::net_weight_range, "T_x / T_y / taps", fmt::format("{}", ratio),
                  fmt::format("{} x {} taps", rows, columns));
    integers.overhanging.push_back(unsigned_multiplier(ratio));
  };
  add(w.kernel_h, w.kernel_w - over.w);
  add(w.kernel_h - over.h, w.kernel_w);
  add(w.kernel_h - over.h, w.kernel_w - over.w);
}

// Everything beyond thresholds; the layers read here have an entry.
void read_parameters(Reader& reader, const TensorOp& op, const Entry& entry,
                     LayerIntegers& integers) {
  integers.right_shift = reader.shift("right_shift_width", entry.right_shift_width());
  if (is(op, Op::pooling)) {
    const bool plain = op.tg_pooling_param().pool() == ::bmnet::TGPoolingParameter::MAX &&
                       entry.threshold_x_quantized_size() == 0;
    if (!plain) integers.multiplier = reader.multipliers(1, 0, 255);
    read_overhanging(reader, op, integers);
  } else if (is_leaky_relu(op)) {
    read_leaky(reader, entry, integers);
  } else if (is(op, Op::prelu)) {
    read_prelu(reader, entry, integers);
  } else if (is(op, Op::eltwise)) {
    read_eltwise(reader, op, integers);
  } else if (is(op, Op::concat)) {
    read_concat(reader, op, entry, integers);
  } else if (is(op, Op::lrn)) {
    read_lrn(reader, op, entry, integers);
  } else if (const auto function = table_function(op)) {
    integers.table = lookup_table(function, integers.threshold_x.at(0), integers.threshold_y.at(0));
  }
}

}  // namespace

const LayerCalibrationParameter* find_entry(const NetCalibrationParameter& table,
                                            const TensorOp& op) {
  const std::string& id = op.calib_id().empty() ? op.name() : op.calib_id();
  for (const Entry& entry : table.layer())
    if (entry.name() == id) return &entry;
  if (op.top_size() == 0) return nullptr;
  for (const Entry& entry : table.layer())
    for (const BlobParameter& blob : entry.blob_param())
      if (blob.name() == op.top(0)) return &entry;
  return nullptr;
}

Result<std::vector<LayerIntegers>> resolve(const Network& network,
                                           const NetCalibrationParameter& table) {
  TW_ASSIGN_OR_RETURN(thresholds, resolve_thresholds(network, table));
  std::vector<LayerIntegers> result;
  result.reserve(network.ops.size());
  for (size_t i = 0; i < network.ops.size(); ++i) {
    const TensorOp& op = network.ops[i];
    LayerIntegers& integers = result.emplace_back();
    integers.threshold_x = std::move(thresholds[i].x);
    integers.threshold_y = std::move(thresholds[i].y);
    const Entry* entry = find_entry(table, op);
    if (entry == nullptr && needs_entry(op))
      return Error(errors::net_table_entry).in("layer " + op.name()).argument("entry", "missing");
    static const Entry none;
    Reader reader(op, entry != nullptr ? *entry : none);
    read_parameters(reader, op, entry != nullptr ? *entry : none, integers);
    TW_RETURN_IF_ERROR(std::move(reader).status());
  }
  return result;
}

}  // namespace tputwin::net
