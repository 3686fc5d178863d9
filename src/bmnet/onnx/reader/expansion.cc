// Building of the nodes that stand for another node.
#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

using Attribute = Expansion::Attribute;

void set_value(onnx::AttributeProto& to, const Attribute& from) {
  using onnx::AttributeProto;
  to.set_name(from.first);
  const auto set_text = [&](const std::string& text) {
    to.set_type(AttributeProto::STRING);
    to.set_s(text);
  };
  if (const auto* integer = std::get_if<int64_t>(&from.second)) {
    to.set_type(AttributeProto::INT);
    to.set_i(*integer);
  } else if (const auto* real = std::get_if<float>(&from.second)) {
    to.set_type(AttributeProto::FLOAT);
    to.set_f(*real);
  } else if (const auto* list = std::get_if<Dims>(&from.second)) {
    to.set_type(AttributeProto::INTS);
    for (const int64_t value : *list) to.add_ints(value);
  } else if (const auto* text = std::get_if<std::string>(&from.second)) {
    set_text(*text);
  } else {
    set_text(std::get<const char*>(from.second));
  }
}

onnx::TensorProto to_message(const Constant& constant) {
  onnx::TensorProto tensor;
  tensor.set_data_type(constant.type);
  for (const int64_t extent : constant.dims) tensor.add_dims(extent);
  if (constant.type == onnx::TensorProto::BOOL)
    for (const int64_t value : constant.integers)
      tensor.add_int32_data(static_cast<int32_t>(value));
  else if (constant.is_integer())
    for (const int64_t value : constant.integers) tensor.add_int64_data(value);
  else
    for (const float value : constant.reals) tensor.add_float_data(value);
  return tensor;
}

}  // namespace

std::string Expansion::in(size_t input) const {
  return node_.has(input) ? node_.proto.input(static_cast<int>(input)) : "";
}

std::string Expansion::constant(const Constant& constant) {
  onnx::NodeProto node;
  node.set_op_type("Constant");
  node.add_output(node_.fresh_name("constant"));
  auto& value = *node.add_attribute();
  value.set_name("value");
  value.set_type(onnx::AttributeProto::TENSOR);
  *value.mutable_t() = to_message(constant);
  node_.expansion().push_back(std::move(node));
  return node_.expansion().back().output(0);
}

std::string Expansion::reals(const Dims& dims, const std::vector<float>& values) {
  return constant(*make_reals(dims, values));
}

std::string Expansion::integers(const Dims& values) {
  return constant(*make_integers({static_cast<int64_t>(values.size())}, values));
}

std::string Expansion::empty(const Dims& dims, int type) {
  return constant(*make_constant(dims, type, {}));
}

std::string Expansion::booleans(const Dims& dims, const std::vector<int64_t>& values) {
  return constant(*make_integers(dims, values, onnx::TensorProto::BOOL));
}

std::string Expansion::integer(int64_t value) { return constant(*make_integers({}, {value})); }

std::vector<std::string> Expansion::add_many(const char* type,
                                             const std::vector<std::string>& inputs, size_t outputs,
                                             const std::vector<Attribute>& attributes) {
  onnx::NodeProto node;
  node.set_op_type(type);
  for (const std::string& input : inputs) node.add_input(input);
  std::vector<std::string> names;
  for (size_t i = 0; i < outputs; ++i) node.add_output(names.emplace_back(node_.fresh_name(type)));
  node.set_name(names[0]);
  for (const Attribute& attribute : attributes) set_value(*node.add_attribute(), attribute);
  node_.expansion().push_back(std::move(node));
  return names;
}

std::string Expansion::add(const char* type, const std::vector<std::string>& inputs,
                           const std::vector<Attribute>& attributes) {
  return add_many(type, inputs, 1, attributes)[0];
}

std::string Expansion::keep(const std::string& x, const std::string& condition) {
  const std::string y = add("Keep", {x, condition});
  node_.expansion().back().set_domain(std::string(kInternal));
  return y;
}

std::string Expansion::drop(const std::string& x, const std::string& condition) {
  const std::string y = add("Drop", {x, condition});
  node_.expansion().back().set_domain(std::string(kInternal));
  return y;
}

std::string Expansion::choose(const std::string& condition, const std::string& a,
                              const std::string& b) {
  const std::string y = add("Choose", {condition, a, b});
  node_.expansion().back().set_domain(std::string(kInternal));
  return y;
}

std::string Expansion::real_numbers(const std::string& x) {
  const std::string y = add("Real", {x});
  node_.expansion().back().set_domain(std::string(kInternal));
  return y;
}

std::string Expansion::span(const std::string& x, int type, int64_t zero) {
  const std::string y = add("Span", {x}, {{"type", int64_t{type}}, {"zero", zero}});
  node_.expansion().back().set_domain(std::string(kInternal));
  return y;
}

std::string Expansion::as_integers(const std::string& x, int type) {
  const std::string y = add("AsIntegers", {x}, {{"type", int64_t{type}}});
  node_.expansion().back().set_domain(std::string(kInternal));
  return y;
}

std::string Expansion::function(const char* name, const std::string& x, const Dims& arguments) {
  const std::string y = add("Function", {x}, {{"name", name}, {"arguments", arguments}});
  node_.expansion().back().set_domain(std::string(kInternal));
  return y;
}

std::string Expansion::fill(const std::string& x, size_t open_axes, bool needs_all) {
  const std::string y =
      add("Fill", {x},
          {{"open_axes", static_cast<int64_t>(open_axes)}, {"needs_all", int64_t{needs_all}}});
  node_.expansion().back().set_domain(std::string(kInternal));
  return y;
}

std::string Expansion::cut(const std::string& y, const std::string& x, size_t open_axes) {
  const std::string z = add("Cut", {y, x}, {{"open_axes", static_cast<int64_t>(open_axes)}});
  node_.expansion().back().set_domain(std::string(kInternal));
  return z;
}

std::string Expansion::copy_with(const std::string& x, size_t input) {
  onnx::NodeProto node = node_.proto;
  node.set_input(static_cast<int>(input), x);
  node.clear_output();
  node.add_output(node_.fresh_name(node.op_type()));
  node.set_name(node.output(0));
  node_.expansion().push_back(std::move(node));
  return node_.expansion().back().output(0);
}

void Expansion::copy_attribute(const char* name) {
  for (const auto& attribute : node_.proto.attribute())
    if (attribute.name() == name) *node_.expansion().back().add_attribute() = attribute;
}

void Expansion::set(const std::string& tensor, size_t output) {
  if (!node_.wants(output)) return;
  const std::string& wanted = node_.proto.output(static_cast<int>(output));
  Nodes& nodes = node_.expansion();
  // The last node that produces the tensor gets the output's name where nothing else reads it.
  if (!nodes.empty() && nodes.back().output_size() == 1 && nodes.back().output(0) == tensor) {
    nodes.back().set_output(0, wanted);
    nodes.back().set_name(node_.label());
    return;
  }
  add("Identity", {tensor});
  nodes.back().set_output(0, wanted);
}

}  // namespace tputwin::net::onnx_reader
