// Largest magnitudes of integers.
#include "bmnet/onnx/reader/magnitudes.h"

#include <algorithm>
#include <cmath>

#include "bmnet/onnx/reader/bounds.h"
#include "bmnet/onnx/reader/kinds.h"

namespace tputwin::net::onnx_reader {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();
constexpr double kMostExact = 1 << 24;
// Bounds dividends n. Quotients of the chips have relative errors of up to 2^-21. (n + 1/2) / d is
// at least 1 / 2d away from a whole number. This is more than the error for n up to 2^20.
constexpr double kMostDivided = 1 << 20;

double magnitude_of(const Node& node, size_t input) {
  const Value& value = node.in(input);
  if (value.constant != nullptr) {
    double most = 0;
    for (size_t i = 0; i < value.constant->size(); ++i)
      most = std::max(most, std::fabs(static_cast<double>(value.constant->at(i))));
    return most;
  }
  if (value.kind == ValueKind::boolean) return 1;
  if (value.is_bytes) return 256;
  if (value.quantization && is_integer_type(value.quantization->type))
    return std::ldexp(1.0, bits_of(value.quantization->type));
  if (value.kind == ValueKind::integer) return value.magnitude;
  const Bounds bounds = bounds_of(node.graph, value.tensor);
  return std::max(std::fabs(bounds.least), std::fabs(bounds.most));
}

bool is_sum(std::string_view type) { return type == "ReduceSum" || type == "CumSum"; }

double magnitude_of_cast(const Node& node) {
  const double own = magnitude_of(node, 0);
  const auto to = static_cast<int>(node.integer("to", 0));
  if (to == onnx::TensorProto::BOOL) return 1;
  return bits_of(to) < 32 ? std::min(own, std::ldexp(1.0, bits_of(to))) : own;
}

}  // namespace

double magnitude_of_results(const Node& node) {
  const std::string_view type = node.proto.op_type();
  if (node.inputs() == 0 || !node.has(0)) return kUnknown;
  if (type == "Cast") return magnitude_of_cast(node);
  const double first = magnitude_of(node, 0);
  if (is_sum(type)) return first * static_cast<double>(elements(node.dims()));
  if (type == "ReduceProd") return first <= 1 ? 1 : kUnknown;
  if (type == "BitShift" || type == "BitwiseNot") {
    const int own = kind_of_results(node).integer_type;
    return own == 0 ? kUnknown : std::ldexp(1.0, bits_of(own));
  }
  double sum = 0, product = 1, most = 0;
  for (size_t i = type == "Where" ? 1 : 0; i < node.inputs(); ++i) {
    const bool is_value = node.has(i) && (i == 0 || type != "Gather");
    if (!is_value) continue;
    const double own = magnitude_of(node, i);
    sum += own;
    product *= own;
    most = std::max(most, own);
  }
  if (type.starts_with("Bitwise")) return 2 * most;
  return type == "Add" || type == "Sub" || type == "Sum" ? sum : type == "Mul" ? product : most;
}

bool has_small_integers(const Node& node) {
  const std::string_view type = node.proto.op_type();
  if (type == "Pow") {
    const Constant* exponent = node.constant(1);
    if (exponent == nullptr || exponent->size() != 1 || !exponent->is_integer()) return false;
    const double e = exponent->at(0);
    return e >= 0 && std::pow(magnitude_of(node, 0), e) <= kMostExact;
  }
  return magnitude_of(node, 0) <= kMostDivided && magnitude_of(node, 1) <= kMostDivided;
}

bool may_exceed_fp32(const Node& node) {
  const std::string_view type = node.proto.op_type();
  if (type == "Div" || type == "Mod" || type == "Pow")
    return kind_of_results(node).kind == ValueKind::integer && !has_small_integers(node);
  const bool grows =
      is_sum(type) || type == "Add" || type == "Sub" || type == "Mul" || type == "ReduceProd";
  if (!grows || kind_of_results(node).kind != ValueKind::integer) return false;
  return !(magnitude_of_results(node) <= kMostExact);
}

}  // namespace tputwin::net::onnx_reader
