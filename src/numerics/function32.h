// The fp32 functions of the BM1684X: what it composes of sums, products, look-ups and series. All
// of it expects the thread to be in ScopedFloatMode. bm1684x-machine 7.1; every composition was
// found by trying it on the recorded results, and gives all of them.
#pragma once

#include <cstdint>
#include <string_view>

namespace tputwin::function32 {

// Functions of x, and of y where one has two operands; function32-inl.h has their formulas.
// clang-format off
#define TW_FUNCTIONS32(X)                                                                        \
  X(div) X(compensated_reciprocal) X(rsqrt) X(sqrt) X(softsign)                                  \
  X(exp) X(expm1) X(sigmoid) X(sinh) X(cosh) X(tanh) X(gelu_fast) X(mish) X(silu) X(swish)       \
  X(elu) X(selu) X(erf) X(erfc) X(gelu) X(pow) X(c_pow) X(softplus) X(log_sigmoid)               \
  X(log) X(log1p) X(logx) X(arcsinh) X(arccosh) X(arctanh)                                       \
  X(sin) X(cos) X(tan) X(cot) X(arcsin) X(arccos)
// clang-format on
enum class Kind : uint8_t {
#define TW_KIND(name) name,
  TW_FUNCTIONS32(TW_KIND)
#undef TW_KIND
};
std::string_view to_string(Kind kind);

constexpr bool has_two_operands(Kind kind) { return kind == Kind::div || kind == Kind::pow; }
// Those that take the exponential of something.
constexpr bool is_exponential(Kind kind) { return kind >= Kind::exp && kind <= Kind::log_sigmoid; }
// Those whose source is left with the sign of the reduced argument: 0 or -0.
constexpr bool destroys_source(Kind kind) { return kind == Kind::tan || kind == Kind::cot; }

// Terms of the series, and entries of the table of e^k, which starts with the least k.
constexpr uint32_t kExpTerms = 32, kLogTerms = 16, kErfTerms = 10, kTurnTerms = 32,
                   kArcsinTerms = 16;
constexpr uint32_t kExpEntries = 192;
constexpr float kLeastExponent = -103, kLargestExponent = 88;

// A number of fp32 that begins at any byte.
typedef float AnyByteFloat __attribute__((aligned(1)));

// As they lie in the lane of the element; a function reads those it has.
struct Tables {
  const AnyByteFloat* exp_coeff = nullptr;
  const AnyByteFloat* exp_table = nullptr;
  const AnyByteFloat* coeff = nullptr;  // the function's own series
};

struct Parameters {
  uint32_t iterations = 3;   // of Newton's method: div, compensated_reciprocal, rsqrt, sqrt
  uint32_t corrections = 0;  // compensated_reciprocal
  float alpha = 0;           // elu; logx: 1 / ln(base); c_pow: ln(C)
  float beta = 0;            // swish, softplus
  bool operator==(const Parameters&) const = default;
};

// A result, and what is left in the source if the function destroys it.
struct Outcome {
  float result, source;
};
Outcome evaluate(Kind kind, float x, float y, const Parameters& parameters, const Tables& tables);
// The entry of the table that the function's exponential looks up.
uint32_t table_index(Kind kind, float x, float y, const Parameters& parameters,
                     const Tables& tables);

}  // namespace tputwin::function32
