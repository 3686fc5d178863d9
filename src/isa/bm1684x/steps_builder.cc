// Steps that several functions share, and longer sequences of steps.
#include "isa/bm1684x/steps_builder.h"

namespace tputwin::isa::bm1684x_streams {

using Real = FloatArithmetic::Kind;
using Compare = Select::Compare;

// Computes tangent or cotangent. The source tensor keeps the sign of the reduced argument.
void FunctionSteps::tangent(bool is_inverse) {
  const Source dst = out(), x = src(), a = work(0);
  mul(a, x, bits(0x3ea2'f983));  // 1 / pi
  if (is_inverse) sub(a, number(0.5f), a);
  round(dst, a, Rounding::half_even);
  sub(x, a, dst);
  bitwise(Bitwise::Kind::bit_and, a, x, bits(~kMinusZeroBits));
  sub(dst, a, number(0.25f));
  mul(a, dst, dst);
  series(a, a, op_.coeff);
  mul(dst, dst, a);
  sub(a, number(1), dst);
  div(dst, number(2), a);
  sub(dst, dst, number(1));
  bitwise(Bitwise::Kind::bit_and, x, x, bits(kMinusZeroBits));
  bitwise(Bitwise::Kind::bit_or, dst, x, dst);
}

void FunctionSteps::arcsine() {
  const Source dst = out(), x = src(), a = work(0);
  mul(dst, x, x);
  mul(dst, dst, number(0.25f));
  sub(a, number(0.25f), dst);
  root(dst, a);
  sub(a, number(0.5f), dst);
  root(dst, a);
  series(a, a, op_.coeff);
  mul(a, a, dst);
  mul(dst, a, number(2));
  sign(a, x);
  mul(dst, dst, a);
}

// Computes x > 0 ? x : alpha * (e^x - 1).
void FunctionSteps::elu(const Source& alpha) {
  exponential(src());
  sub(out(), out(), number(1));
  mul(out(), out(), alpha);
  select(out(), Compare::greater, DType::f32, src(), bits(0), src(), out());
}

// Computes 1 / x, and keeps the corrections that reduce the error. A source with strides must be
// the first operand, because only the first operand may have strides.
void FunctionSteps::compensated_reciprocal() {
  const Source dst = out(), x = src(), a = work(0), b = work(1), c = work(2);
  const bool x_first = reader_.aligned({"", x.view.address}, x.view.shape, x.view.dtype) != x.view;
  auto error = [&](const Source& to) {
    mul(to, x_first ? x : a, x_first ? a : x);
    sub(to, number(1), to);
  };
  div(dst, number(1), x, op_.parameters.iterations);
  for (uint32_t i = 0; i < op_.parameters.corrections; ++i) {
    copy(a, dst);
    error(b);
    arithmetic(Real::mac, a, a, b);
    error(c);
    abs(b, b);
    abs(c, c);
    select(dst, Compare::less, DType::f32, b, c, dst, a);
  }
}

}  // namespace tputwin::isa::bm1684x_streams
