// Comparisons, functions of booleans, and selection by them. A boolean is 0 or 1 in the net.
#include <cmath>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

// 1 where a > b, else 0.
std::string is_greater(Expansion& made, const std::string& a, const std::string& b) {
  return made.add("Relu", {made.add("Sign", {made.add("Sub", {a, b})})});
}

std::string inverted(Expansion& made, const std::string& x) {
  return made.add("Sub", {made.real(1), x});
}

// 1 where the booleans differ, else 0. In int8 a true one is 127/128.
std::string booleans_differ(Expansion& made, const std::string& a, const std::string& b) {
  return made.add("Abs", {made.add("Round", {made.add("Sub", {a, b})})});
}

bool is_boolean(const Node& node, size_t input) {
  const Constant* constant = node.constant(input);
  if (constant != nullptr) return constant->type == onnx::TensorProto::BOOL;
  return node.in(input).kind == ValueKind::boolean;
}

// 1 where the values differ, else 0.
std::string differs(Expansion& made, const std::string& a, const std::string& b) {
  return made.add("Abs", {made.add("Sign", {made.add("Sub", {a, b})})});
}

}  // namespace

void import_greater(Node& node) {
  Expansion made(node);
  made.set(is_greater(made, made.in(0), made.in(1)));
}

void import_less(Node& node) {
  Expansion made(node);
  made.set(is_greater(made, made.in(1), made.in(0)));
}

void import_greater_or_equal(Node& node) {
  Expansion made(node);
  made.set(inverted(made, is_greater(made, made.in(1), made.in(0))));
}

void import_less_or_equal(Node& node) {
  Expansion made(node);
  made.set(inverted(made, is_greater(made, made.in(0), made.in(1))));
}

void import_not(Node& node) {
  Expansion made(node);
  made.set(inverted(made, made.in(0)));
}

namespace {

// Returns a boolean operand as floats: constants are booleans of the model.
std::string as_floats(Expansion& made, const Node& node, size_t input) {
  if (node.constant(input) == nullptr) return made.in(input);
  return made.add("Cast", {made.in(input)}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
}

}  // namespace

void import_and(Node& node) {
  Expansion made(node);
  made.set(made.add("Mul", {as_floats(made, node, 0), as_floats(made, node, 1)}));
}

void import_or(Node& node) {
  Expansion made(node);
  made.set(made.add("Max", {as_floats(made, node, 0), as_floats(made, node, 1)}));
}

void import_xor(Node& node) {
  Expansion made(node);
  made.set(booleans_differ(made, as_floats(made, node, 0), as_floats(made, node, 1)));
}

void import_equal(Node& node) {
  Expansion made(node);
  const bool booleans = is_boolean(node, 0) || is_boolean(node, 1);
  const std::string different =
      booleans ? booleans_differ(made, as_floats(made, node, 0), as_floats(made, node, 1))
               : differs(made, made.in(0), made.in(1));
  made.set(inverted(made, different));
}

// ---- Where ----

namespace {

// The elements of a constant where the condition has `value`, and 0 elsewhere.
std::string chosen(Expansion& made, size_t input, bool value) {
  const std::string zero = made.real(0);
  return value ? made.add("Where", {made.in(0), made.in(input), zero})
               : made.add("Where", {made.in(0), zero, made.in(input)});
}

void require_finite(const Node& node, size_t input) {
  const Constant* constant = node.constant(input);
  if (constant == nullptr) return;
  for (const float value : constant->real())
    node.require(std::isfinite(value), node.proto.input(static_cast<int>(input)),
                 std::to_string(value),
                 "finite where a tensor chooses; take -1e4 for masks before a Softmax");
}

}  // namespace

// x where the condition holds, else y: the sum of what each keeps. Products with the condition
// would make NaN of infinite values.
void import_where(Node& node) {
  Expansion made(node);
  const bool is_known = node.constant(0) != nullptr;
  const std::string condition = as_floats(made, node, 0);
  const auto part = [&](size_t input, bool value) {
    if (is_known && node.constant(input) != nullptr) return chosen(made, input, value);
    require_finite(node, input);
    return value ? made.keep(made.in(input), condition) : made.drop(made.in(input), condition);
  };
  const std::string x = part(1, true);
  made.set(made.add("Add", {x, part(2, false)}));
}

// ---- IsNaN ----

// A Softmax of finite values has no NaN.
void import_is_na_n(Node& node) {
  const TensorOp* op = node.graph.network.producer(node.in(0).tensor);
  while (op != nullptr && (is(*op, Op::reshape) || is(*op, Op::permute)))
    op = node.graph.network.producer(op->bottom(0));
  node.require(op != nullptr && is(*op, Op::softmax), "x", node.proto.input(0),
               "the result of a Softmax; other tensors are not searched for NaN");
  const auto blobs = node.graph.network.blobs.find(op->name());
  if (blobs != node.graph.network.blobs.end())
    for (const Blob& blob : blobs->second)
      for (const float value : blob.data)
        node.require(std::isfinite(value), "x", node.proto.input(0),
                     "a Softmax whose mask is finite; take -1e4 for -inf");
  const auto count = static_cast<size_t>(elements(node.dims()));
  node.set(make_integers(node.dims(), std::vector<int64_t>(count), onnx::TensorProto::BOOL));
}

}  // namespace tputwin::net::onnx_reader
