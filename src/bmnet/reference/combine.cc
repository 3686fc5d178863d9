// Layers over several inputs or several channels: eltwise, concat, LRN.
#include "base/errors/bmnet.h"
#include "bmnet/reference/layer.h"

namespace tputwin::net::reference {
namespace {

using Operation = ::bmnet::TGEltwiseParameter;

// A 16-bit accumulator; the last step goes to 8 bits.
int8_t eltwise_sum(const Layer& layer, size_t at) {
  const size_t last = layer.inputs.size() - 1;
  int64_t sum = 0;
  for (size_t i = 0; i < last; ++i)
    sum = sat16(multiplier(layer.integers, i) * int64_t{layer.in(i)[at]} + sum);
  sum += multiplier(layer.integers, last) * int64_t{layer.in(last)[at]};
  return sat8(rhu(sum, layer.integers.right_shift));
}

int8_t eltwise_max(const Layer& layer, size_t at) {
  int8_t result = -128;
  for (size_t i = 0; i < layer.inputs.size(); ++i) {
    const int64_t scaled = multiplier(layer.integers, i) * int64_t{layer.in(i)[at]};
    result = std::max(result, sat8(rhu(scaled, layer.integers.right_shift)));
  }
  return result;
}

int8_t eltwise_product(const Layer& layer, size_t at) {
  // The second factor may have one value per channel.
  const size_t repeat = layer.inputs[0].size() / layer.inputs[1].size();
  const int64_t value = int64_t{layer.in(0)[at]} * layer.in(1)[at / repeat];
  return sat8(rhu(value * multiplier(layer.integers, 0), layer.integers.right_shift));
}

}  // namespace

Status eltwise(const Layer& layer) {
  const auto operation = layer.op.tg_eltwise_param().operation();
  if (operation == Operation::PROD && layer.inputs.size() != 2)
    return fail(layer.op, errors::net_bottom_count);
  for (const auto& input : layer.inputs)
    if (input.size() != layer.outputs[0].size() && !is_channel_product(layer.op))
      return fail(layer.op, errors::net_operand_shapes);
  const auto formula = operation == Operation::PROD  ? eltwise_product
                       : operation == Operation::MAX ? eltwise_max
                                                     : eltwise_sum;
  for (size_t i = 0; i < layer.outputs[0].size(); ++i) layer.out()[i] = formula(layer, i);
  return {};
}

Status concat(const Layer& layer) {
  TW_ASSIGN_OR_RETURN(axis, axis_of(layer, layer.op.tg_concat_param().axis()));
  const TensorShape& whole = layer.op.output_shape(0);
  const auto rows = static_cast<size_t>(product(whole, 0, axis));
  const size_t pitch = layer.outputs[0].size() / rows;
  const bool rescaled = !layer.integers.multiplier.empty() && whole.data_type_size() == 1;
  if (rescaled &&
      std::min(layer.integers.multiplier.size(), layer.integers.shift.size()) < layer.inputs.size())
    return fail(layer.op, errors::net_multiplier);
  size_t offset = 0;
  for (size_t i = 0; i < layer.inputs.size(); ++i) {
    const size_t bytes = layer.inputs[i].size() / rows;
    if (offset + bytes > pitch) return fail(layer.op, errors::net_operand_shapes);
    for (size_t r = 0; r < rows; ++r) {
      const std::span<const int8_t> from = layer.values(i).subspan(r * bytes, bytes);
      int8_t* to = layer.out() + r * pitch + offset;
      std::ranges::transform(from, to, [&](int8_t x) {
        if (!rescaled) return x;
        return sat8(rhu(int64_t{x} * layer.integers.multiplier[i], layer.integers.shift[i]));
      });
    }
    offset += bytes;
  }
  return {};
}

// Across channels: acc = the squares of the window's channels, y = x * power[acc].
Status lrn(const Layer& layer) {
  const auto& param = layer.op.tg_lrn_param();
  if (param.norm_region() != ::bmnet::TGLRNParameter::ACROSS_CHANNELS)
    return fail(layer.op, errors::net_layer_parameter).argument("norm_region", "WITHIN_CHANNEL");
  if (!layer.integers.lrn) return fail(layer.op, errors::net_table_entry);
  const LrnIntegers& integers = *layer.integers.lrn;
  const Extents e = layer.in_extents();
  const int64_t plane = e.h * e.w, half = (int64_t{param.local_size()} - 1) / 2;
  for (int64_t n = 0; n < e.n; ++n)
    for (int64_t c = 0; c < e.c; ++c)
      for (int64_t i = 0; i < plane; ++i) {
        const int8_t* column = layer.in() + n * e.c * plane + i;
        int64_t acc = 0;
        for (int64_t k = std::max<int64_t>(c - half, 0); k <= std::min(c + half, e.c - 1); ++k) {
          const int64_t square = integers.square[static_cast<uint8_t>(column[k * plane])];
          acc = sat16(acc + square * integers.sum_multiplier);
        }
        const int8_t sum = sat8(rhu(acc, integers.sum_shift));
        const int64_t power = integers.power[static_cast<uint8_t>(sum)];
        layer.out()[(n * e.c + c) * plane + i] =
            sat8(rhu(column[c * plane] * power, integers.right_shift));
      }
  return {};
}

}  // namespace tputwin::net::reference
