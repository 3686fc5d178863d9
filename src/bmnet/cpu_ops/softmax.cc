// Softmax along an axis, or its logarithm; of the sum with a second input and a coefficient, if
// any.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"
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
  constexpr int64_t kValuesPerTask = 512;
  const auto rows = static_cast<size_t>(view.outer * view.inner),
             grain = static_cast<size_t>(kValuesPerTask / std::max<int64_t>(1, view.extent) + 1);
  parallel_for(rows, grain, [&](size_t begin, size_t end) {
    for (auto row = static_cast<int64_t>(begin); row < static_cast<int64_t>(end); ++row) {
      const int64_t at = row / view.inner * view.extent * view.inner + row % view.inner;
      softmax(x + at, call.out[0].data + at, view.extent, view.inner);
      if (call.op.tg_softmax_param().log()) take_log(call, x + at, at, view);
    }
  });
  return {};
}

}  // namespace tputwin::net::cpu
