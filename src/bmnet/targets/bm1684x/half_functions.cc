// Exponentials and what follows from them. e^x is 2^k * 2^f: k is the whole number next to
// x * log2(e), and f the rest. Adding kWhole to a number rounds it to a whole number and leaves
// that in the low bits of the sum; 23 bits higher they are the exponent of 2^k.
#include "bmnet/targets/bm1684x/half_functions.h"

#include <array>
#include <numbers>

#include "bmnet/targets/bm1684x/target.h"

namespace tputwin::net::bm1684x {
namespace {

using Real = FloatArithmetic::Kind;
using Library = FloatFunction::Kind;

constexpr float kLog2e = std::numbers::log2e_v<float>;
constexpr uint32_t kMantissaBits = 23, kExponentBias = 127;
// 1.5 * 2^23 and the bias of exponents.
constexpr float kWhole = 12582912.0f + kExponentBias;
constexpr float kLeastExponent = -126, kLargestExponent = 127;
// The reciprocal of a larger power is no normal number.
constexpr float kLargestInverted = 125;
constexpr uint32_t kReciprocal = 0x7ef3'0800;
constexpr int kNewtonSteps = 2;
// Larger arguments of mish are its results, and e^x squared must not overflow.
constexpr float kMostMish = 20;

class HalfSteps {
 public:
  HalfSteps(StreamProgram& program, const HalfCall& call) : program_(program), c_(call) {}

  void run(Library kind, const function32::Parameters& p) {
    const TensorView &to = c_.to, &x = c_.x, &w = c_.work[2];
    switch (kind) {
      case Library::exp:
        return exponential(to, x, kLog2e);
      case Library::sigmoid:
        one_and_exponential(x, -kLog2e);
        return reciprocal(to, w);
      case Library::silu:
      case Library::swish:
        one_and_exponential(x, kind == Library::silu ? -kLog2e : -kLog2e * p.beta);
        return divide(to, x, w);
      case Library::tanh:
        one_and_exponential(x, 2 * kLog2e);
        reciprocal(to, w);
        step(Real::mul, to, to, constant(2));
        return program_.add(FloatArithmetic{
            .kind = Real::sub, .out = to, .a = constant(1), .b = Source::tensor(to)});
      case Library::gelu_fast:
        return gelu();
      case Library::mish:
        return mish();
      default:
        return elu(p.alpha);
    }
  }

 private:
  static Source constant(float value) { return number(value, DType::f32); }
  void step(Real kind, const TensorView& to, const TensorView& a, const Source& b) {
    program_.add(FloatArithmetic{.kind = kind, .out = to, .a = Source::tensor(a), .b = b});
  }

  // to = 1 / x for positive x. Uses the first work tensor.
  void reciprocal(const TensorView& to, const TensorView& x) {
    const TensorView& rest = c_.work[0];
    program_.add(IntArithmetic{.kind = IntArithmetic::Kind::sub,
                               .out = retyped(to, DType::i32),
                               .a = Source::value(kReciprocal, DType::i32),
                               .b = Source::tensor(retyped(x, DType::i32)),
                               .saturates = false});
    for (int i = 0; i < kNewtonSteps; ++i) {
      step(Real::mul, rest, x, Source::tensor(to));
      program_.add(FloatArithmetic{
          .kind = Real::sub, .out = rest, .a = constant(2), .b = Source::tensor(rest)});
      step(Real::mul, to, to, Source::tensor(rest));
    }
  }
  void divide(const TensorView& to, const TensorView& a, const TensorView& b) {
    reciprocal(to, b);
    step(Real::mul, to, to, Source::tensor(a));
  }

  // to = 2^(x * factor). Uses the first two work tensors.
  void exponential(const TensorView& to, const TensorView& x, float factor,
                   float largest = kLargestExponent) {
    const TensorView &rest = c_.work[0], &power = c_.work[1];
    step(Real::mul, rest, x, constant(factor));
    step(Real::max, rest, rest, constant(kLeastExponent));
    step(Real::lesser, rest, rest, constant(largest));
    step(Real::add, power, rest, constant(kWhole));
    step(Real::sub, to, power, constant(kWhole));
    step(Real::sub, rest, rest, Source::tensor(to));
    program_.add(FloatFunction{
        .kind = Library::taylor, .out = to, .a = Source::tensor(rest), .coeff = c_.series});
    const TensorView bits = retyped(power, DType::u32);
    program_.add(IntArithmetic{.kind = IntArithmetic::Kind::shift,
                               .out = bits,
                               .a = Source::tensor(bits),
                               .shift = Source::value(kMantissaBits, DType::i8),
                               .saturates = false});
    step(Real::mul, to, to, Source::tensor(power));
  }

  // The last work tensor = 1 + 2^(x * factor).
  void one_and_exponential(const TensorView& x, float factor) {
    exponential(c_.work[2], x, factor, kLargestInverted);
    step(Real::add, c_.work[2], c_.work[2], constant(1));
  }

  // x / (1 + e^(-2 u)), u = sqrt(2 / pi) * (x + 0.044715 x^3)
  void gelu() {
    const TensorView &x = c_.x, &w = c_.work[2];
    constexpr float kRoot = 0.79788456f, kCubic = 0.044715f;
    step(Real::mul, w, x, Source::tensor(x));
    step(Real::mul, w, w, constant(kRoot * kCubic));
    step(Real::add, w, w, constant(kRoot));
    step(Real::mul, w, w, Source::tensor(x));
    one_and_exponential(w, -2 * kLog2e);
    divide(c_.to, x, w);
  }

  // x * m / (m + 2), m = e^x * (e^x + 2)
  void mish() {
    const TensorView &a = c_.work[1], &w = c_.work[2];
    step(Real::lesser, w, c_.x, constant(kMostMish));
    exponential(w, w, kLog2e);
    step(Real::add, a, w, constant(2));
    step(Real::mul, w, w, Source::tensor(a));
    step(Real::add, a, w, constant(2));
    divide(c_.to, w, a);
    step(Real::mul, c_.to, c_.to, Source::tensor(c_.x));
  }

  // max(x, 0) + alpha * (e^min(x, 0) - 1)
  void elu(float alpha) {
    const TensorView& w = c_.work[2];
    step(Real::lesser, w, c_.x, constant(0));
    exponential(w, w, kLog2e);
    step(Real::sub, w, w, constant(1));
    step(Real::mul, w, w, constant(alpha));
    step(Real::max, c_.to, c_.x, constant(0));
    step(Real::add, c_.to, c_.to, Source::tensor(w));
  }

  StreamProgram& program_;
  const HalfCall& c_;
};

}  // namespace

bool has_half_function(Library kind) {
  switch (kind) {
    case Library::exp:
    case Library::sigmoid:
    case Library::silu:
    case Library::swish:
    case Library::tanh:
    case Library::gelu_fast:
    case Library::mish:
    case Library::elu:
      return true;
    default:
      return false;
  }
}

std::span<const float> exponential_series() {
  static const auto series = [] {
    std::array<float, 6> c{};
    double term = 1;
    for (size_t n = 0; n < c.size(); term *= std::numbers::ln2 / static_cast<double>(++n))
      c[n] = static_cast<float>(term);
    return c;
  }();
  return series;
}

void call_half_function(StreamProgram& program, Library kind, const function32::Parameters& p,
                        const HalfCall& call) {
  HalfSteps(program, call).run(kind, p);
}

}  // namespace tputwin::net::bm1684x
