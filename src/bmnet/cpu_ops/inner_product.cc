// Inner product in floats, of nets that leave the layer to the host:
//   y(n, o) = bias(o) + sum over k of weight(o, k) * x(n, k)
#include "bmnet/cpu_ops/operator.h"

#include "base/parallel.h"
#include "bmnet/ir/network.h"

namespace tputwin::net::cpu {
namespace {

// Adds the products in kSums sums, one after the other, so that compilers can use vectors and every
// machine computes the same bits.
float dot(const float* a, const float* b, int64_t length) {
  constexpr int64_t kSums = 8;
  float sums[kSums] = {};
  int64_t k = 0;
  for (; k + kSums <= length; k += kSums)
    for (int64_t i = 0; i < kSums; ++i) sums[i] += a[k + i] * b[k + i];
  for (int64_t i = 0; k < length; ++k, ++i) sums[i] += a[k] * b[k];
  float sum = 0;
  for (const float one : sums) sum += one;
  return sum;
}

}  // namespace

Status inner_product(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 2));
  const auto& parameter = call.op.tg_inner_product_param();
  const int64_t outputs = parameter.num_output(), all = count(call.in[0]);
  const int64_t batch = call.in[0].shape.empty() ? 0 : call.in[0].shape[0];
  if (batch < 1 || outputs < 1 || count(call.out[0]) != batch * outputs ||
      count(call.in[1]) != all / batch * outputs ||
      (call.in.size() > 2 && count(call.in[2]) != outputs))
    return fail(call, "there is a weight for each input and output, and a bias for each output");
  const int64_t length = all / batch;
  Blob weight{call.in[1].shape, {call.in[1].data, call.in[1].data + count(call.in[1])}};
  const std::vector<float> matrix = inner_product_matrix(call.op, weight);
  parallel_for(static_cast<size_t>(outputs), 64, [&](size_t begin, size_t end) {
    for (auto o = static_cast<int64_t>(begin); o < static_cast<int64_t>(end); ++o)
      for (int64_t n = 0; n < batch; ++n) {
        const float* row = &matrix[static_cast<size_t>(o * length)];
        float y = dot(call.in[0].data + n * length, row, length);
        if (call.in.size() > 2) y += call.in[2].data[o];
        call.out[0].data[n * outputs + o] = parameter.do_activation() ? std::max(y, 0.0f) : y;
      }
  });
  return {};
}

}  // namespace tputwin::net::cpu
