// Reduces all axes from `axis` on to one value.
#include <cmath>

#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {
namespace {

using Reduction = ::bmnet::TGReductionParameter;

float sum_of_exponentials(const float* x, int64_t length, float largest) {
  float sum = 0;
  for (int64_t i = 0; i < length; ++i) sum += std::exp(x[i] - largest);
  return sum;
}

template <class Function>
float fold(const float* x, int64_t length, float first, Function function) {
  for (int64_t i = 0; i < length; ++i) first = function(first, x[i]);
  return first;
}

float reduce(Reduction::ReductionOp operation, const float* x, int64_t length) {
  const auto sum = [](float a, float b) { return a + b; };
  const auto square = [](float a, float b) { return a + b * b; };
  const auto most = [](float a, float b) { return std::max(a, b); };
  switch (operation) {
    case Reduction::SUM:
      return fold(x, length, 0, sum);
    case Reduction::MEAN:
      return fold(x, length, 0, sum) / static_cast<float>(length);
    case Reduction::ASUM:
      return fold(x, length, 0, [](float a, float b) { return a + std::fabs(b); });
    case Reduction::SUMSQ:
      return fold(x, length, 0, square);
    case Reduction::NORM:
      return std::sqrt(fold(x, length, 0, square));
    case Reduction::MAX:
      return fold(x, length, x[0], most);
    case Reduction::MIN:
      return fold(x, length, x[0], [](float a, float b) { return std::min(a, b); });
    case Reduction::PROD:
      return fold(x, length, 1, [](float a, float b) { return a * b; });
    case Reduction::LOG_SUM:
      return std::log(fold(x, length, 0, sum));
    case Reduction::LOG_SUM_EXP: {
      const float largest = fold(x, length, x[0], most);
      if (std::isinf(largest)) return largest;
      return largest + std::log(sum_of_exponentials(x, length, largest));
    }
  }
  return 0;
}

}  // namespace

Status reduction(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 1));
  const auto& param = call.op.tg_reduction_param();
  TW_ASSIGN_OR_RETURN(view, view_axis(call, call.in[0].shape, param.axis()));
  const int64_t length = view.extent * view.inner;
  if (count(call.out[0]) != view.outer) return fail(call, "one output per row before axis");
  for (int64_t o = 0; o < view.outer; ++o)
    call.out[0].data[o] =
        reduce(param.operation(), call.in[0].data + o * length, length) * param.coeff();
  return {};
}

}  // namespace tputwin::net::cpu
