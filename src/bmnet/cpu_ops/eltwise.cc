// Eltwise in floats: sums with coefficients, products, maxima of tensors.
#include <cmath>

#include "base/parallel.h"
#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {

Status eltwise(const Call& call) {
  using Parameter = ::bmnet::TGEltwiseParameter;
  TW_RETURN_IF_ERROR(require(call, 2));
  const Parameter& parameter = call.op.tg_eltwise_param();
  const auto operation = parameter.operation();
  const int64_t values = count(call.out[0]), operand = count(call.in[1]);
  const bool repeats = operation == Parameter::PROD && operand > 0 && values % operand == 0;
  for (const ConstTensor& in : call.in)
    if (count(in) != values && !(repeats && &in == &call.in[1]))
      return fail(call,
                  "operands have one shape; a product's second may have one value per channel");
  std::vector<float> factor(call.in.size(), 1.0f);
  for (size_t i = 0; i < factor.size() && static_cast<int>(i) < parameter.coeff_size(); ++i)
    factor[i] = parameter.coeff(static_cast<int>(i));
  const int64_t repeat = values / operand;
  parallel_for(static_cast<size_t>(values), 16384, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      float result = call.in[0].data[i];
      if (operation == Parameter::SUM) result *= factor[0];
      for (size_t k = 1; k < call.in.size(); ++k) {
        const float x = call.in[k].data[static_cast<int64_t>(i) / repeat];
        if (operation == Parameter::SUM) result += factor[k] * x;
        if (operation == Parameter::PROD) result *= x;
        if (operation == Parameter::MAX && (x >= result || std::isnan(x))) result = x;
      }
      call.out[0].data[i] = parameter.do_activation() ? std::max(result, 0.0f) : result;
    }
  });
  return {};
}

}  // namespace tputwin::net::cpu
