// Comparisons, functions of booleans, and selection by them. A boolean is 0 or 1 in the net.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cfloat>
#include <cmath>

#include "bmnet/onnx/reader/addends.h"
#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/operators/host.h"

namespace tputwin::net::onnx_reader {
namespace {

// The difference of two operands. That of two equal infinities would be NaN, so they become finite
// where equal operands count, and next to infinite constants.
std::string difference(Expansion& made, const Node& node, size_t a, size_t b, bool counts_equal) {
  const Constant *x = node.constant(a), *y = node.constant(b);
  const Constant* constant = x != nullptr ? x : y;
  const bool may_be_infinite = constant == nullptr
                                   ? counts_equal && node.in(a).kind == ValueKind::real
                                   : !is_finite(*constant);
  const auto operand = [&](size_t input) {
    return may_be_infinite ? made.function("finite", made.in(input)) : made.in(input);
  };
  return made.add("Sub", {operand(a), operand(b)});
}

// 1 where `function` holds for a - b, else 0. It holds for no NaN.
void compare(Node& node, size_t a, size_t b, const char* function) {
  for (size_t i : {a, b})
    if (const Constant* constant = node.constant(i))
      for (const float value : constant->real())
        node.require(!std::isnan(value), node.proto.input(static_cast<int>(i)), "nan",
                     "a number: nothing compares with NaN; leave the node out");
  Expansion made(node);
  const bool counts_equal = function != std::string_view("is_positive");
  made.set(made.function(function, difference(made, node, a, b, counts_equal)));
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

}  // namespace

void import_greater(Node& node) { compare(node, 0, 1, "is_positive"); }
void import_less(Node& node) { compare(node, 1, 0, "is_positive"); }
void import_greater_or_equal(Node& node) { compare(node, 0, 1, "is_not_negative"); }
void import_less_or_equal(Node& node) { compare(node, 1, 0, "is_not_negative"); }

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
  if (!is_boolean(node, 0) && !is_boolean(node, 1)) return compare(node, 0, 1, "is_zero");
  Expansion made(node);
  made.set(
      inverted(made, booleans_differ(made, as_floats(made, node, 0), as_floats(made, node, 1))));
}

// ---- Where ----

namespace {

// The elements of a constant where the condition has `value`, and 0 elsewhere.
std::string chosen(Expansion& made, size_t input, bool value) {
  const std::string zero = made.real(0);
  return value ? made.add("Where", {made.in(0), made.in(input), zero})
               : made.add("Where", {made.in(0), zero, made.in(input)});
}

// Returns an operand that a tensor chooses. For -inf the lowest float, unless another layer than a
// Softmax reads it (addends.h).
std::string finite(const Node& node, Expansion& made, size_t input, bool& has_lowest) {
  const Constant* constant = node.constant(input);
  if (constant == nullptr || is_finite(*constant)) return made.in(input);
  std::vector<float> values = constant->real();
  for (float& value : values) {
    node.require(std::isfinite(value) || value < 0, node.proto.input(static_cast<int>(input)),
                 std::to_string(value), "finite, or -inf in a mask before a Softmax");
    if (!std::isfinite(value)) value = -FLT_MAX;
  }
  has_lowest = true;
  return made.reals(constant->dims, values);
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
    bool has_lowest = false;
    const std::string operand = finite(node, made, input, has_lowest);
    const std::string part = value ? made.keep(operand, condition) : made.drop(operand, condition);
    if (has_lowest) node.graph.masks.insert(part);
    return part;
  };
  const std::string x = part(1, true);
  made.set(made.add("Add", {x, part(2, false)}));
}

namespace {

// Returns the values of a constant, with zeros behind each axis up to `most`.
std::vector<float> padded(const Constant& constant, const Dims& most) {
  std::vector<float> values(static_cast<size_t>(elements(most)), 0.0f);
  const std::vector<float> own = constant.real();
  for (size_t i = 0; i < own.size(); ++i) {
    int64_t rest = static_cast<int64_t>(i), at = 0, step = 1;
    for (size_t axis = most.size(); axis-- > 0; step *= most[axis], rest /= constant.dims[axis])
      at += rest % constant.dims[axis] * step;
    values[static_cast<size_t>(at)] = own[i];
  }
  return values;
}

// Takes one of two tensors of other extents: the host fills both up to the larger extents, takes
// one, and cuts it at its own.
void choose_of_host(Node& node) {
  const Dims &a = node.dims(1), &b = node.dims(2), most = largest(a, b);
  HostCall chosen(node, "where");
  chosen.take(0);
  for (const size_t input : {size_t{1}, size_t{2}}) {
    if (const Constant* constant = node.constant(input)) {
      chosen.take_constant(most, padded(*constant, most));
      continue;
    }
    Dims pads(a.size(), 0);
    for (size_t axis = 0; axis < a.size(); ++axis)
      pads.push_back(most[axis] - node.dims(input)[axis]);
    HostCall pad(node, fmt::format("pad pads={}", fmt::join(pads, ",")));
    pad.take(input);
    chosen.take(pad.add({most}, fmt::format("branch{}", input))[0], false);
  }
  std::string tensor = chosen.add({most}, "chosen")[0];
  const Dims count{static_cast<int64_t>(a.size())};
  HostCall extents(node, "where");
  extents.take(0);
  for (const Dims* dims : {&a, &b}) extents.take_constant(count, {dims->begin(), dims->end()});
  const std::string ends = extents.add({count}, "extents")[0];
  for (size_t axis = 0, last = a.size() - 1; axis <= last; ++axis) {
    HostCall cut(node, fmt::format("slice axis={} number={}", axis, axis));
    cut.take(tensor, axis != 0);
    cut.take_constant(count, std::vector<float>(a.size(), 0.0f));
    cut.take(ends, false);
    cut.set_varies();
    if (axis == last) return cut.set(most, kind_of_results(node).kind);
    tensor = cut.add({most}, fmt::format("cut{}", axis))[0];
  }
}

}  // namespace

// The outputs of an If by a tensor.
void import_choose(Node& node) {
  const bool is_open = node.in(1).varies || node.in(2).varies;
  if (node.graph.has_subnets && !is_open && node.dims(1) != node.dims(2) &&
      node.dims(1).size() == node.dims(2).size())
    return choose_of_host(node);
  node.require(node.dims(1) == node.dims(2), "dims of else_branch", text(node.dims(2)),
               "those of then_branch, " + text(node.dims(1)) +
                   ": the net computes both branches of an If by a tensor; for the BM1684X and "
                   "BM1684, as many axes");
  Expansion made(node);
  made.set(made.add("Where", {made.in(0), made.in(1), made.in(2)}));
}

// ---- IsNaN ----

namespace {

// Where a Softmax with a constant mask has NaN: in rows whose mask is -inf everywhere. Empty if
// there are none.
std::vector<int64_t> masked_rows(const TensorOp& op, const Blob& mask) {
  const Dims x = net::dims(op.input_shape(0));
  const auto axis = static_cast<size_t>(op.tg_softmax_param().axis());
  const auto is_masked = [&](float value) { return value < 0 && std::isinf(value); };
  if (std::ranges::none_of(mask.data, is_masked)) return {};
  const Dims rows = around(x, axis);
  std::vector<int64_t> result(static_cast<size_t>(elements(x)), 1);
  bool any = false;
  std::vector<int64_t> steps(x.size(), 0);
  for (int64_t step = 1, i = static_cast<int64_t>(x.size()) - 1; i >= 0; --i) {
    if (mask.shape[static_cast<size_t>(i)] != 1) steps[static_cast<size_t>(i)] = step;
    step *= mask.shape[static_cast<size_t>(i)];
  }
  const auto value_at = [&](size_t i) {
    int64_t at = 0, rest = static_cast<int64_t>(i);
    for (size_t k = x.size(); k-- > 0; rest /= x[k]) at += rest % x[k] * steps[k];
    return mask.data[static_cast<size_t>(at)];
  };
  const auto inner = static_cast<size_t>(rows[2]), length = static_cast<size_t>(rows[1]);
  for (size_t i = 0; i < result.size(); ++i) {
    const size_t first = i / (inner * length) * inner * length + i % inner;
    for (size_t k = 0; k < length && result[i] != 0; ++k)
      result[i] = is_masked(value_at(first + k * inner)) ? 1 : 0;
    any = any || result[i] != 0;
  }
  return any ? result : std::vector<int64_t>();
}

// The Softmax whose elements the tensor has in their order, or moved.
const TensorOp* softmax_of(const Graph& graph, const std::string& tensor, bool& is_moved) {
  const TensorOp* op = graph.network.producer(tensor);
  while (op != nullptr && (is(*op, Op::reshape) || is(*op, Op::permute))) {
    is_moved = is_moved || is(*op, Op::permute);
    op = graph.network.producer(op->bottom(0));
  }
  return op != nullptr && is(*op, Op::softmax) ? op : nullptr;
}

}  // namespace

// A Softmax of finite values has no NaN.
void import_is_na_n(Node& node) {
  bool is_moved = false;
  const TensorOp* op = softmax_of(node.graph, node.in(0).tensor, is_moved);
  if (op == nullptr) {
    Expansion made(node);
    return made.set(made.function("is_nan", made.in(0)));
  }
  for (const std::string& bottom : op->bottom())
    node.require(!mask_of(node.graph, bottom), "x", node.proto.input(0),
                 "a Softmax whose mask is finite; take -1e4 for -inf in the Where");
  std::vector<int64_t> result(static_cast<size_t>(elements(node.dims())), 0);
  const auto blobs = node.graph.network.blobs.find(op->name());
  if (blobs != node.graph.network.blobs.end() && !blobs->second.empty()) {
    std::vector<int64_t> masked = masked_rows(*op, blobs->second[0]);
    node.require(masked.empty() || !is_moved, "x", node.proto.input(0),
                 "a Softmax that masks no row whole, or before a Transpose");
    if (!masked.empty()) result = std::move(masked);
  }
  node.set(make_integers(node.dims(), std::move(result), onnx::TensorProto::BOOL));
}

void import_is_inf(Node& node) {
  Expansion made(node);
  made.set(made.function("is_infinite", made.in(0),
                         {node.integer("detect_negative", 1), node.integer("detect_positive", 1)}));
}

}  // namespace tputwin::net::onnx_reader
