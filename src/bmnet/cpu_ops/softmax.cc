// Softmax along an axis, or its logarithm; of the sum with a second input and a coefficient, if
// any.
#include <cmath>
#include <vector>

#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {
namespace {

// Replaces the softmax with its logarithm, computed from `x`: small values of the softmax are 0.
void take_log(const Call& call, const float* x, int64_t at, const AxisView& view) {
  float* y = call.out[0].data + at;
  float largest = x[0], sum = 0;
  for (int64_t i = 1; i < view.extent; ++i) largest = std::max(largest, x[i * view.inner]);
  for (int64_t i = 0; i < view.extent; ++i) sum += std::exp(x[i * view.inner] - largest);
  for (int64_t i = 0; i < view.extent; ++i)
    y[i * view.inner] = x[i * view.inner] - largest - std::log(sum);
}

}  // namespace

Status softmax(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 1, true));
  TW_ASSIGN_OR_RETURN(view, view_axis(call, call.in[0].shape, call.op.tg_softmax_param().axis()));
  const float* x = call.in[0].data;
  std::vector<float> sum;
  ConstTensor total = call.in[0];
  for (size_t i = 1; i < call.in.size(); ++i) {
    sum.resize(static_cast<size_t>(count(total)));
    TW_RETURN_IF_ERROR(add_repeated(call, total, call.in[i], sum.data()));
    x = total.data = sum.data();
  }
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t i = 0; i < view.inner; ++i) {
      const int64_t at = o * view.extent * view.inner + i;
      softmax(x + at, call.out[0].data + at, view.extent, view.inner);
      if (call.op.tg_softmax_param().log()) take_log(call, x + at, at, view);
    }
  return {};
}

}  // namespace tputwin::net::cpu
