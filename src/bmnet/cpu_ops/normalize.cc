// y = x * scale / sqrt(sum x^2 + eps), the sum over c,h,w or over c. The scale is the second input,
// or else a parameter. It has one value, or one per channel.
#include <cmath>

#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {
namespace {

float norm(const float* x, int64_t count, int64_t step, float eps) {
  float sum = eps;
  for (int64_t i = 0; i < count; ++i) sum += x[i * step] * x[i * step];
  return std::sqrt(sum);
}

}  // namespace

Status normalize(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 1, true));
  const auto& param = call.op.tg_norm_param();
  const Shape4 e = shape4(call.in[0]);
  std::vector<float> scale(param.scale().begin(), param.scale().end());
  if (call.in.size() > 1) scale.assign(call.in[1].data, call.in[1].data + count(call.in[1]));
  if (scale.empty()) scale = {1.0F};
  if (param.channel_shared()) scale.assign(static_cast<size_t>(e.c), scale[0]);
  if (scale.size() != static_cast<size_t>(e.c)) return fail(call, "one scale, or one per channel");
  const int64_t plane = e.h * e.w;
  for (int64_t n = 0; n < e.n; ++n) {
    const float* x = call.in[0].data + n * e.c * plane;
    float* y = call.out[0].data + n * e.c * plane;
    const float whole = norm(x, e.c * plane, 1, param.eps());
    for (int64_t i = 0; i < plane; ++i) {
      const float length = param.across_spatial() ? whole : norm(x + i, e.c, plane, param.eps());
      for (int64_t c = 0; c < e.c; ++c)
        y[c * plane + i] = x[c * plane + i] / length * scale[static_cast<size_t>(c)];
    }
  }
  return {};
}

}  // namespace tputwin::net::cpu
