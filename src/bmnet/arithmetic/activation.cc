// Functions of one value: activations, PReLU, power, clip and named functions.
#include <algorithm>
#include <cmath>

#include "bmnet/cpu_ops/table_function.h"
#include "bmnet/float/kernels.h"
#include "bmnet/integers/choice.h"
#include "bmnet/reference/layer.h"

namespace tputwin::net {

// ---- Float ----

Result<FloatKernel> make_float_table(const TensorOp& op, const std::vector<Blob>& blobs) {
  return table_function(op) ? make_float_host(op, blobs) : FloatKernel();
}

Result<FloatKernel> make_float_activation(const TensorOp& op, const std::vector<Blob>& blobs) {
  const bool rectifies = is_plain_relu(op) || is_leaky_relu(op);
  return rectifies ? make_float_host(op, blobs) : make_float_table(op, blobs);
}

Result<FloatKernel> make_float_prelu(const TensorOp& op, const std::vector<Blob>& blobs) {
  const AroundAxis shape = around_axis(op.input_shape(0), 1);
  const bool shared = op.tg_prelu_param().channel_shared();
  TW_RETURN_IF_ERROR(check_blob(op, blobs, 0, shared ? 1 : shape.axis));
  return make_float_host(op, blobs);
}

// ---- Integers ----

Status choose_activation(const IntegerChoice& layer) {
  if (!is_leaky_relu(layer.op)) return {};
  const float ratio = layer.x() / layer.y();
  const float slope = layer.op.tg_activation_param().activation_arg(0);
  const auto gt = signed_multiplier(ratio), le = signed_multiplier(slope * ratio);
  if (!gt || !le) return layer.range(std::max(1.0f, std::fabs(slope)) * ratio);
  auto& p = *layer.entry.mutable_relu_param();
  p.set_gt_scale(gt->multiplier);
  p.set_gt_right_shift_width(gt->shift);
  p.set_le_scale(le->multiplier);
  p.set_le_right_shift_width(le->shift);
  return {};
}

Status choose_prelu(const IntegerChoice& layer) {
  TW_RETURN_IF_ERROR(layer.check_blobs());
  std::vector<float>& slopes = layer.blobs->at(0).data;
  const auto gt = signed_multiplier(layer.x() / layer.y());
  const auto le = weight_shift(slopes, layer.x(), layer.y());
  if (!gt || !le)
    return layer.range(std::max(1.0f, largest_magnitude(slopes)) * (layer.x() / layer.y()));
  quantize_weights(slopes, layer.x(), layer.y(), *le);
  auto& p = *layer.entry.mutable_prelu_param();
  p.set_gt_scale(gt->multiplier);
  p.set_gt_right_shift_width(gt->shift);
  p.set_le_right_shift_width(*le);
  return {};
}

Status choose_table(const IntegerChoice&) { return {}; }

void read_table(EntryReader& reader, LayerIntegers& integers) {
  if (const auto function = table_function(reader.op))
    integers.table = lookup_table(function, integers.threshold_x.at(0), integers.threshold_y.at(0));
}

void read_activation(EntryReader& reader, LayerIntegers& integers) {
  if (!is_leaky_relu(reader.op)) return read_table(reader, integers);
  const auto take = [&](const auto& p) {
    integers.gt_scale = reader.multiplier("gt_scale", p.gt_scale(), -128, 127);
    integers.le_scale = reader.multiplier("le_scale", p.le_scale(), -128, 127);
    integers.gt_shift = reader.shift("gt_right_shift_width", p.gt_right_shift_width());
    integers.le_shift = reader.shift("le_right_shift_width", p.le_right_shift_width());
  };
  if (reader.entry.has_relu_param())
    take(reader.entry.relu_param());
  else if (reader.entry.has_leakyrelu_param())
    take(reader.entry.leakyrelu_param());
  else
    reader.missing("relu_param", "a ReLU with a slope needs it");
}

void read_prelu(EntryReader& reader, LayerIntegers& integers) {
  if (!reader.entry.has_prelu_param()) return reader.missing("prelu_param", "a PReLU needs it");
  const auto& p = reader.entry.prelu_param();
  integers.gt_scale = reader.multiplier("gt_scale", p.gt_scale(), -128, 127);
  integers.gt_shift = reader.shift("gt_right_shift_width", p.gt_right_shift_width());
  integers.le_shift = reader.shift("le_right_shift_width", p.le_right_shift_width());
}

// ---- int8 ----
//
//   tg_activation RELU   y = max(x, 0); with a slope y = sat8(rhu(max(x,0)*gt_scale, gt_shift))
//                                                      | sat8(rhu(min(x,0)*le_scale, le_shift))
//   tg_prelu             the same with the channel's slope (blob, int8) for le_scale
//   others               y = table[byte of x]

namespace reference {
namespace {

// Scales the positive and the negative part with a factor each. One of the two parts is 0.
int8_t leaky(int64_t x, const LayerIntegers& integers, int64_t slope) {
  const int8_t positive = sat8(rhu(std::max<int64_t>(x, 0) * integers.gt_scale, integers.gt_shift));
  const int8_t negative = sat8(rhu(std::min<int64_t>(x, 0) * slope, integers.le_shift));
  return static_cast<int8_t>(positive | negative);
}

}  // namespace

Status lookup(const Layer& layer) {
  if (!layer.integers.table) return fail(layer.op, errors::net_table_entry);
  std::ranges::transform(layer.inputs[0], layer.out(),
                         [&](uint8_t byte) { return (*layer.integers.table)[byte]; });
  return {};
}

Status activation(const Layer& layer) {
  const auto& param = layer.op.tg_activation_param();
  if (param.activation() == ::bmnet::PRELU) return fail(layer.op, errors::net_ir_type);
  if (param.activation() != ::bmnet::RELU) return lookup(layer);
  const bool sloped = param.activation_arg_size() > 0 && param.activation_arg(0) != 0;
  std::ranges::transform(layer.values(), layer.out(), [&](int8_t x) {
    if (!sloped) return std::max<int8_t>(x, 0);
    return leaky(x, layer.integers, layer.integers.le_scale);
  });
  return {};
}

Status prelu(const Layer& layer) {
  const bool shared = layer.op.tg_prelu_param().channel_shared();
  const Extents e = layer.in_extents();
  TW_ASSIGN_OR_RETURN(slopes, integer_blob<int8_t>(layer, 0, shared ? 1 : e.c));
  const int8_t* in = layer.in();
  int8_t* out = layer.out();
  for (int64_t n = 0; n < e.n; ++n)
    for (int64_t c = 0; c < e.c; ++c)
      for (int64_t i = 0; i < e.h * e.w; ++i)
        *out++ = leaky(*in++, layer.integers, slopes[shared ? 0 : static_cast<size_t>(c)]);
  return {};
}

}  // namespace reference
}  // namespace tputwin::net
