// Tangent, hyperbolic and inverse functions of fp32 on the BM1684, and rounding.
#include <cmath>
#include <numbers>

#include "bmnet/targets/bm1684/function_steps.h"
#include "bmnet/targets/bm1684/functions.h"

namespace tputwin::net::bm1684 {
namespace {

using Kind = FloatFunction::Kind;
using Real = FloatArithmetic::Kind;
using Bits = Bitwise::Kind;

constexpr uint32_t kSignBit = 0x8000'0000, kAllOtherBits = 0x7fff'ffff;
constexpr float kHalfPi = std::numbers::pi_v<float> / 2;

Source tensor(const TensorView& v) { return Source::tensor(v); }
Source constant(float v) { return Source::value(v); }

// y = the sum of coefficients[i] * x^(n - 1 - i). `y` is not `x`.
void polynomial(FunctionSteps& s, const TensorView& y, const TensorView& x,
                std::span<const float> coefficients) {
  s.arithmetic(Real::mul, y, x, coefficients[0]);
  for (size_t i = 1; i < coefficients.size(); ++i) {
    s.arithmetic(Real::add, y, y, coefficients[i]);
    if (i + 1 < coefficients.size()) s.arithmetic(Real::mul, y, y, x);
  }
}

// Gives `y`, which is positive, the sign of x. Uses work 0.
void give_sign(FunctionSteps& s, const TensorView& y) {
  s.bits(Bits::bit_and, s.work(0), s.x, kSignBit);
  s.bits(Bits::bit_or, y, y, s.work(0));
}

// e^|x| in work 3, its inverse in work 4.
void both_exponentials(FunctionSteps& s) {
  s.bits(Bits::bit_and, s.work(3), s.x, kAllOtherBits);
  emit_exponential(s, s.work(3), s.work(3));
  s.arithmetic(Real::div, s.work(4), 1.0f, s.work(3));
}

// (e^|x| - e^-|x|) / 2, with the sign of x. Below 1/2, where the difference has few digits, the
// series x + x^3 / 3! + x^5 / 5! + x^7 / 7!, to 6e-9.
void sinh(FunctionSteps& s, const FloatFunction&) {
  constexpr float kSeries[] = {1.0f / 5040, 1.0f / 120, 1.0f / 6, 1.0f};
  const TensorView &square = s.work(1), &series = s.work(2), &large = s.work(3);
  both_exponentials(s);
  s.arithmetic(Real::sub, large, large, s.work(4));
  s.arithmetic(Real::mul, large, large, 0.5f);
  give_sign(s, large);
  s.arithmetic(Real::mul, square, s.x, s.x);
  polynomial(s, series, square, kSeries);
  s.arithmetic(Real::mul, series, series, s.x);
  s.choose(s.to, tensor(square), constant(0.25f), tensor(large), tensor(series));
}

void cosh(FunctionSteps& s, const FloatFunction&) {
  both_exponentials(s);
  s.arithmetic(Real::add, s.work(3), s.work(3), s.work(4));
  s.arithmetic(Real::mul, s.to, s.work(3), 0.5f);
}

void tan(FunctionSteps& s, const FloatFunction&) {
  emit_sine(s, 0);
  s.arithmetic(Real::mul, s.work(3), s.to, 1.0f);
  emit_sine(s, kHalfPi);
  s.arithmetic(Real::div, s.to, s.work(3), s.to);
}

// log(x + sqrt(x - 1) * sqrt(x + 1))
void arccosh(FunctionSteps& s, const FloatFunction&) {
  const TensorView &square = s.work(0), &root = s.work(1), &w = s.work(3);
  for (const float shift : {-1.0f, 1.0f}) {
    s.arithmetic(Real::add, square, s.x, shift);
    s.unary(UnaryF32::Kind::rsqrt, root, square);
    s.arithmetic(Real::mul, square, square, root);
    if (shift < 0)
      s.arithmetic(Real::mul, w, square, 1.0f);
    else
      s.arithmetic(Real::mul, w, w, square);
  }
  s.arithmetic(Real::add, w, w, s.x);
  emit_logarithm(s, w, w);
  s.arithmetic(Real::mul, s.to, w, 1.0f);
}

// log((1 + x) / (1 - x)) / 2
void arctanh(FunctionSteps& s, const FloatFunction&) {
  const TensorView &sum = s.work(0), &w = s.work(3);
  s.arithmetic(Real::add, sum, s.x, 1.0f);
  s.arithmetic(Real::sub, w, 1.0f, s.x);
  s.arithmetic(Real::div, w, sum, w);
  emit_logarithm(s, w, w);
  s.arithmetic(Real::mul, s.to, w, 0.5f);
}

constexpr FunctionRow kInverseRows[] = {
    {Kind::sinh, 5, sinh},       {Kind::cosh, 5, cosh},       {Kind::tan, 4, tan},
    {Kind::arccosh, 4, arccosh}, {Kind::arctanh, 4, arctanh},
};

}  // namespace

std::span<const FunctionRow> inverse_functions() { return kInverseRows; }

// The chip compares bits, and chooses a constant or 0. Zero has two patterns.
void emit_choice_if_equal(bm1684x::StreamProgram& program, const Select& op, uint32_t work) {
  const Shape& e = op.out.shape;
  const FloatFunction f{.kind = Kind::div, .out = op.out, .a = op.a};
  FunctionSteps s(program, f, {e.n, e.c, e.h, e.w}, work);
  const TensorView& equal = s.work(0);
  const float value = f32::from_bits(op.b.constant);
  if (value == 0) s.bits(Bits::bit_and, equal, op.a.view, kAllOtherBits);
  s.if_equal(equal, value == 0 ? equal : op.a.view, value == 0 ? 0.0f : value, 1.0f);
  s.choose(op.out, tensor(equal), constant(0.5f), op.if_true, op.if_false);
}

// Adding 2^23 to a magnitude below it rounds that to a whole number, half to even. Larger numbers
// are whole. If the result is on the wrong side of the number, 1 is added or subtracted.
void emit_rounding(bm1684x::StreamProgram& program, const TensorView& to, const TensorView& from,
                   Rounding rounding, uint32_t work) {
  constexpr float kRounder = 0x1p23f;
  const FloatFunction f{.kind = Kind::div, .out = to, .a = tensor(from)};
  FunctionSteps s(program, f, {to.shape.n, to.shape.c, to.shape.h, to.shape.w}, work);
  const TensorView &magnitude = s.work(0), &whole = s.work(1), &shift = s.work(2);
  s.bits(Bits::bit_and, magnitude, from, kAllOtherBits);
  s.arithmetic(Real::add, whole, magnitude, kRounder);
  s.arithmetic(Real::sub, whole, whole, kRounder);
  s.choose(whole, tensor(magnitude), constant(kRounder), tensor(magnitude), tensor(whole));
  if (rounding == Rounding::toward_zero) {
    s.choose(shift, tensor(whole), tensor(magnitude), constant(-1), constant(0));
    s.arithmetic(Real::add, whole, whole, shift);
  }
  s.bits(Bits::bit_and, shift, from, kSignBit);
  s.bits(Bits::bit_or, whole, whole, shift);
  if (rounding == Rounding::up || rounding == Rounding::down) {
    const bool is_up = rounding == Rounding::up;
    const Source x = tensor(from), y = tensor(whole);
    s.choose(shift, is_up ? x : y, is_up ? y : x, constant(is_up ? 1 : -1), constant(0));
    s.arithmetic(Real::add, whole, whole, shift);
  }
  s.arithmetic(Real::mul, to, whole, 1.0f);
}

}  // namespace tputwin::net::bm1684
