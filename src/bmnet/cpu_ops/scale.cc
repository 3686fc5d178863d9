// Scale in floats: one factor and one addend per channel.
#include "bmnet/cpu_ops/operator.h"

#include "base/parallel.h"

namespace tputwin::net::cpu {

Status scale(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 2));
  const auto& parameter = call.op.tg_scale_param();
  TW_ASSIGN_OR_RETURN(view, view_axis(call, call.in[0].shape, parameter.axis()));
  const int64_t all = count(call.in[0]), factors = count(call.in[1]);
  if (count(call.out[0]) != all || factors < 1 || all % (view.outer * factors) != 0 ||
      (call.in.size() > 2 && count(call.in[2]) != factors))
    return fail(call, "there is a factor for each channel, and an addend for each factor");
  const int64_t inner = all / (view.outer * factors);
  const bool has_bias = call.in.size() > 2, rectified = parameter.do_activation();
  parallel_for(static_cast<size_t>(view.outer * factors), 8, [&](size_t begin, size_t end) {
    for (auto p = static_cast<int64_t>(begin); p < static_cast<int64_t>(end); ++p) {
      const float factor = call.in[1].data[p % factors];
      const float addend = has_bias ? call.in[2].data[p % factors] : 0.0f;
      for (int64_t i = p * inner; i < (p + 1) * inner; ++i) {
        const float y = call.in[0].data[i] * factor + addend;
        call.out[0].data[i] = rectified ? std::max(y, 0.0f) : y;
      }
    }
  });
  return {};
}

}  // namespace tputwin::net::cpu
