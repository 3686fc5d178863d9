// Verifies the form of nodes: operators, attributes, and numbers of inputs and outputs.
#include "bmnet/onnx/reader/opsets.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/errors/bmnet.h"

namespace tputwin::net::onnx_reader {
namespace {

using onnx::AttributeProto;

// An input or output of an operator.
struct Operand {
  std::string name;
  bool is_optional = false;
  bool is_list = false;  // the last operand only
};
struct Operands {
  std::vector<Operand> all;
  int least = 0, most = 0;
};
struct Attribute {
  std::string name, type;
  bool is_required = false;
};
struct Form {
  int64_t opset = 0;
  Operands inputs, outputs;
  std::vector<Attribute> attributes;
};

std::vector<std::string> words(const char* text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

bool take_last(std::string& word, char mark) {
  if (!word.ends_with(mark)) return false;
  word.pop_back();
  return true;
}

Operands operands(const char* text) {
  Operands result;
  for (std::string word : words(text)) {
    Operand operand;
    operand.is_optional = take_last(word, '?');
    const bool any_number = take_last(word, '*'), one_or_more = take_last(word, '+');
    operand.is_list = any_number || one_or_more;
    operand.name = std::move(word);
    ++result.most;
    if (!operand.is_optional) result.least = any_number ? result.most - 1 : result.most;
    if (operand.is_list) result.most = INT32_MAX;
    result.all.push_back(std::move(operand));
  }
  return result;
}

std::vector<Attribute> attributes(const char* text) {
  std::vector<Attribute> result;
  for (std::string word : words(text)) {
    const bool is_required = take_last(word, '!');
    const size_t colon = word.find(':');
    result.push_back({word.substr(0, colon), word.substr(colon + 1), is_required});
  }
  return result;
}

// The forms of each operator, in the order of opsets.
using Forms = std::map<std::string_view, std::vector<Form>>;
const Forms& forms() {
  static const Forms all = [] {
    Forms result;
#define TW_FORM(type, opset, inputs, outputs, names) \
  result[#type].push_back({opset, operands(inputs), operands(outputs), attributes(names)});
#include "bmnet/onnx/opsets.def"
    return result;
  }();
  return all;
}

[[noreturn]] void malformed(const Node& node, std::string why) {
  throw Refusal{Error(errors::net_onnx).in(node.where()).detail(std::move(why))};
}

// ---- Inputs and outputs ----

std::string names(const Operands& operands) {
  std::string text;
  for (const Operand& each : operands.all)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", each.name,
                        each.is_list       ? " ..."
                        : each.is_optional ? " (may be left out)"
                                           : "");
  return text.empty() ? "none" : text;
}

template <class List>
void verify_operands(const Node& node, const char* what, const Operands& operands,
                     const List& given) {
  const int count = given.size();
  if (count < operands.least || count > operands.most)
    malformed(node, fmt::format("it has {} {}s; opset {} has for the operator: {}", count, what,
                                node.opset, names(operands)));
  for (size_t i = 0; i < operands.all.size() && static_cast<int>(i) < count; ++i) {
    const Operand& each = operands.all[i];
    if (!each.is_optional && !each.is_list && given.Get(static_cast<int>(i)).empty())
      malformed(node, fmt::format("its {} {} ({}) has no name; it must not be left out", what, i,
                                  each.name));
  }
}

// ---- Attributes ----

// Returns the name of the type of an attribute. Files of IR version 1 have no types: theirs follows
// from the field that has a value, and "" stands for an empty list.
std::string_view type_of(const AttributeProto& attribute) {
  if (attribute.type() != AttributeProto::UNDEFINED) {
    static constexpr std::string_view kTypes[] = {
        "",     "float",   "int",     "string", "tensor",        "graph",          "floats",
        "ints", "strings", "tensors", "graphs", "sparse_tensor", "sparse_tensors", "type",
        "types"};
    return kTypes[attribute.type()];
  }
  if (attribute.has_f()) return "float";
  if (attribute.has_i()) return "int";
  if (attribute.has_s()) return "string";
  if (attribute.has_t()) return "tensor";
  if (attribute.has_g()) return "graph";
  if (!attribute.floats().empty()) return "floats";
  if (!attribute.ints().empty()) return "ints";
  if (!attribute.strings().empty()) return "strings";
  return attribute.has_sparse_tensor() ? "sparse_tensor" : "";
}

void verify_type(const Node& node, const AttributeProto& attribute, const std::string& wanted) {
  if (!attribute.ref_attr_name().empty())
    malformed(node, fmt::format("its attribute {} has the value of {}, an attribute of a function; "
                                "the node is in no function",
                                attribute.name(), attribute.ref_attr_name()));
  const std::string_view type = type_of(attribute);
  const bool is_list = wanted == "floats" || wanted == "ints" || wanted == "strings";
  if (type != wanted && !(type.empty() && is_list))
    malformed(node, fmt::format("its attribute {} has the type {}, not {}", attribute.name(),
                                type.empty() ? "none" : type, wanted));
  const bool is_empty = (wanted == "tensor" && !attribute.has_t()) ||
                        (wanted == "graph" && !attribute.has_g()) ||
                        (wanted == "sparse_tensor" && !attribute.has_sparse_tensor());
  if (is_empty) malformed(node, fmt::format("its attribute {} has no value", attribute.name()));
}

void verify_attributes(const Node& node, const Form& form) {
  std::set<std::string> found;
  for (const AttributeProto& given : node.proto.attribute()) {
    const std::string& name = given.name();
    if (!found.insert(name).second) malformed(node, fmt::format("it has two attributes {}", name));
    const auto known = std::ranges::find(form.attributes, name, &Attribute::name);
    if (known != form.attributes.end())
      verify_type(node, given, known->type);
    else if (!name.starts_with("__"))  // a mark that a program left for itself
      malformed(node,
                fmt::format("the operator has no attribute {} in opset {}", name, node.opset));
  }
  for (const Attribute& each : form.attributes)
    if (each.is_required && !found.contains(each.name))
      malformed(node, fmt::format("it lacks the attribute {}", each.name));
}

}  // namespace

void verify_form(const Node& node, const OperatorRow& row) {
  const Form* form = nullptr;
  if (const auto found = forms().find(row.name); found != forms().end())
    for (const Form& each : found->second)
      if (each.opset <= node.opset) form = &each;
  if (form == nullptr || node.opset > row.last)
    node.refuse("operator", node.proto.op_type(),
                fmt::format("opset {} has none such", node.opset));
  verify_operands(node, "input", form->inputs, node.proto.input());
  verify_operands(node, "output", form->outputs, node.proto.output());
  verify_attributes(node, *form);
}

}  // namespace tputwin::net::onnx_reader
