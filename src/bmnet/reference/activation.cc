// Activations: of one value each.
#include "base/errors/bmnet.h"
#include "bmnet/reference/layer.h"

namespace tputwin::net::reference {
namespace {

// Positive and negative part have a factor each; one of the two is 0.
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

}  // namespace tputwin::net::reference
