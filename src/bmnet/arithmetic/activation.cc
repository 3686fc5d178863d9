// Functions of one value: activations, PReLU, power, clip and named functions.
#include "bmnet/arithmetic/activation.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bmnet/arithmetic/by_value.h"
#include "bmnet/integers/choice.h"
#include "bmnet/integers/functions.h"
#include "bmnet/reference/layer.h"

namespace tputwin::net {

namespace {

// Returns x * g(x). The steps of g are no gates themselves.
std::function<float(float)> gate_function(const ::bmnet::TGFunctionParameter& p) {
  std::vector<std::function<float(float)>> steps;
  for (const TensorOp& step : p.gate()) {
    if (step.tg_function_param().gate_size() > 0) return nullptr;
    steps.push_back(table_function(step));
    if (steps.back() == nullptr) return nullptr;
  }
  return [steps = std::move(steps)](float x) {
    float g = x;
    for (const auto& step : steps) g = step(g);
    return x * g;
  };
}

}  // namespace

std::function<float(float)> table_function(const TensorOp& op) {
  if (is(op, Op::power)) {
    const auto& p = op.tg_power_param();
    return [power = p.power(), scale = p.scale(), shift = p.shift()](float x) {
      // Without the branch, 0 + -0 would lose the sign of -0.
      const float inner = shift == 0 ? scale * x : shift + scale * x;
      return power == 1 ? inner : std::pow(inner, power);
    };
  }
  if (is(op, Op::function)) {
    const auto& p = op.tg_function_param();
    if (p.gate_size() > 0) return gate_function(p);
    return named_function(p.name(), {p.arg().data(), static_cast<size_t>(p.arg_size())});
  }
  if (is(op, Op::clip))
    return [least = op.tg_clip_param().min(), most = op.tg_clip_param().max()](float x) {
      return std::min(std::max(x, least), most);
    };
  if (!is(op, Op::activation)) return nullptr;
  const auto& p = op.tg_activation_param();
  switch (p.activation()) {
    case ::bmnet::SIGMOID:
      return [](float x) { return 1.0f / (1.0f + std::exp(-x)); };
    case ::bmnet::TANH:
      return [](float x) { return std::tanh(x); };
    case ::bmnet::ABS:
      return [](float x) { return std::fabs(x); };
    case ::bmnet::ELU:
      return [alpha = p.activation_arg_size() > 0 ? p.activation_arg(0) : 1.0f](float x) {
        return x > 0 ? x : alpha * (std::exp(x) - 1.0f);
      };
    default:
      return nullptr;
  }
}

// ---- Float ----

namespace {

FloatKernel relu(float slope) {
  // A slope of 0 needs this branch: infinity times 0 is NaN.
  if (slope == 0) return per_value([](float x) { return x < 0 ? 0.0f : x; });
  return per_value([slope](float x) { return x > 0 ? x : x * slope; });
}

}  // namespace

Result<FloatKernel> make_float_table(const TensorOp& op, const std::vector<Blob>&) {
  auto function = table_function(op);
  return function ? per_value(std::move(function)) : FloatKernel();
}

Result<FloatKernel> make_float_activation(const TensorOp& op, const std::vector<Blob>& blobs) {
  if (is_plain_relu(op)) return relu(0);
  if (is_leaky_relu(op)) return relu(op.tg_activation_param().activation_arg(0));
  return make_float_table(op, blobs);
}

Result<FloatKernel> make_float_prelu(const TensorOp& op, const std::vector<Blob>& blobs) {
  const AroundAxis shape = around_axis(op.input_shape(0), 1);
  const bool shared = op.tg_prelu_param().channel_shared();
  TW_RETURN_IF_ERROR(check_blob(op, blobs, 0, shared ? 1 : shape.axis));
  if (shared) return relu(blobs[0].data[0]);
  return per_channel(shape, [slopes = blobs[0].data](float x, size_t channel) {
    return x > 0 ? x : x * slopes[channel];
  });
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
