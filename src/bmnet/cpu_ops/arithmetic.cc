// Element-wise operations of two tensors, with extents of 1 repeated as in NumPy. The second
// operand is an input or a coefficient.
#include <array>
#include <cmath>

#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {
namespace {

using TwoOperands = ::bmnet::TGArithmeticParameter;

float combine(TwoOperands::ArithmeticOp operation, float a, float b) {
  switch (operation) {
    case TwoOperands::ADD:
      return a + b;
    case TwoOperands::SUB:
      return a - b;
    case TwoOperands::MUL:
      return a * b;
    case TwoOperands::DIV:
      return a / b;
    case TwoOperands::MAX:
      return b >= a || std::isnan(b) ? b : a;
    case TwoOperands::MIN:
      return b <= a || std::isnan(b) ? b : a;
    case TwoOperands::POW:
      return std::pow(a, b);
    case TwoOperands::KEEP:
      return b > 0.5f ? a : 0.0f;
    case TwoOperands::DROP:
      return b > 0.5f ? 0.0f : a;
  }
  return 0;
}

// Returns the distance of elements along each axis of the result; 0 where the operand is repeated.
Result<std::array<int64_t, 4>> steps(const Call& call, const ConstTensor& tensor,
                                     const Shape4& to) {
  const Shape4 from = shape4(tensor);
  const int64_t extent[] = {from.n, from.c, from.h, from.w}, wanted[] = {to.n, to.c, to.h, to.w};
  std::array<int64_t, 4> step{};
  int64_t run = 1;
  for (size_t axis = 4; axis-- > 0; run *= extent[axis]) {
    if (extent[axis] != 1 && extent[axis] != wanted[axis])
      return fail(call, "extents of operands are 1, or those of the result");
    step[axis] = extent[axis] == 1 ? 0 : run;
  }
  return step;
}

Status combine(const Call& call, TwoOperands::ArithmeticOp operation, const ConstTensor& a,
               const ConstTensor& b, float* y) {
  const Shape4 to = shape4(call.out[0]);
  TW_ASSIGN_OR_RETURN(step_a, steps(call, a, to));
  TW_ASSIGN_OR_RETURN(step_b, steps(call, b, to));
  for (int64_t n = 0; n < to.n; ++n)
    for (int64_t c = 0; c < to.c; ++c)
      for (int64_t h = 0; h < to.h; ++h) {
        const float* x_a = a.data + n * step_a[0] + c * step_a[1] + h * step_a[2];
        const float* x_b = b.data + n * step_b[0] + c * step_b[1] + h * step_b[2];
        for (int64_t w = 0; w < to.w; ++w)
          *y++ = combine(operation, x_a[w * step_a[3]], x_b[w * step_b[3]]);
      }
  return {};
}

}  // namespace

Status arithmetic(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 2));
  const auto& param = call.op.tg_arithmetic_param();
  const ConstTensor &a = call.in[param.reversed() ? 1 : 0], &b = call.in[param.reversed() ? 0 : 1];
  return combine(call, param.operation(), a, b, call.out[0].data);
}

Status add_repeated(const Call& call, const ConstTensor& a, const ConstTensor& b, float* sum) {
  return combine(call, TwoOperands::ADD, a, b, sum);
}

}  // namespace tputwin::net::cpu
