// Verifies the form of nodes: operators, attributes, and numbers of inputs and outputs.
#include "bmnet/onnx/reader/opsets.h"

#include <fmt/format.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <sstream>

#include "base/errors/bmnet.h"

namespace tputwin::net::onnx_reader {
namespace {

// The last opset of the installed libonnx that is relied on.
constexpr int64_t kLastOfLibrary = 17;

struct AddedAttribute {
  std::string_view type;
  int64_t opset;
  std::string_view attribute;
};
struct AddedInputs {
  std::string_view type;
  int64_t opset;
  int most;
};
struct AddedOperator {
  std::string_view type;
  int64_t opset;
  int least_inputs, most_inputs, outputs;
  const char* attributes;  // with spaces between them
};

constexpr AddedAttribute kAttributes[] = {
#define TW_ATTRIBUTE(type, opset, attribute) {#type, opset, #attribute},
#define TW_INPUTS(...)
#define TW_OPERATOR(...)
#include "bmnet/onnx/opsets.def"
};
constexpr AddedInputs kInputs[] = {
#define TW_ATTRIBUTE(...)
#define TW_INPUTS(type, opset, most) {#type, opset, most},
#define TW_OPERATOR(...)
#include "bmnet/onnx/opsets.def"
};
constexpr AddedOperator kOperators[] = {
#define TW_ATTRIBUTE(...)
#define TW_INPUTS(...)
#define TW_OPERATOR(type, opset, least, most, outputs, attributes) \
  {#type, opset, least, most, outputs, attributes},
#include "bmnet/onnx/opsets.def"
};

[[noreturn]] void malformed(const Node& node, std::string why) {
  throw Refusal{Error(errors::net_onnx).in(node.where()).detail(std::move(why))};
}

void verify_added(const Node& node, const AddedOperator& row) {
  const onnx::NodeProto& proto = node.proto;
  if (proto.input_size() < row.least_inputs || proto.input_size() > row.most_inputs)
    malformed(node, fmt::format("it has {} inputs; the operator has {} to {}", proto.input_size(),
                                row.least_inputs, row.most_inputs));
  if (proto.output_size() < 1 || proto.output_size() > row.outputs)
    malformed(node, fmt::format("it has {} outputs; the operator has 1 to {}", proto.output_size(),
                                row.outputs));
  for (const auto& attribute : proto.attribute()) {
    std::istringstream known(row.attributes);
    bool found = false;
    for (std::string name; known >> name;) found = found || name == attribute.name();
    if (!found) malformed(node, "the operator has no attribute " + attribute.name());
  }
}

// The node without what opsets after the library's added to its operator.
onnx::NodeProto without_additions(const onnx::NodeProto& proto, int64_t opset) {
  onnx::NodeProto result = proto;
  const auto is_added = [&](const onnx::AttributeProto& attribute) {
    return std::ranges::any_of(kAttributes, [&](const AddedAttribute& row) {
      return row.type == proto.op_type() && row.opset <= opset && row.attribute == attribute.name();
    });
  };
  auto& attributes = *result.mutable_attribute();
  attributes.erase(std::remove_if(attributes.begin(), attributes.end(), is_added),
                   attributes.end());
  for (const AddedInputs& row : kInputs) {
    if (row.type != proto.op_type() || row.opset > opset || proto.input_size() > row.most) continue;
    const auto* before = onnx::OpSchemaRegistry::Schema(proto.op_type(), kLastOfLibrary, "");
    while (before != nullptr && result.input_size() > before->max_input())
      result.mutable_input()->RemoveLast();
  }
  return result;
}

}  // namespace

void verify_form(const Node& node, int64_t opset) {
  const onnx::NodeProto& proto = node.proto;
  for (const AddedOperator& row : kOperators)
    if (row.type == proto.op_type() && row.opset <= opset) return verify_added(node, row);
  const auto* schema = onnx::OpSchemaRegistry::Schema(
      proto.op_type(), static_cast<int>(std::min(opset, kLastOfLibrary)), "");
  if (schema == nullptr)
    node.refuse("operator", proto.op_type(), fmt::format("opset {} has none such", opset));
  try {
    schema->Verify(opset > kLastOfLibrary ? without_additions(proto, opset) : proto);
  } catch (const std::exception& error) {
    std::string why = error.what();
    std::ranges::replace(why, '\n', ' ');
    malformed(node, std::move(why));
  }
}

}  // namespace tputwin::net::onnx_reader
