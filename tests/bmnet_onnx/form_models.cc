// Models from their text.
#include "bmnet_onnx/form_models.h"

#include <fmt/format.h>
#include <onnx/defs/parser.h>

#include <algorithm>
#include <stdexcept>

namespace tputwin::test {
namespace {

struct Row {
  const char *domain, *type;
  int form;
  const char *inputs, *outputs, *nodes;
};
constexpr Row kRows[] = {
#define TW_MODEL(type, form, inputs, outputs, nodes) {"", #type, form, inputs, outputs, nodes},
#define TW_MICROSOFT_MODEL(type, inputs, outputs, nodes) \
  {"com.microsoft", #type, 1, inputs, outputs, nodes},
#include "bmnet_onnx/form_models.def"
};

struct Operator {
  std::string type;
  int last;
  bool is_of_host;
};
const std::vector<Operator>& operators() {
  static const std::vector<Operator> all = {
#define TW_ONNX(name, first, last, importer, folder, note) \
  {#name, last, std::string(#importer) == "of_host" && std::string(#folder) == "none"},
#define TW_ONNX_EXPANDED(name, first, last, expander, note) {#name, last, false},
#define TW_MICROSOFT(...)
#include "bmnet/onnx/operators.def"
  };
  return all;
}

// Returns the last opset of a form.
int last_of(const Row& row) {
  const auto found = std::ranges::find(operators(), row.type, &Operator::type);
  int last = found == operators().end() ? 26 : found->last;
  for (const Row& other : kRows)
    if (std::string(other.type) == row.type && *other.domain == '\0' && other.form > row.form)
      last = std::min(last, other.form - 1);
  return last;
}

// Returns values that differ, for the ~ of a constant.
std::string differing(const std::string& type, const std::string& extents) {
  int64_t count = 1;
  for (size_t at = 0; at < extents.size(); ++at)
    if (extents[at] == '[' || extents[at] == ',') count *= std::stoll(extents.substr(at + 1));
  std::string values;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t whole = (i * 7 + 3) % 11;
    values += fmt::format(
        "{}{}", i == 0 ? "" : ",",
        type == "float" ? static_cast<double>(whole - 5) / 8 : static_cast<double>(whole * 20));
  }
  return values;
}

// Replaces @type[extents]{values} by constants: nodes before the text, or the node after "= ".
std::string with_constants(const std::string& text) {
  std::string before, result;
  int count = 0;
  for (size_t at = 0; at < text.size();) {
    if (text[at] != '@') {
      result += text[at++];
      continue;
    }
    const size_t brace = text.find('{', at), end = text.find('}', at);
    const std::string head = text.substr(at + 1, brace - at - 1);
    const std::string type = head.substr(0, head.find('['));
    std::string values = text.substr(brace + 1, end - brace - 1);
    if (values == "~") values = differing(type, head.substr(type.size()));
    const std::string node = fmt::format("Constant<value = {} {{{}}}>()", head, values);
    if (result.ends_with("= ")) {
      result += node + "\n";
    } else {
      const std::string name = fmt::format("constant{}", count++);
      before += name + " = " + node + "\n";
      result += name;
    }
    at = end + 1;
  }
  return before + result;
}

onnx::ModelProto parse(const Row& row, int opset) {
  const std::string text = fmt::format(
      "<ir_version: 8, opset_import: [\"\" : {}, \"com.microsoft\" : 1]>\n{} ({}) => ({}) {{\n{}}}",
      opset, row.type, row.inputs, row.outputs, with_constants(row.nodes) + "\n");
  onnx::ModelProto model;
  onnx::OnnxParser parser(text.c_str());
  const auto status = parser.Parse(model);
  if (!status.IsOK()) throw std::runtime_error(text + "\n" + status.ErrorMessage());
  return model;
}

Blobs inputs_of(const onnx::ModelProto& model) {
  Blobs inputs;
  for (const auto& input : model.graph().input()) {
    net::Blob blob;
    size_t count = 1;
    for (const auto& dim : input.type().tensor_type().shape().dim()) {
      blob.shape.push_back(dim.dim_value());
      count *= static_cast<size_t>(dim.dim_value());
    }
    blob.data = random_values(count, 1 + inputs.size());
    inputs[input.name()] = std::move(blob);
  }
  return inputs;
}

}  // namespace

std::string FormModel::about() const {
  return fmt::format("{}{}{} of opset {}, form {}", domain, domain.empty() ? "" : ".", type, opset,
                     form);
}

std::vector<FormModel> form_models() {
  std::vector<FormModel> all;
  for (const Row& row : kRows) {
    const bool is_onnx = *row.domain == '\0';
    const auto found = std::ranges::find(operators(), row.type, &Operator::type);
    std::vector<int> opsets = {17};
    if (is_onnx) opsets = {std::max(row.form, 7), last_of(row)};
    if (opsets.size() == 2 && opsets[0] == opsets[1]) opsets.pop_back();
    for (const int opset : opsets) {
      FormModel one{row.domain, row.type, row.form, opset, parse(row, opset), {}, false};
      one.inputs = inputs_of(one.model);
      one.has_subnets = is_onnx && found != operators().end() && found->is_of_host;
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace tputwin::test
