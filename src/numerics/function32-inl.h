// The formulas of function32.h, for one number or for vectors of them. The namespace that includes
// this file belongs to one kind of numbers and defines
//   Number with +, -, *, >, <, unary - (the sign bit flipped) and Number(float)
//   select(condition, a, b), max(a, b): a > b ? a : b, min(a, b): a < b ? a : b, abs
//   rint: to the nearest whole number, ties to even; round: ties away from zero
//   flip(a, b): a, its sign bit flipped if that of b is set
//   sign_bit(a): 0 or -0; bit_or(a, b)
//   seed(a): bits 0x5f3759df - (bits of a >> 1)
//   is_zero(a): 0, -0 and subnormals; is_infinity(a): +inf
//   larger_bits(a, b): a > b, compared as integers
//   exponent(a): the exponent field less 127; power_of_2(a): a with the sign and fraction of 1
//   lookup(table, a): table[int(a)]
// and the macro TW_FORMULA, which sets how functions are inlined, except exp and log, which are
// large. The file is included more than once, so it has no include guard.

// Returns 1/sqrt(x) from the well-known seed by Newton's method.
TW_FORMULA Number inverse_root(Number x, uint32_t iterations) {
  const Number h = x * Number(0.5f);
  Number y = seed(x);
  for (; iterations > 0; --iterations) y = y * (Number(1.5f) - h * y * y);
  return y;
}

TW_FORMULA Number rsqrt(Number x, uint32_t iterations = 3) {
  const Number y = inverse_root(x, iterations);
  return select(is_infinity(y), Number(0.0f), y);
}

// -0 and negative subnormals give -0.
TW_FORMULA Number sqrt(Number x, uint32_t iterations = 3) {
  return select(is_zero(x), sign_bit(x), x * rsqrt(x, iterations));
}

TW_FORMULA Number div(Number a, Number b, uint32_t iterations = 3) {
  const Number r = inverse_root(abs(b), iterations);
  return r * r * flip(a, b);
}

TW_FORMULA Number reciprocal(Number x, uint32_t iterations = 3) {
  return div(Number(1.0f), x, iterations);
}

// Newton's method. Returns the value with the smallest residue.
TW_FORMULA Number compensated_reciprocal(Number x, uint32_t iterations, uint32_t corrections) {
  Number best = reciprocal(x, iterations);
  Number residue = Number(1.0f) - x * best;
  for (; corrections > 0; --corrections) {
    const Number next = best + best * residue;
    const Number next_residue = Number(1.0f) - x * next;
    const auto worse = larger_bits(abs(next_residue), abs(residue));
    best = select(worse, best, next);
    residue = select(worse, residue, next_residue);
  }
  return best;
}

TW_FORMULA Number softsign(Number x) { return div(x, Number(1.0f) + abs(x)); }

// Returns coeff[0] + coeff[1] * x + ..., by Horner's rule.
TW_FORMULA Number series(const AnyByteFloat* coeff, uint32_t terms, Number x) {
  Number sum(coeff[terms - 1]);
  for (uint32_t i = terms - 1; i-- > 0;) sum = sum * x + Number(coeff[i]);
  return sum;
}

// Returns 1, -1, or 0 for zeros and NaN.
TW_FORMULA Number sign(Number x) {
  const Number zero(0.0f);
  return select(x > zero, Number(1.0f), select(x < zero, Number(-1.0f), zero));
}

// NaN gives the smallest exponent.
TW_FORMULA Number clamp_exponent(Number x) {
  return min(max(x, Number(kLeastExponent)), Number(kLargestExponent));
}

inline Number exp(Number x, const Tables& t) {
  const Number c = clamp_exponent(x), whole = round(c);
  return series(t.exp_coeff, kExpTerms / 2, c - whole) *
         lookup(t.exp_table, whole - Number(kLeastExponent));
}

// Returns the logarithm of x = f * 2^e with f in [2/3, 4/3), or inf if x is not above 0.
inline Number log(Number x, const Tables& t) {
  const Number scaled = x * Number(1.5f);
  const Number f = x * reciprocal(power_of_2(scaled)) - Number(1.0f);
  const Number value = series(t.coeff, kLogTerms, f) + exponent(scaled) * Number(0.69314718f);
  return select(x > Number(0.0f), value, Number(std::numeric_limits<float>::infinity()));
}

// Commands use only half of the coefficients that are loaded for the series of periods and of the
// exponential.

// Returns the distance of x, in periods of 2 pi, to the nearest whole period; ties round away from
// zero.
TW_FORMULA Number fraction_of_period(Number x) {
  const Number periods = x * Number(0.15915494f);
  return periods - round(periods);
}

TW_FORMULA Number sin(Number x, const Tables& t) {
  const Number f = fraction_of_period(x);
  return f * series(t.coeff, kPeriodTerms / 2, f * f);
}

TW_FORMULA Number cos(Number x, const Tables& t) {
  const Number f = fraction_of_period(x);
  return series(t.coeff, kPeriodTerms / 2, f * f);
}

// Returns the argument of tan in half periods, without whole ones. cot(x) is tan(pi/2 - x).
template <Kind kKind>
TW_FORMULA Number half_periods(Number x) {
  const Number periods = x * Number(0.31830988f);
  const Number from = kKind == Kind::cot ? Number(0.5f) - periods : periods;
  return from - rint(from);
}

// tan(pi * f) by the addition theorem: s = tan(pi * (|f| - 1/4)), (1 + s) / (1 - s).
TW_FORMULA Number tan_of_half_periods(Number f, const Tables& t) {
  const Number a = abs(f) - Number(0.25f);
  const Number s = a * series(t.coeff, kPeriodTerms / 2, a * a);
  return bit_or(div(Number(2.0f), Number(1.0f) - s) - Number(1.0f), sign_bit(f));
}

// 2 * arcsin(sqrt(z)), where z is the square of the sine of half the angle.
TW_FORMULA Number arcsin(Number x, const Tables& t) {
  const Number half_cosine = sqrt(Number(0.25f) - x * x * Number(0.25f));
  const Number z = Number(0.5f) - half_cosine;
  return Number(2.0f) * (sqrt(z) * series(t.coeff, kArcsinTerms, z)) * sign(x);
}

// erfc(|x|) = t * exp(-x^2 + polynomial(t)), t = 1 / (1 + |x| / 2).
TW_FORMULA Number erfc_variable(Number x) {
  return reciprocal(Number(1.0f) + Number(0.5f) * abs(x));
}
TW_FORMULA Number erfc_exponent(Number x, const Tables& t) {
  return series(t.coeff, kErfTerms, erfc_variable(x)) - x * x;
}
TW_FORMULA Number erf(Number x, Number e) {
  return (Number(1.0f) - erfc_variable(x) * e) * sign(x);
}

// Returns the argument of the exponential that the function uses.
template <Kind kKind>
TW_FORMULA Number exponent_of(Number x, Number y, const Parameters& p, const Tables& t) {
  constexpr float kRootHalf = 0.70710678f, kRoot2OverPi = 0.79788456f;
  if constexpr (kKind == Kind::sigmoid || kKind == Kind::silu) return -x;
  if constexpr (kKind == Kind::tanh) return x * Number(2.0f);
  if constexpr (kKind == Kind::gelu_fast) {
    const Number cube = Number(0.044715f) * (x * (x * x));
    return Number(kRoot2OverPi) * (x + cube) * Number(2.0f);
  }
  if constexpr (kKind == Kind::swish) return x * Number(-p.beta);
  if constexpr (kKind == Kind::erf || kKind == Kind::erfc) return erfc_exponent(x, t);
  if constexpr (kKind == Kind::gelu) return erfc_exponent(x * Number(kRootHalf), t);
  if constexpr (kKind == Kind::pow) return log(x, t) * y;
  if constexpr (kKind == Kind::c_pow) return x * Number(p.alpha);
  if constexpr (kKind == Kind::softplus) return x * Number(p.beta);
  return x;
}

// Returns the function, given the value of that exponential.
template <Kind kKind>
TW_FORMULA Number from_exponential(Number x, Number e, const Parameters& p, const Tables& t) {
  const Number one(1.0f), two(2.0f), half(0.5f);
  [[maybe_unused]] auto tanh = [&] { return one - two * reciprocal(e + one); };
  [[maybe_unused]] auto elu = [&](float alpha) {
    return select(x > Number(0.0f), x, (e - one) * Number(alpha));
  };
  if constexpr (kKind == Kind::expm1) return e - one;
  if constexpr (kKind == Kind::sigmoid) return reciprocal(one + e);
  if constexpr (kKind == Kind::silu || kKind == Kind::swish) return div(x, one + e);
  if constexpr (kKind == Kind::sinh) return (e - reciprocal(e)) * half;
  if constexpr (kKind == Kind::cosh) return (e + reciprocal(e)) * half;
  if constexpr (kKind == Kind::tanh) return tanh();
  // In this order the largest number overflows, and the halving gets an infinity.
  if constexpr (kKind == Kind::gelu_fast) return x * (one + tanh()) * half;
  if constexpr (kKind == Kind::mish) {
    // e^x, clamped between the square roots of the smallest normal number and of the largest one
    const Number root = max(min(e, Number(0x1.ffffbp63f)), Number(0x1.ffffbcp-64f));
    return x + div(x, (root + one) * (root + one) + one) * Number(-2.0f);
  }
  if constexpr (kKind == Kind::elu) return elu(p.alpha);
  if constexpr (kKind == Kind::selu) return elu(1.67326324f) * Number(1.05070099f);
  if constexpr (kKind == Kind::erf) return erf(x, e);
  if constexpr (kKind == Kind::erfc) return one - erf(x, e);
  // In this order a NaN comes from erf, where it has lost its sign.
  if constexpr (kKind == Kind::gelu) return (erf(x * Number(0.70710678f), e) + one) * (x * half);
  // As recorded: multiplied by beta. The documents have ln(1 + e^(beta * x)) / beta.
  if constexpr (kKind == Kind::softplus) {
    const Number value = log(one + e, t);
    return p.beta == 1.0f ? value : div(value, Number(1.0f / p.beta));
  }
  if constexpr (kKind == Kind::log_sigmoid) return x - log(one + e, t);
  return e;
}

template <Kind kKind>
TW_FORMULA Number function(Number x, Number y, const Parameters& p, const Tables& t) {
  const Number one(1.0f);
  if constexpr (is_exponential(kKind))
    return from_exponential<kKind>(x, exp(exponent_of<kKind>(x, y, p, t), t), p, t);
  if constexpr (kKind == Kind::div) return div(x, y, p.iterations);
  if constexpr (kKind == Kind::compensated_reciprocal)
    return compensated_reciprocal(x, p.iterations, p.corrections);
  if constexpr (kKind == Kind::rsqrt) return rsqrt(x, p.iterations);
  if constexpr (kKind == Kind::sqrt) return sqrt(x, p.iterations);
  if constexpr (kKind == Kind::softsign) return softsign(x);
  if constexpr (kKind == Kind::log) return log(x, t);
  if constexpr (kKind == Kind::log1p) return log(x + one, t);
  if constexpr (kKind == Kind::logx) return log(x, t) * Number(p.alpha);
  if constexpr (kKind == Kind::arcsinh) return log(x + sqrt(x * x + one), t);
  if constexpr (kKind == Kind::arccosh) return log(x + sqrt(x * x - one), t);
  if constexpr (kKind == Kind::arctanh) return Number(0.5f) * log(div(one + x, one - x), t);
  if constexpr (kKind == Kind::sin) return sin(x, t);
  if constexpr (kKind == Kind::cos) return cos(x, t);
  if constexpr (destroys_source(kKind)) return tan_of_half_periods(half_periods<kKind>(x), t);
  if constexpr (kKind == Kind::arcsin) return arcsin(x, t);
  if constexpr (kKind == Kind::arccos) return Number(1.57079633f) - arcsin(x, t);
}
