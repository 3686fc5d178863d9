// Eltwise: sums with coefficients, products, maxima of tensors.
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "bmnet/float/kernels.h"
#include "bmnet/integers/choice.h"
#include "bmnet/reference/layer.h"

namespace tputwin::net {

Result<FloatKernel> make_float_eltwise(const TensorOp& op, const std::vector<Blob>& blobs) {
  return make_float_host(op, blobs);
}

// ---- Integers ----

Status choose_eltwise(const IntegerChoice& layer) {
  const auto& p = layer.op.tg_eltwise_param();
  std::optional<EltwiseMultipliers> result;
  if (p.operation() == ::bmnet::TGEltwiseParameter::PROD) {
    if (layer.thresholds.x.size() != 2)
      return Error(errors::net_bottom_count).in("layer " + layer.op.name());
    result = eltwise_product(layer.x(0), layer.x(1), layer.y());
  } else {
    const std::vector<float> coefficients(p.coeff().begin(), p.coeff().end());
    const bool sum = p.operation() == ::bmnet::TGEltwiseParameter::SUM;
    result = eltwise_sum(sum ? coefficients : std::vector<float>{}, layer.thresholds.x, layer.y());
  }
  if (!result) return layer.range(*std::ranges::max_element(layer.thresholds.x) / layer.y());
  for (const int multiplier : result->multiplier) layer.entry.add_threshold_x_quantized(multiplier);
  layer.entry.set_right_shift_width(result->shift);
  return {};
}

void read_eltwise(EntryReader& reader, LayerIntegers& integers) {
  const bool product =
      reader.op.tg_eltwise_param().operation() == ::bmnet::TGEltwiseParameter::PROD;
  integers.multiplier = reader.multipliers(product ? 1 : reader.op.bottom_size(), -128, 127);
}

// ---- int8 ----
//
//   SUM    a_0 = sat16(m_0*x_0), a_i = sat16(m_i*x_i + a_(i-1)) ..., the last step
//          y = sat8(rhu(m_k*x_k + a_(k-1), right_shift)); m signed int8 (multiplier[i])
//   MAX    y = max over i of sat8(rhu(m_i*x_i, right_shift))
//   PROD   two inputs: y = sat8(rhu(x_0*x_1*multiplier[0], right_shift)), exact inside

namespace reference {
namespace {

using Operation = ::bmnet::TGEltwiseParameter;

// The accumulator has 16 bits; the last step saturates to 8 bits.
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

}  // namespace reference
}  // namespace tputwin::net
