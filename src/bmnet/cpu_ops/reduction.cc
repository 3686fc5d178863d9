// Reduces all axes from `axis` on to one value.
#include <cmath>

#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {

Status reduction(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 1));
  using Parameter = ::bmnet::TGReductionParameter;
  const auto& param = call.op.tg_reduction_param();
  TW_ASSIGN_OR_RETURN(view, view_axis(call, call.in[0].shape, param.axis()));
  const int64_t length = view.extent * view.inner;
  if (count(call.out[0]) != view.outer) return fail(call, "one output per row in front of axis");
  for (int64_t o = 0; o < view.outer; ++o) {
    float sum = 0;
    for (int64_t i = 0; i < length; ++i) {
      const float x = call.in[0].data[o * length + i];
      sum += param.operation() == Parameter::ASUM    ? std::fabs(x)
             : param.operation() == Parameter::SUMSQ ? x * x
                                                     : x;
    }
    if (param.operation() == Parameter::MEAN) sum /= static_cast<float>(length);
    call.out[0].data[o] = sum * param.coeff();
  }
  return {};
}

}  // namespace tputwin::net::cpu
