// Arithmetic and reductions on the host.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/operators/host.h"

namespace tputwin::net::onnx_reader {
namespace {

struct Function {
  std::string_view onnx, host;
};
constexpr Function kBinary[] = {
    {"Add", "add"},
    {"Sub", "sub"},
    {"Mul", "mul"},
    {"Div", "div"},
    {"Pow", "pow"},
    {"Max", "max"},
    {"Min", "min"},
    {"Equal", "equal"},
    {"Greater", "greater"},
    {"GreaterOrEqual", "greater_or_equal"},
    {"Less", "less"},
    {"LessOrEqual", "less_or_equal"},
    {"And", "and"},
    {"Or", "or"},
    {"Xor", "xor"},
    {"Mod", "mod"},
    {"BitwiseAnd", "bit_and"},
    {"BitwiseOr", "bit_or"},
    {"BitwiseXor", "bit_xor"},
};

const Function* find(std::span<const Function> functions, std::string_view onnx) {
  const auto found = std::ranges::find(functions, onnx, &Function::onnx);
  return found == functions.end() ? nullptr : &*found;
}

Dims broadcast_dims(const Node& node, size_t a, size_t b) {
  if (node.in(a).varies || node.in(b).varies) return largest(node.dims(a), node.dims(b));
  return broadcast(node, node.dims(a), node.dims(b));
}

void unary_of_host(Node& node, std::string_view function) {
  HostCall call(node, fmt::format("unary op={}", function));
  call.take(0);
  call.set_elements(node.dims());
}

// Integers of few bits are exact on the chip too, and wrap there.
void set_result(Node& node, HostCall& call) {
  call.set_elements(broadcast_dims(node, 0, 1));
  const auto [kind, type] = kind_of_results(node);
  auto& value = node.outputs()[0];
  if (value && kind == ValueKind::integer && type != 0 && bits_of(type) <= 16)
    value->on_host = call.varies();
}

void binary_of_host(Node& node, std::string_view function) {
  node.require(node.inputs() == 2, "inputs", std::to_string(node.inputs()), "two on the host");
  if (function == "mod" && node.integer("fmod", 0) != 0) function = "fmod";
  if (function == "div" && kind_of(node) == ValueKind::integer) function = "trunc_div";
  HostCall call(node, fmt::format("binary op={}", function));
  const bool grows =
      function == "add" || function == "sub" || function == "mul" || function == "pow";
  if (grows && kind_of(node) == ValueKind::integer) call.append("integers=1");
  call.take(0);
  call.take(1);
  if (function.starts_with("bit_")) return set_result(node, call);
  call.set_elements(broadcast_dims(node, 0, 1));
}

}  // namespace

Dims largest(const Dims& a, const Dims& b) {
  Dims result(std::max(a.size(), b.size()), 1);
  for (const Dims* dims : {&a, &b})
    for (size_t i = 0; i < dims->size(); ++i) {
      int64_t& extent = result[result.size() - 1 - i];
      extent = std::max(extent, (*dims)[dims->size() - 1 - i]);
    }
  return result;
}

void cast_of_host(Node& node) {
  const auto to = static_cast<int>(node.integer("to", 0));
  require_cast_type(node, to);
  const bool is_real = node.in(0).kind == ValueKind::real;
  if (to == onnx::TensorProto::BOOL) return unary_of_host(node, "is_not_zero");
  const bool is_integer = is_integer_type(to);
  node.require(!is_integer || bits_of(to) >= 32 || node.in(0).kind == ValueKind::boolean, "to",
               std::to_string(to), "floats, booleans, int32 or int64 on the host");
  unary_of_host(node, is_integer && is_real ? "trunc" : "identity");
}

// Before opset 11, attributes have the bounds.
void clip_of_host(Node& node) {
  if (node.opset < 11) {
    Expansion made(node);
    std::vector<std::string> inputs{made.in(0), "", ""};
    if (node.has("min")) inputs[1] = made.real(node.real("min", 0));
    if (node.has("max")) inputs[2] = made.real(node.real("max", 0));
    return made.set(made.add("Clip", inputs));
  }
  if (!node.has(1) && !node.has(2)) return unary_of_host(node, "identity");
  std::string tensor;
  for (const size_t bound : {size_t{1}, size_t{2}}) {
    if (!node.has(bound)) continue;
    HostCall call(node, bound == 1 ? "binary op=max" : "binary op=min");
    if (tensor.empty())
      call.take(0);
    else
      call.take(tensor, node.in(0).varies);
    call.take(bound);
    tensor = call.add({node.dims()}, bound == 1 ? "max" : "min")[0];
  }
  HostCall call(node, "unary op=identity");
  call.take(tensor, node.in(0).varies);
  call.set_elements(node.dims());
}

void where_of_host(Node& node) {
  HostCall call(node, "where");
  for (const size_t input : {0, 1, 2}) call.take(input);
  const Dims chosen = broadcast_dims(node, 1, 2);
  call.set_elements(call.varies() ? largest(chosen, node.dims(0))
                                  : broadcast(node, chosen, node.dims(0)));
}

void reduce_of_host(Node& node, std::string_view operation) {
  const Dims& x = node.dims();
  node.require(operation != "mean" || node.in(0).kind != ValueKind::integer, "type", "integers",
               "floats: ONNX drops the fractions of means of integers");
  const auto axes = node.list(1, "axes");
  const bool keeps = node.integer("keepdims", 1) != 0;
  const bool are_all = !axes || axes->empty();
  if (are_all && node.integer("noop_with_empty_axes", 0) != 0)
    return unary_of_host(node, "identity");
  std::vector<bool> gone(x.size(), are_all);
  std::vector<size_t> wanted;
  for (size_t i = 0; axes && i < axes->size(); ++i) gone[node.axis((*axes)[i], x.size())] = true;
  Dims result;
  for (size_t i = 0; i < x.size(); ++i) {
    if (gone[i]) wanted.push_back(i);
    if (keeps || !gone[i]) result.push_back(gone[i] ? 1 : x[i]);
  }
  HostCall call(node, fmt::format("reduce op={} keepdims={}", operation, keeps ? 1 : 0));
  if (!wanted.empty()) call.append(fmt::format("axes={}", fmt::join(wanted, ",")));
  if (node.in(0).kind == ValueKind::integer && (operation == "sum" || operation == "prod"))
    call.append("integers=1");
  call.take(0);
  call.set_elements(result);
}

void cum_sum_of_host(Node& node) {
  const Dims& x = node.dims();
  node.require(!x.empty(), "x", "()", "at least one axis");
  HostCall call(node, fmt::format("cumsum axis={} exclusive={} reverse={}",
                                  node.axis(node.whole(1, "axis"), x.size()),
                                  node.integer("exclusive", 0), node.integer("reverse", 0)));
  if (node.in(0).kind == ValueKind::integer) call.append("integers=1");
  call.take(0);
  call.set_elements(x);
}

void arg_of_host(Node& node, bool smallest) {
  const Dims& x = node.dims();
  const size_t axis = node.axis(node.integer("axis", 0), x.size());
  const bool keeps = node.integer("keepdims", 1) != 0;
  Dims result = x;
  result[axis] = 1;
  if (!keeps) result.erase(result.begin() + static_cast<std::ptrdiff_t>(axis));
  HostCall call(
      node,
      fmt::format("argmax axis={} keepdims={} select_last_index={} smallest={} nan=unordered", axis,
                  keeps ? 1 : 0, node.integer("select_last_index", 0), smallest ? 1 : 0));
  call.take(0);
  call.set(result, ValueKind::integer);
}

// Moves the bits of integers without a sign.
void bit_shift_of_host(Node& node) {
  const std::string direction = node.text("direction", "");
  node.require(direction == "LEFT" || direction == "RIGHT", "direction", direction,
               "LEFT or RIGHT");
  const auto [kind, type] = kind_of_results(node);
  HostCall call(node, direction == "LEFT" ? "binary op=shift_left" : "binary op=shift_right");
  if (direction == "LEFT" && type != 0 && bits_of(type) <= 16)
    call.append(fmt::format("width={}", bits_of(type)));
  call.take(0);
  call.take(1);
  set_result(node, call);
}

bool is_arithmetic_of_host(std::string_view type) { return find(kBinary, type) != nullptr; }

bool elements_of_host(Node& node) {
  const std::string& type = node.proto.op_type();
  const Function* function = find(kBinary, type);
  if (function == nullptr || (node.inputs() != 2 && (type == "Max" || type == "Min"))) return false;
  binary_of_host(node, function->host);
  return true;
}

}  // namespace tputwin::net::onnx_reader
