// Steps of floating-point functions. They equal the recorded commands of the chip's kernel library.
#include "isa/bm1684x/function_steps.h"

#include "isa/bm1684x/steps_builder.h"

namespace tputwin::isa::bm1684x_streams {
namespace {

using Kind = FloatFunction::Kind;
using Real = FloatArithmetic::Kind;
using Compare = Select::Compare;

// ---- Groups of functions. Each returns false for functions of other groups. ----

bool root_steps(FunctionSteps& s, const FloatFunction& op) {
  const Source dst = s.out(), x = s.src();
  switch (op.kind) {
    case Kind::rsqrt:
      s.inverse_root(dst, x, op.parameters.iterations);
      return true;
    case Kind::sqrt:
      s.root(dst, x, op.parameters.iterations);
      return true;
    case Kind::compensated_reciprocal:
      s.compensated_reciprocal();
      return true;
    case Kind::softsign:
      s.abs(dst, x);
      s.plus(dst, dst, s.number(1));
      s.div(dst, x, dst);
      return true;
    default:
      return false;
  }
}

bool exponential_steps(FunctionSteps& s, const FloatFunction& op) {
  const Source dst = s.out(), x = s.src();
  switch (op.kind) {
    case Kind::exp:
      s.exponential(x);
      return true;
    case Kind::expm1:
      s.exponential(x);
      s.sub(dst, dst, s.number(1));
      return true;
    case Kind::c_pow:
      s.mul(s.work(0), x, s.number(op.parameters.alpha));
      s.exponential(s.work(0));
      return true;
    case Kind::sinh:
    case Kind::cosh:
      s.exponential(x);
      s.div(s.work(0), s.number(1), dst);
      s.arithmetic(op.kind == Kind::sinh ? Real::sub : Real::add, dst, dst, s.work(0));
      s.mul(dst, dst, s.number(0.5f));
      return true;
    case Kind::tanh:
      s.plus(dst, x, x);
      s.hyperbolic();
      return true;
    case Kind::sigmoid:
    case Kind::silu:
    case Kind::swish:
      if (op.kind == Kind::swish) s.mul(dst, x, s.number(op.parameters.beta));
      s.sub(s.work(0), s.bits(0), op.kind == Kind::swish ? dst : x);
      s.logistic();
      if (op.kind != Kind::sigmoid) s.mul(dst, dst, x);
      return true;
    case Kind::elu:
      s.elu(s.number(op.parameters.alpha));
      return true;
    case Kind::selu:
      s.elu(s.bits(0x3fd6'2d7d));            // 1.67326
      s.mul(dst, dst, s.bits(0x3f86'7d5f));  // 1.0507
      return true;
    default:
      return false;
  }
}

// x * (1 - 2 / ((e^x + 1)^2 + 1)). e^x is limited so that its square neither overflows nor
// underflows.
void mish(FunctionSteps& s) {
  const Source dst = s.out(), x = s.src();
  s.exponential(x);
  for (const auto& [limit, compare] :
       {std::pair(0x5f7f'ffd8u, Compare::greater), std::pair(0x1fff'ffdeu, Compare::less)}) {
    s.copy(s.work(0), s.bits(limit));
    s.select(dst, compare, DType::f32, dst, s.work(0), s.work(0), dst);
  }
  s.arithmetic(Real::add_square, s.work(1), dst, s.number(1));
  s.plus(dst, s.work(1), s.number(1));
  s.div(s.work(0), x, dst);
  s.mul(s.work(1), s.work(0), s.number(-2));
  s.plus(dst, x, s.work(1));
}

void gelu_fast(FunctionSteps& s) {
  const Source dst = s.out(), x = s.src(), a = s.work(0), b = s.work(1);
  s.mul(a, x, x);
  s.mul(b, a, x);
  s.mul(a, b, s.bits(0x3d37'2713));  // 0.044715
  s.plus(b, a, x);
  s.mul(a, b, s.bits(0x3f4c'422a));  // sqrt(2 / pi)
  s.plus(dst, a, a);
  s.hyperbolic();
  s.plus(b, dst, s.number(1));
  s.mul(a, b, x);
  s.mul(dst, a, s.number(0.5f));
}

bool activation_steps(FunctionSteps& s, const FloatFunction& op) {
  const Source dst = s.out(), x = s.src();
  switch (op.kind) {
    case Kind::gelu_fast:
      gelu_fast(s);
      return true;
    case Kind::mish:
      mish(s);
      return true;
    case Kind::erf:
      s.error_function(x);
      return true;
    case Kind::erfc:
      s.error_function(x);
      s.sub(dst, s.number(1), dst);
      return true;
    case Kind::gelu:
      s.mul(s.work(3), x, s.bits(0x3f35'04f3));  // 1 / sqrt(2)
      s.error_function(s.work(3));
      s.plus(s.work(1), dst, s.number(1));
      s.mul(s.work(0), s.work(1), s.number(0.5f));
      s.mul(dst, s.work(0), x);
      return true;
    default:
      return false;
  }
}

// ln(1 + e^(beta x)) / beta. For beta 1, product and quotient are skipped.
void softplus(FunctionSteps& s, float beta) {
  const bool scales = beta != 1;
  const Source dst = s.out(), a = s.work(0), b = s.work(1);
  if (scales) s.mul(a, s.src(), s.number(beta));
  s.exponential(scales ? a : s.src());
  s.plus(a, dst, s.number(1));
  s.logarithm(scales ? b : dst, a, a);
  if (scales) s.div(dst, b, s.number(1 / beta));
}

bool logarithm_steps(FunctionSteps& s, const FloatFunction& op) {
  const Source dst = s.out(), x = s.src(), a = s.work(0);
  switch (op.kind) {
    case Kind::log:
      s.logarithm(dst, a, x);
      return true;
    case Kind::log1p:
      s.plus(a, x, s.number(1));
      s.logarithm(dst, a, a);
      return true;
    case Kind::logx:
      s.logarithm(dst, a, x);
      s.mul(dst, dst, s.number(op.parameters.alpha));
      return true;
    case Kind::pow: {
      const Source power = op.b.is_constant ? s.work(1) : dst;
      s.logarithm(power, a, x);
      s.mul(a, power, op.b);
      s.exponential(a);
      return true;
    }
    case Kind::softplus:
      softplus(s, op.parameters.beta);
      return true;
    case Kind::log_sigmoid:
      s.exponential(x);
      s.plus(s.work(1), dst, s.number(1));
      s.logarithm(a, dst, s.work(1));
      s.sub(dst, x, a);
      return true;
    case Kind::arcsinh:
    case Kind::arccosh:
      s.mul(dst, x, x);
      s.arithmetic(op.kind == Kind::arcsinh ? Real::add : Real::sub, a, dst, s.number(1));
      s.root(dst, a);
      s.plus(dst, dst, x);
      s.logarithm(a, dst, dst, dst);
      return true;
    case Kind::arctanh:
      s.plus(dst, x, s.number(1));
      s.sub(a, s.number(1), x);
      s.div(dst, dst, a);
      s.logarithm(a, dst, dst, dst);
      s.mul(dst, dst, s.number(0.5f));
      return true;
    default:
      return false;
  }
}

bool circular_steps(FunctionSteps& s, const FloatFunction& op) {
  const Source dst = s.out(), a = s.work(0);
  switch (op.kind) {
    case Kind::sin:
      s.fraction_of_period();
      s.mul(a, dst, dst);
      s.series(a, a, op.coeff);
      s.mul(dst, dst, a);
      return true;
    case Kind::cos:
      s.fraction_of_period();
      s.mul(a, dst, dst);
      s.series(dst, a, op.coeff);
      return true;
    case Kind::tan:
    case Kind::cot:
      s.tangent(op.kind == Kind::cot);
      return true;
    case Kind::arcsin:
      s.arcsine();
      return true;
    case Kind::arccos:
      s.arcsine();
      s.sub(dst, s.bits(0x3fc9'0fdb), dst);  // pi / 2
      return true;
    default:
      return false;
  }
}

// Makes the steps of functions that all floating-point types have. Returns false for others.
bool typed_steps(FunctionSteps& s, const FloatFunction& op) {
  const Source dst = s.out(), x = s.src(), a = s.work(0);
  switch (op.kind) {
    case Kind::hsigmoid:
      s.mul(dst, x, s.number(op.parameters.alpha));
      s.plus(a, dst, s.number(op.parameters.beta));
      s.max(a, a, s.bits(0));
      s.min(dst, a, s.number(1));
      return true;
    case Kind::hswish:
      s.plus(dst, x, s.number(3));
      s.max(a, dst, s.bits(0));
      s.min(dst, a, s.number(6));
      s.mul(a, x, dst);
      s.mul(dst, a, s.number(1.0f / 6));
      return true;
    case Kind::isfinite: {
      const Source infinity = s.bits(float_bits(f32::from_bits(kInfinityBits), op.out.dtype));
      s.bitwise(Bitwise::Kind::bit_and, a, x, infinity);
      s.select(dst, Compare::equal_value, op.out.dtype, a, infinity, s.number(1), s.bits(0));
      s.bitwise(Bitwise::Kind::bit_xor, dst, dst, s.number(1));
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

std::vector<Operation> function_steps(const FloatFunction& op, const Chip& chip) {
  if (op.kind == Kind::div || op.kind == Kind::taylor) return {op};  // one command each
  for (const auto& steps : {root_steps, exponential_steps, activation_steps, logarithm_steps,
                            circular_steps, typed_steps}) {
    FunctionSteps s(op, chip);
    if (steps(s, op)) return s.is_complete() ? s.take() : std::vector<Operation>{op};
  }
  return {op};
}

}  // namespace tputwin::isa::bm1684x_streams
