// Quotients, rests and powers of integers, by floats that are exact.
#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/kinds.h"
#include "bmnet/onnx/reader/magnitudes.h"

namespace tputwin::net::onnx_reader {
namespace {

// Returns an operand as floats. By its Cast to int32 all that is computed with it are integers,
// which are fp32 in nets of 16 bits.
std::string as_real(Expansion& made, size_t input) {
  const std::string whole =
      made.add("Cast", {made.in(input)}, {{"to", int64_t{onnx::TensorProto::INT32}}});
  return made.add("Cast", {whole}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
}

// Returns a / b without its fraction: (|a| + 1/2) / |b| is near no whole number, so that an error
// of the division changes nothing.
std::string quotient(Expansion& made, const std::string& a, const std::string& b, bool has_sign) {
  const auto magnitude = [&](const std::string& x) { return has_sign ? made.add("Abs", {x}) : x; };
  const std::string dividend = made.add("Add", {magnitude(a), made.real(0.5f)});
  const std::string whole = made.add("Floor", {made.add("Div", {dividend, magnitude(b)})});
  if (!has_sign) return whole;
  const std::string sign = made.add("Mul", {made.add("Sign", {a}), made.add("Sign", {b})});
  return made.add("Mul", {whole, sign});
}

// Returns a - b * (a / b), which has the sign of the dividend, or of the divisor.
std::string rest(Expansion& made, const std::string& a, const std::string& b, bool has_sign,
                 bool of_dividend) {
  const std::string y = made.add("Sub", {a, made.add("Mul", {b, quotient(made, a, b, has_sign)})});
  if (!has_sign || of_dividend) return y;
  const std::string differs =
      made.function("is_positive", made.add("Neg", {made.add("Mul", {y, b})}));
  return made.add("Add", {y, made.add("Mul", {b, differs})});
}

}  // namespace

bool compute_whole(Node& node) {
  const std::string& type = node.proto.op_type();
  if (type != "Div" && type != "Mod" && type != "Pow") return false;
  const auto [kind, integer_type] = kind_of_results(node);
  if (kind != ValueKind::integer || integer_type == 0 || !has_small_integers(node)) return false;
  if (type == "Pow" && node.constant(0) != nullptr) return false;
  const bool has_sign = is_signed_type(integer_type);
  Expansion made(node);
  const std::string a = as_real(made, 0), b = as_real(made, 1);
  std::string y;
  if (type == "Div") y = quotient(made, a, b, has_sign);
  if (type == "Mod") y = rest(made, a, b, has_sign, node.integer("fmod", 0) != 0);
  if (type == "Pow") y = made.add("Round", {made.add("Pow", {a, b})});
  // The Cast wraps the quotient of the lowest number and -1. Others need none.
  made.set(has_sign || type == "Pow" ? made.add("Cast", {y}, {{"to", int64_t{integer_type}}})
                                     : made.as_integers(y, integer_type));
  return true;
}

}  // namespace tputwin::net::onnx_reader
