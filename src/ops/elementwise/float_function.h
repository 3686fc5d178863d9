// float_function: quotients, roots, transcendental functions and activations of floating-point
// tensors.
#pragma once

#include <array>
#include <optional>

#include "numerics/function32.h"
#include "ops/contract/contract.h"
#include "ops/contract/source.h"

namespace tputwin {

// The functions of numerics/function32.h on fp32, and functions of any floating-point type whose
// steps are each rounded to it:
//   taylor: series with coeff.shape.w coefficients   hsigmoid: clamp(alpha * a + beta, 0, 1)
//   hswish: a * clamp(a + 3, 0, 6) * (1/6)            isfinite: 1, or 0 for infinities and NaN
struct FloatFunction {
  enum class Kind : uint8_t {
#define TW_KIND(name) name,
    TW_FUNCTIONS32(TW_KIND)
#undef TW_KIND
        taylor,
    hsigmoid,
    hswish,
    isfinite
  };
  Kind kind = Kind::div;
  TensorView out;
  // tan and cot overwrite a. Only div and pow use b; one of their two sources may be constant.
  Source a, b = Source::value(0.0f);
  function32::Parameters parameters;
  // Every lane has the same tables. Without exp_table an exponential uses the table of static
  // memory.
  std::optional<TensorView> exp_coeff, exp_table, coeff;
  // Buffer in which exponentials store the indices of the table entries that they read. It has
  // 16-bit elements in the aligned layout at the address of out. The results are written over it.
  std::optional<TensorView> entries;
  // The chip leaves intermediate values here; the simulator leaves the old bytes.
  std::array<std::optional<TensorView>, 4> work;
};
std::string_view to_string(FloatFunction::Kind kind);
constexpr bool is_function32(FloatFunction::Kind kind) {
  return kind < FloatFunction::Kind::taylor;
}
constexpr function32::Kind function32_kind(FloatFunction::Kind kind) {
  return static_cast<function32::Kind>(kind);
}
constexpr bool destroys_source(FloatFunction::Kind kind) {
  return is_function32(kind) && function32::destroys_source(function32_kind(kind));
}

TW_OPERATION(FloatFunction);

// The reference and the fast kernel share the functions below.
// Returns taylor, hsigmoid, hswish or isfinite of x, a number of the type. All steps but the last
// are rounded to the type.
float typed_element(const FloatFunction& op, const Memory& memory, uint32_t lane, float x);
// Returns the tables in a lane.
function32::Tables tables_in(const FloatFunction&, const Memory&, uint32_t lane);
// Writes the entries that no result overwrites.
void leave_entries(const FloatFunction&, const Memory&);

}  // namespace tputwin
