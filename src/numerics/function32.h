// The fp32 functions of the BM1684X as compositions of sums, products, look-ups and series. The
// thread must be in ScopedFloatMode. bm1684x-machine 7.1. The compositions were found by experiment
// and reproduce all recorded results.
#pragma once

#include <cstdint>
#include <string_view>

namespace tputwin::function32 {

// Functions of x, and of y if there are two operands. function32-inl.h has their formulas.
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
// Returns true for functions that use an exponential.
constexpr bool is_exponential(Kind kind) { return kind >= Kind::exp && kind <= Kind::log_sigmoid; }
// Returns true for functions that leave the sign of the reduced argument in their source: 0 or -0.
constexpr bool destroys_source(Kind kind) { return kind == Kind::tan || kind == Kind::cot; }

// Number of terms of each series, and entries of the table of e^k, which starts with the smallest
// k.
constexpr uint32_t kExpTerms = 32, kLogTerms = 16, kErfTerms = 10, kPeriodTerms = 32,
                   kArcsinTerms = 16;
constexpr uint32_t kExpEntries = 192;
constexpr float kLeastExponent = -103, kLargestExponent = 88;

// An fp32 number at any byte address.
typedef float AnyByteFloat __attribute__((aligned(1)));

// Tables in the lane of the element. A function reads only those that it has.
struct Tables {
  const AnyByteFloat* exp_coeff = nullptr;
  const AnyByteFloat* exp_table = nullptr;
  const AnyByteFloat* coeff = nullptr;  // series of the function itself
};

struct Parameters {
  // Iterations of Newton's method: div, compensated_reciprocal, rsqrt, sqrt.
  uint32_t iterations = 3;
  uint32_t corrections = 0;  // compensated_reciprocal
  float alpha = 0;           // elu; logx: 1 / ln(base); c_pow: ln(C)
  float beta = 0;            // swish, softplus
  bool operator==(const Parameters&) const = default;
};

// A result, and the value left in the source if the function destroys it.
struct Outcome {
  float result, source;
};
Outcome evaluate(Kind kind, float x, float y, const Parameters& parameters, const Tables& tables);
// Returns the index of the table entry that the function's exponential reads.
uint32_t table_index(Kind kind, float x, float y, const Parameters& parameters,
                     const Tables& tables);

}  // namespace tputwin::function32
