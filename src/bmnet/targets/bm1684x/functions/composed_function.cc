// Functions that are arithmetic on tiles in fp32: inverse functions whose forms of the kernel
// library are missing or have few digits, and whole powers.
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "bmnet/targets/bm1684x/fp32_steps.h"
#include "bmnet/targets/bm1684x/functions/composed_function.h"
#include "bmnet/targets/bm1684x/lower.h"

namespace tputwin::net::bm1684x {
namespace {

class ComposedFunction : public ElementwiseStreamKernel {
 public:
  using Kind = Fp32Steps::Kind;

  int64_t scratch_bytes(const Extents& e) const override {
    Fp32Steps steps;
    run(steps, aligned(0, e, output.type), aligned(0, e, inputs[0].type));
    return steps.used();
  }
  void emit(StreamProgram& program, const Operands& o) const override {
    Fp32Steps steps(program, o.scratch);
    run(steps, out_view(o), rows_view(o, 0));
  }

 protected:
  // Returns the function of `x` in a buffer. Both are whole tiles.
  virtual TensorView compute(Fp32Steps& steps, const TensorView& x) const = 0;

  static void choose(Fp32Steps& steps, const TensorView& y, const TensorView& a, float bound,
                     const TensorView& if_true, const TensorView& if_false) {
    steps.add(Select{.compare = Select::Compare::greater,
                     .out = y,
                     .a = Source::tensor(a),
                     .b = number(bound, DType::f32),
                     .if_true = Source::tensor(if_true),
                     .if_false = Source::tensor(if_false)});
  }

  // Makes a function of x NaN where |x| is above 1. Uses a buffer.
  static void give_nan_outside(Fp32Steps& steps, const TensorView& y, const TensorView& x,
                               const TensorView& buffer) {
    steps.add(Unary{.kind = Unary::Kind::abs, .out = buffer, .in = x});
    steps.arithmetic(Kind::sub, buffer, number(1, DType::f32), Source::tensor(buffer));
    steps.add(Select{.compare = Select::Compare::less,
                     .out = y,
                     .a = Source::tensor(buffer),
                     .b = number(0, DType::f32),
                     .if_true = number(std::numeric_limits<float>::quiet_NaN(), DType::f32),
                     .if_false = Source::tensor(y)});
  }
  // Gives a result for |x| the sign of x. Uses a buffer.
  static void give_sign(Fp32Steps& steps, const TensorView& y, const TensorView& x,
                        const TensorView& buffer) {
    steps.arithmetic(Kind::mul, buffer, y, -1);
    choose(steps, y, x, 0, y, buffer);
  }
  // sum = (((c0 * x + c1) * x + ...) * x + cn) * last
  static void polynomial(Fp32Steps& steps, const TensorView& sum, const TensorView& x,
                         std::span<const float> c, const TensorView& last) {
    steps.arithmetic(Kind::mul, sum, x, c[0]);
    for (size_t i = 1; i < c.size(); ++i) {
      steps.arithmetic(Kind::add, sum, sum, c[i]);
      steps.arithmetic(Kind::mul, sum, sum, i + 1 < c.size() ? x : last);
    }
  }

 private:
  // The input may hold more rows.
  void run(Fp32Steps& steps, const TensorView& out, const TensorView& in) const {
    const TensorView x = steps.buffer(out.shape);
    steps.store(x, in);
    steps.store(out, compute(steps, x));
  }
};

// Magnitudes above 1 give pi / 2 - atan(1 / |x|). Up to 1 a polynomial has an error of 2e-8
// ("Handbook of Mathematical Functions" 4.4.49).
class InverseTangent final : public ComposedFunction {
 protected:
  TensorView compute(Fp32Steps& steps, const TensorView& x) const override {
    static constexpr std::array kSeries{0.0028662257f,  -0.0161657367f, 0.0429096138f,
                                        -0.0752896400f, 0.1065626393f,  -0.1420889944f,
                                        0.1999355085f,  -0.3333314528f, 1.0f};
    // The inverse of a larger number is no normal one.
    constexpr float kMost = 1e37f;
    const TensorView magnitude = steps.buffer(x.shape), inverse = steps.buffer(x.shape);
    steps.add(Unary{.kind = Unary::Kind::abs, .out = magnitude, .in = x});
    steps.arithmetic(Kind::lesser, magnitude, magnitude, kMost);
    steps.divide(inverse, 1, magnitude);
    const TensorView t = steps.buffer(x.shape), square = steps.buffer(x.shape);
    choose(steps, t, magnitude, 1, inverse, magnitude);
    steps.arithmetic(Kind::mul, square, t, t);
    // The inverse is not needed any more.
    const TensorView& sum = inverse;
    polynomial(steps, sum, square, kSeries, t);
    steps.arithmetic(Kind::sub, t, number(std::numbers::pi_v<float> / 2, DType::f32),
                     Source::tensor(sum));
    choose(steps, t, magnitude, 1, t, sum);
    give_sign(steps, t, x, sum);
    return t;
  }
};

// acos(|x|) is sqrt(1 - |x|) * (a0 + a1 |x| + ... + a7 |x|^7), to 2e-8 ("Handbook of Mathematical
// Functions" 4.4.46). asin(|x|) is pi / 2 minus it, and acos(-|x|) pi minus it.
class InverseSine final : public ComposedFunction {
 public:
  bool is_cosine = false;

 protected:
  TensorView compute(Fp32Steps& steps, const TensorView& x) const override {
    static constexpr std::array kSeries{-0.0012624911f, 0.0066700901f,  -0.0170881256f,
                                        0.0308918810f,  -0.0501743046f, 0.0889789874f,
                                        -0.2145988016f, 1.5707963050f};
    constexpr float kPi = std::numbers::pi_v<float>;
    const TensorView t = steps.buffer(x.shape), rest = steps.buffer(x.shape);
    const TensorView root = steps.buffer(x.shape), arc = steps.buffer(x.shape);
    steps.add(Unary{.kind = Unary::Kind::abs, .out = t, .in = x});
    steps.arithmetic(Kind::sub, rest, number(1, DType::f32), Source::tensor(t));
    steps.call(FloatFunction::Kind::sqrt, root, rest);
    polynomial(steps, arc, t, kSeries, root);
    const float other = is_cosine ? kPi : kPi / 2;
    steps.arithmetic(Kind::sub, t, number(other, DType::f32), Source::tensor(arc));
    if (is_cosine)
      choose(steps, t, x, 0, arc, t);
    else
      give_sign(steps, t, x, rest);
    give_nan_outside(steps, t, x, rest);
    return t;
  }
};

// log(m + m * sqrt(1 + 1 / m^2)), with m = |x|, and 0 below 1e-9.
class InverseHyperbolicSine final : public ComposedFunction {
 protected:
  TensorView compute(Fp32Steps& steps, const TensorView& x) const override {
    const TensorView m = steps.buffer(x.shape), inverse = steps.buffer(x.shape);
    const TensorView root = steps.buffer(x.shape), log = steps.buffer(x.shape);
    steps.add(Unary{.kind = Unary::Kind::abs, .out = m, .in = x});
    steps.arithmetic(Kind::max, m, m, 1e-9f);
    steps.divide(inverse, 1, m);
    steps.arithmetic(Kind::mul, inverse, inverse, inverse);
    steps.arithmetic(Kind::add, inverse, inverse, 1);
    steps.call(FloatFunction::Kind::sqrt, root, inverse);
    steps.arithmetic(Kind::add, root, root, 1);
    steps.arithmetic(Kind::mul, root, root, m);
    steps.call(FloatFunction::Kind::log, log, root);
    give_sign(steps, log, x, root);
    return log;
  }
};

// The kernel library's function, and NaN above 1 and below -1.
class InverseHyperbolicTangent final : public ComposedFunction {
 protected:
  TensorView compute(Fp32Steps& steps, const TensorView& x) const override {
    const TensorView y = steps.buffer(x.shape), rest = steps.buffer(x.shape);
    steps.call(FloatFunction::Kind::arctanh, y, x);
    give_nan_outside(steps, y, x, rest);
    return y;
  }
};

// x + bias below -lambda, x - bias above lambda, 0 between them.
class Shrink final : public ComposedFunction {
 public:
  float lambda = 0.5f, bias = 0;

 protected:
  TensorView compute(Fp32Steps& steps, const TensorView& x) const override {
    const TensorView y = steps.buffer(x.shape), moved = steps.buffer(x.shape);
    const TensorView negative = steps.buffer(x.shape);
    steps.add(Copy{.engine = Engine::compute, .dst = y, .src = number(0, DType::f32)});
    steps.arithmetic(Kind::sub, moved, x, bias);
    choose(steps, y, x, lambda, moved, y);
    steps.arithmetic(Kind::add, moved, x, bias);
    steps.arithmetic(Kind::mul, negative, x, -1);
    choose(steps, y, negative, lambda, moved, y);
    return y;
  }
};

// (shift + scale * x)^power by squares: x^5 is x * (x^2)^2.
class WholePower final : public ComposedFunction {
 public:
  float scale = 1, shift = 0;
  int64_t power = 1;

 protected:
  TensorView compute(Fp32Steps& steps, const TensorView& x) const override {
    if (scale != 1) steps.arithmetic(Kind::mul, x, x, scale);
    if (shift != 0) steps.arithmetic(Kind::add, x, x, shift);
    const TensorView y = steps.buffer(x.shape);
    bool is_first = true;
    for (int64_t rest = std::abs(power); rest > 0; rest /= 2) {
      if (rest % 2 == 1 && is_first) steps.store(y, x);
      if (rest % 2 == 1 && !is_first) steps.arithmetic(Kind::mul, y, y, x);
      is_first = is_first && rest % 2 == 0;
      if (rest > 1) steps.arithmetic(Kind::mul, x, x, x);
    }
    if (power > 0) return y;
    steps.divide(x, 1, y);
    return x;
  }
};

}  // namespace

namespace {

std::unique_ptr<StreamKernel> named_function(const ::bmnet::TGFunctionParameter& p) {
  if (p.gate_size() > 0) return nullptr;
  if (p.name() == "atan") return std::make_unique<InverseTangent>();
  if (p.name() == "asinh") return std::make_unique<InverseHyperbolicSine>();
  if (p.name() == "atanh") return std::make_unique<InverseHyperbolicTangent>();
  if (p.name() == "shrink") {
    auto k = std::make_unique<Shrink>();
    k->lambda = p.arg(0);
    k->bias = p.arg(1);
    return k;
  }
  if (p.name() != "asin" && p.name() != "acos") return nullptr;
  auto k = std::make_unique<InverseSine>();
  k->is_cosine = p.name() == "acos";
  return k;
}

}  // namespace

std::unique_ptr<StreamKernel> composed_function(const TensorOp& op) {
  if (is(op, Op::function)) return named_function(op.tg_function_param());
  // Whole numbers of fp32 beyond it are even; no net has such powers.
  constexpr float kMostPower = 1 << 24;
  const auto& p = op.tg_power_param();
  const bool is_whole =
      is(op, Op::power) && p.power() == std::trunc(p.power()) && std::fabs(p.power()) < kMostPower;
  if (!is_whole || p.power() == 0) return nullptr;
  auto k = std::make_unique<WholePower>();
  k->scale = p.scale();
  k->shift = p.shift();
  k->power = static_cast<int64_t>(p.power());
  return k;
}

}  // namespace tputwin::net::bm1684x
