// unary_f32: functions of one fp32 operand, and conversions to and from it.
#pragma once

#include <optional>

#include "ops/contract/contract.h"

namespace tputwin {

// Each kind is the function of its name in numerics/float32.h. lookup_exp and lookup_int8 read
// integers, to_int32 writes them. exp, sigmoid and tanh also write `work`. exp and tanh in place
// use truncated sources: the chip overwrites the source before it takes the fraction.
struct UnaryF32 {
  enum class Kind : uint8_t {
    rsqrt,
    sqrt,
    relu,
    taylor_exp,
    exp,
    sigmoid,
    tanh,
    to_int32,
    lookup_exp,
    lookup_int8
  };
  Kind kind = Kind::rsqrt;
  TensorView out, in;
  std::optional<TensorView> work;
  // Terms of the series of taylor_exp, exp, sigmoid and tanh.
  uint32_t terms = 0;
};
std::string_view to_string(UnaryF32::Kind kind);
constexpr bool is_series(UnaryF32::Kind kind) {
  return kind >= UnaryF32::Kind::taylor_exp && kind <= UnaryF32::Kind::tanh;
}
constexpr bool has_work(UnaryF32::Kind kind) {
  return is_series(kind) && kind != UnaryF32::Kind::taylor_exp;
}
constexpr bool truncates_source(const UnaryF32& op) {
  const bool takes_fraction = op.kind == UnaryF32::Kind::exp || op.kind == UnaryF32::Kind::tanh;
  return takes_fraction && op.out.address == op.in.address;
}

TW_OPERATION(UnaryF32);

}  // namespace tputwin
