// Functions of fp32 on the BM1684: series, tables of L2, and arithmetic.
#include "bmnet/targets/bm1684/functions.h"

#include <cmath>
#include <numbers>

#include "bmnet/targets/bm1684/function_steps.h"
#include "numerics/l2_tables.h"

namespace tputwin::net::bm1684 {
namespace {

using bm1684x::ScalarStep;
using bm1684x::StreamProgram;
using Steps = FunctionSteps;
using Kind = FloatFunction::Kind;
using Real = FloatArithmetic::Kind;
using Bits = Bitwise::Kind;

constexpr uint32_t kSign = 0x8000'0000, kMagnitude = 0x7fff'ffff, kInfinity = 0x7f80'0000;
// Offsets of further tables in L2: "Commands of the BM1684" 6.
constexpr uint32_t kL2Logarithms = 0x30'0800, kL2LogCoefficients = 0x30'0d00,
                   kL2SineCoefficients = 0x30'1700;
// The table of e^k has numbers for k of this range.
constexpr float kLeastPower = -103, kMostPower = 88;

}  // namespace

// e^k * (1 + w) for whole k, with w = e^f - 1 and f in (-1, 1): w * e^k + e^k. Uses work 0 to 2.
void emit_exponential(FunctionSteps& s, const TensorView& y, const TensorView& x) {
  constexpr uint32_t kTerms = 10;  // 1 / 11! = 2.5e-8
  const TensorView &f = s.work(0), &k = s.work(1), &t = s.work(2);
  s.arithmetic(Real::max, f, x, kLeastPower);
  s.arithmetic(Real::min, f, f, kMostPower);
  s.unary(UnaryF32::Kind::to_int32, k, f);
  s.lookup(t, k, kL2Int8);
  s.arithmetic(Real::sub, f, f, t);
  s.lookup(t, k, kL2Exp);
  s.series(f, f, kL2ExpCoefficients, kTerms);
  s.arithmetic(Real::mul, f, f, t);
  s.arithmetic(Real::add, y, f, t);
}

// log(2^e * m) = e * log(2) + log(1 + t), with t = m - 1 in [-1/3, 1/3]. The power of 2 has the
// exponent field e; exclusive or with all bits of the field gives 255 - e, which is 2^(128 - e).
// Example: 6 = 2^3 * 0.75. Numbers below the smallest normal count as that one. Uses work 0 to 2.
void emit_logarithm(FunctionSteps& s, const TensorView& y, const TensorView& x) {
  constexpr float kSmallest = 0x1p-126f, kLargest = 0x1.4p127f;
  constexpr uint32_t kTerms = 16;  // 3^-17 / 17 = 4.6e-10
  const TensorView &t = s.work(0), &e = s.work(1), &w = s.work(2);
  s.arithmetic(Real::max, t, x, kSmallest);
  s.arithmetic(Real::min, t, t, kLargest);
  s.exponent(e, t, true);
  s.exponent(w, t, false);
  s.bits(Bits::bit_xor, w, w, kInfinity);
  s.arithmetic(Real::mul, t, t, w);
  s.arithmetic(Real::mul, t, t, 0.5f);
  s.arithmetic(Real::sub, t, t, 1.0f);
  s.series(t, t, kL2LogCoefficients, kTerms);
  s.lookup(w, e, kL2Logarithms);
  s.arithmetic(Real::add, t, t, w);
  s.if_equal(w, x, 0.0f, -INFINITY);
  s.arithmetic(Real::add, y, t, w);
}

namespace {

// 1 / (1 + e^(factor * x)). Uses work 0 to 3, and leaves the result in work 3.
void reciprocal_of_one_plus_exp(Steps& s, const TensorView& x, float factor) {
  const TensorView& w = s.work(3);
  s.arithmetic(Real::mul, w, x, factor);
  emit_exponential(s, w, w);
  s.arithmetic(Real::add, w, w, 1.0f);
  s.arithmetic(Real::div, w, 1.0f, w);
}

void sigmoid(Steps& s, const FloatFunction&) {
  reciprocal_of_one_plus_exp(s, s.x, -1);
  s.arithmetic(Real::mul, s.to, s.work(3), 1.0f);
}

void swish(Steps& s, const FloatFunction& f) {
  reciprocal_of_one_plus_exp(s, s.x, f.kind == Kind::silu ? -1 : -f.parameters.beta);
  s.arithmetic(Real::mul, s.to, s.x, s.work(3));
}

// 1 - 2 / (1 + e^2x)
void hyperbolic_tangent(Steps& s, const FloatFunction&) {
  const TensorView& w = s.work(3);
  reciprocal_of_one_plus_exp(s, s.x, 2);
  s.arithmetic(Real::mul, w, w, 2.0f);
  s.arithmetic(Real::sub, s.to, 1.0f, w);
}

// max(x, 0) + alpha * (e^min(x, 0) - 1)
void elu(Steps& s, const FloatFunction& f) {
  const TensorView& w = s.work(3);
  s.arithmetic(Real::min, w, s.x, 0.0f);
  emit_exponential(s, w, w);
  s.arithmetic(Real::sub, w, w, 1.0f);
  s.arithmetic(Real::mul, w, w, f.parameters.alpha);
  s.arithmetic(Real::max, s.work(0), s.x, 0.0f);
  s.arithmetic(Real::add, s.to, s.work(0), w);
}

// max(x, 0) + log(1 + e^-|x|)
void softplus(Steps& s, const FloatFunction&) {
  const TensorView& w = s.work(3);
  s.bits(Bits::bit_or, w, s.x, kSign);
  emit_exponential(s, w, w);
  s.arithmetic(Real::add, w, w, 1.0f);
  emit_logarithm(s, w, w);
  s.arithmetic(Real::max, s.work(0), s.x, 0.0f);
  s.arithmetic(Real::add, s.to, s.work(0), w);
}

void softsign(Steps& s, const FloatFunction&) {
  const TensorView& w = s.work(0);
  s.bits(Bits::bit_and, w, s.x, kMagnitude);
  s.arithmetic(Real::add, w, w, 1.0f);
  s.arithmetic(Real::div, s.to, s.x, w);
}

// x * tanh(log(1 + e^x)) = x * p / (p + 2), with p = e^x * (e^x + 2)
void mish(Steps& s, const FloatFunction&) {
  constexpr float kMost = 30;  // the quotient is 1 from there on
  const TensorView &p = s.work(0), &q = s.work(1), &w = s.work(3);
  s.arithmetic(Real::min, w, s.x, kMost);
  emit_exponential(s, w, w);
  s.arithmetic(Real::add, p, w, 2.0f);
  s.arithmetic(Real::mul, p, p, w);
  s.arithmetic(Real::add, q, p, 2.0f);
  s.arithmetic(Real::div, p, p, q);
  s.arithmetic(Real::mul, s.to, s.x, p);
}

// The error function of `x`, to 1.5e-7 ("Handbook of Mathematical Functions" 7.1.26). Uses all work
// tensors, and leaves the result in work 3.
void error_function(Steps& s, const TensorView& x) {
  constexpr float kFactor = 0.3275911f;
  constexpr float kCoefficients[] = {1.061405429f, -1.453152027f, 1.421413741f, -0.284496736f,
                                     0.254829592f};
  const TensorView &t = s.work(0), &sum = s.work(4), &w = s.work(3);
  s.bits(Bits::bit_and, t, x, kMagnitude);
  s.arithmetic(Real::mul, t, t, kFactor);
  s.arithmetic(Real::add, t, t, 1.0f);
  s.arithmetic(Real::div, t, 1.0f, t);
  s.arithmetic(Real::mul, sum, t, kCoefficients[0]);
  for (size_t i = 1; i < std::size(kCoefficients); ++i) {
    s.arithmetic(Real::add, sum, sum, kCoefficients[i]);
    s.arithmetic(Real::mul, sum, sum, t);
  }
  s.arithmetic(Real::mul, w, x, x);
  s.arithmetic(Real::mul, w, w, -1.0f);
  emit_exponential(s, w, w);
  s.arithmetic(Real::mul, w, w, sum);
  s.arithmetic(Real::sub, w, 1.0f, w);
  s.bits(Bits::bit_and, t, x, kSign);
  s.bits(Bits::bit_or, w, w, t);
}

void erf(Steps& s, const FloatFunction&) {
  error_function(s, s.x);
  s.arithmetic(Real::mul, s.to, s.work(3), 1.0f);
}

// x / 2 * (1 + erf(x / sqrt(2))). The result is the argument in between.
void gelu(Steps& s, const FloatFunction&) {
  const TensorView& w = s.work(3);
  s.arithmetic(Real::mul, s.to, s.x, std::numbers::sqrt2_v<float> / 2);
  error_function(s, s.to);
  s.arithmetic(Real::add, w, w, 1.0f);
  s.arithmetic(Real::mul, w, w, 0.5f);
  s.arithmetic(Real::mul, s.to, s.x, w);
}

// With tanh: x / (1 + e^-2y), y = sqrt(2 / pi) * (x + 0.044715 x^3).
void gelu_fast(Steps& s, const FloatFunction&) {
  constexpr float kCubic = 0.044715f, kRoot = 0.7978845608f;
  const TensorView& w = s.work(3);
  s.arithmetic(Real::mul, w, s.x, s.x);
  s.arithmetic(Real::mul, w, w, kCubic);
  s.arithmetic(Real::add, w, w, 1.0f);
  s.arithmetic(Real::mul, w, w, s.x);
  reciprocal_of_one_plus_exp(s, w, -2 * kRoot);
  s.arithmetic(Real::mul, s.to, s.x, w);
}

void exp(Steps& s, const FloatFunction&) { emit_exponential(s, s.to, s.x); }
// The logarithm of infinity is infinity.
void log(Steps& s, const FloatFunction&) {
  constexpr float kLargestFinite = 0x1.fffffep127f;
  const TensorView& w = s.work(3);
  emit_logarithm(s, w, s.x);
  s.choose(s.to, Source::tensor(s.x), Source::value(kLargestFinite), Source::tensor(s.x),
           Source::tensor(w));
}

void power(Steps& s, const FloatFunction& f) {
  const TensorView& w = s.work(3);
  emit_logarithm(s, w, s.x);
  s.arithmetic(Real::mul, w, w, f32::from_bits(f.b.constant));
  emit_exponential(s, s.to, w);
}

void power_of_constant(Steps& s, const FloatFunction& f) {
  const TensorView& w = s.work(3);
  s.arithmetic(Real::mul, w, s.x, f.parameters.alpha);
  emit_exponential(s, s.to, w);
}

// x / sqrt(x), which is 0 for 0.
void root(Steps& s, const FloatFunction&) {
  s.unary(UnaryF32::Kind::rsqrt, s.work(0), s.x);
  s.arithmetic(Real::mul, s.to, s.x, s.work(0));
}
void inverse_root(Steps& s, const FloatFunction&) { s.unary(UnaryF32::Kind::rsqrt, s.to, s.x); }

}  // namespace

// The sine of x + shift, by its series in [-pi, pi]. Adding and subtracting 1.5 * 2^23 rounds.
void emit_sine(FunctionSteps& s, float shift) {
  constexpr float kRounder = 0x1.8p23f, kTwoPi = 0x1.92p2f, kRest = 0x1.fb5444p-10f;
  constexpr uint32_t kTerms = 22;
  const TensorView &y = s.work(0), &turns = s.work(1), &part = s.work(2);
  s.arithmetic(Real::add, y, s.x, shift);
  s.arithmetic(Real::mul, turns, y, std::numbers::inv_pi_v<float> / 2);
  s.arithmetic(Real::add, turns, turns, kRounder);
  s.arithmetic(Real::sub, turns, turns, kRounder);
  s.arithmetic(Real::mul, part, turns, kTwoPi);
  s.arithmetic(Real::sub, y, y, part);
  s.arithmetic(Real::mul, part, turns, kRest);
  s.arithmetic(Real::sub, y, y, part);
  s.series(s.to, y, kL2SineCoefficients, kTerms);
}

namespace {

void sin(Steps& s, const FloatFunction&) { emit_sine(s, 0); }
void cos(Steps& s, const FloatFunction&) { emit_sine(s, std::numbers::pi_v<float> / 2); }

void quotient(Steps& s, const FloatFunction& f) { s.arithmetic(Real::div, s.to, f.a, f.b); }

constexpr FunctionRow kRows[] = {{Kind::exp, 3, exp},
                                 {Kind::log, 4, log},
                                 {Kind::sigmoid, 4, sigmoid},
                                 {Kind::silu, 4, swish},
                                 {Kind::swish, 4, swish},
                                 {Kind::tanh, 4, hyperbolic_tangent},
                                 {Kind::elu, 4, elu},
                                 {Kind::softplus, 4, softplus},
                                 {Kind::softsign, 1, softsign},
                                 {Kind::mish, 4, mish},
                                 {Kind::erf, 5, erf},
                                 {Kind::gelu, 5, gelu},
                                 {Kind::gelu_fast, 4, gelu_fast},
                                 {Kind::pow, 4, power},
                                 {Kind::c_pow, 4, power_of_constant},
                                 {Kind::sqrt, 1, root},
                                 {Kind::rsqrt, 0, inverse_root},
                                 {Kind::sin, 3, sin},
                                 {Kind::cos, 3, cos},
                                 {Kind::div, 0, quotient}};

const FunctionRow* row_of(Kind kind) {
  const auto* row = std::ranges::find(kRows, kind, &FunctionRow::kind);
  if (row != std::end(kRows)) return row;
  const auto others = inverse_functions();
  const auto other = std::ranges::find(others, kind, &FunctionRow::kind);
  return other == others.end() ? nullptr : &*other;
}

}  // namespace

size_t work_tensors(FloatFunction::Kind kind) {
  const FunctionRow* row = row_of(kind);
  return row == nullptr ? 0 : row->work;
}

bool has_step(const ScalarStep& step) {
  return step.kind != ScalarStep::Kind::function || row_of(step.function) != nullptr;
}

void emit_function(StreamProgram& program, const FloatFunction& f, const Extents& e,
                   uint32_t work) {
  const FunctionRow* row = row_of(f.kind);
  // An operation without commands makes the program fail.
  if (row == nullptr) return program.add(f);
  Steps steps(program, f, e, work);
  row->emit(steps, f);
}

}  // namespace tputwin::net::bm1684
