// Forms of operators (opsets.def): they are those of libonnx's definitions, as far as it has them,
// and nodes of other forms are refused with what is wrong.
#include <onnx/defs/schema.h>

#include <map>
#include <set>
#include <sstream>

#include "bmnet_onnx/support.h"

namespace tputwin::test {
namespace {

using onnx::OpSchema;

struct FormRow {
  std::string type;
  int opset;
  std::string inputs, outputs, attributes;
};

std::vector<FormRow> form_rows() {
  return {
#define TW_FORM(type, opset, inputs, outputs, attributes) \
  {#type, opset, inputs, outputs, attributes},
#include "bmnet/onnx/opsets.def"
  };
}

std::set<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// Returns one mark for each operand: '!' if it must be there, else '?', '+' or '*'.
std::string marks(const std::string& operands) {
  std::istringstream stream(operands);
  std::string result;
  for (std::string word; stream >> word;)
    result += std::string("?+*").find(word.back()) == std::string::npos ? '!' : word.back();
  return result;
}

std::string marks(const std::vector<OpSchema::FormalParameter>& operands) {
  std::string result;
  for (const auto& each : operands)
    result += each.GetOption() == OpSchema::Optional   ? '?'
              : each.GetOption() != OpSchema::Variadic ? '!'
              : each.GetMinArity() == 0                ? '*'
                                                       : '+';
  return result;
}

std::set<std::string> attributes(const OpSchema& schema) {
  static const std::map<int, std::string> names = {
      {1, "float"},  {2, "int"},  {3, "string"},  {4, "tensor"},        {5, "graph"},
      {6, "floats"}, {7, "ints"}, {8, "strings"}, {11, "sparse_tensor"}};
  std::set<std::string> result;
  for (const auto& [name, attribute] : schema.attributes())
    result.insert(name + ":" + names.at(attribute.type) + (attribute.required ? "!" : ""));
  return result;
}

// GroupNormalization of opset 18 was withdrawn, and is read. SimplifiedLayerNormalization is of no
// opset.
TEST(Forms, AreThoseOfTheStandard) {
  const int last = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second;
  ASSERT_GE(last, 17);
  int compared = 0;
  std::map<std::string, const FormRow*> now;
  const std::vector<FormRow> rows = form_rows();
  for (int opset = 7; opset <= std::min(last, 26); ++opset) {
    for (const FormRow& row : rows)
      if (row.opset <= opset) now[row.type] = &row;
    for (const auto& [type, row] : now) {
      SCOPED_TRACE(type + " of opset " + std::to_string(opset));
      const OpSchema* schema = onnx::OpSchemaRegistry::Schema(type, opset, "");
      if (type == "SimplifiedLayerNormalization" || (schema != nullptr && schema->Deprecated()))
        continue;
      ASSERT_NE(schema, nullptr);
      EXPECT_EQ(marks(row->inputs), marks(schema->inputs()));
      EXPECT_EQ(marks(row->outputs), marks(schema->outputs()));
      EXPECT_EQ(words(row->attributes), attributes(*schema));
      ++compared;
    }
    // No operator that the opset has is without a row.
    const auto expect_row = [&](const std::string& type) {
      // The Scan of opset 8 goes over samples of several lengths.
      if (type == "SimplifiedLayerNormalization" || (type == "Scan" && opset == 8)) return;
      const bool is_known = onnx::OpSchemaRegistry::Schema(type, opset, "") != nullptr;
      EXPECT_EQ(now.contains(type), is_known) << type << " of opset " << opset;
    };
#define TW_ONNX(name, ...) expect_row(#name);
#define TW_ONNX_EXPANDED(name, ...) expect_row(#name);
#define TW_MICROSOFT(...)
#include "bmnet/onnx/operators.def"
  }
  EXPECT_GT(compared, 1300);
}

std::string refusal(const ModelBuilder& builder) {
  auto network = import(builder.model);
  return network.ok() ? "" : network.status().message();
}

using Names = std::vector<std::string>;

// Returns a model of one node whose attributes the caller sets.
ModelBuilder model_of(int64_t opset, const std::string& type, const Names& inputs,
                      const Names& outputs) {
  ModelBuilder builder(opset);
  builder.input("x", {1, 2, 4, 4});
  builder.weights("w", {2, 2, 1, 1}, {1, 2, 3, 4});
  builder.integers("i", {1}, {1});
  builder.node(type, inputs, outputs);
  builder.output("y");
  return builder;
}

template <class Value>
ModelBuilder with(ModelBuilder builder, const std::string& attribute, const Value& value) {
  ModelBuilder::set(*builder.model.mutable_graph()->mutable_node(0), attribute, value);
  return builder;
}

TEST(Forms, OthersAreRefusedWithWhatIsWrong) {
  const struct {
    ModelBuilder model;
    const char* wanted;
  } cases[] = {
      {model_of(13, "Conv", {"x", "w", "", "w"}, {"y"}),
       "it has 4 inputs; opset 13 has for the operator: X, W, B (may be left out)"},
      {model_of(13, "Conv", {"x", ""}, {"y"}), "its input 1 (W) has no name"},
      {model_of(13, "Conv", {"x"}, {"y"}), "it has 1 inputs"},
      {model_of(13, "Concat", {}, {"y"}),
       "it has 0 inputs; opset 13 has for the operator: inputs ..."},
      {model_of(13, "Relu", {"x"}, {"y", "z"}), "it has 2 outputs"},
      {model_of(13, "Concat", {"x", "x"}, {"y"}), "it lacks the attribute axis"},
      {with(model_of(13, "Softmax", {"x"}, {"y"}), "axis", 1.0f),
       "its attribute axis has the type float, not int"},
      {with(model_of(18, "ReduceMean", {"x"}, {"y"}), "axes", std::vector<int64_t>{1}),
       "the operator has no attribute axes in opset 18"},
      {with(model_of(18, "CastLike", {"x", "x"}, {"y"}), "saturate", int64_t{1}),
       "the operator has no attribute saturate in opset 18"},
      {with(with(model_of(13, "Softmax", {"x"}, {"y"}), "axis", int64_t{1}), "axis", int64_t{1}),
       "it has two attributes axis"},
      {with(model_of(10, "Upsample", {"x", "w"}, {"y"}), "mode", std::string("nearest")),
       "opset 10 has none such"},
      {model_of(8, "Erf", {"x"}, {"y"}), "opset 8 has none such"},
  };
  for (const auto& each : cases)
    EXPECT_NE(refusal(each.model).find(each.wanted), std::string::npos) << refusal(each.model);
  ModelBuilder reference = model_of(13, "Softmax", {"x"}, {"y"});
  auto& attribute = *reference.model.mutable_graph()->mutable_node(0)->add_attribute();
  attribute.set_name("axis");
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_ref_attr_name("a");
  EXPECT_NE(refusal(reference).find("attribute of a function"), std::string::npos);
}

// Files of IR version 1 have no types of attributes, and a mark with two underscores is a program's
// own.
TEST(Forms, TypesMayBeMissingAndMarksAreKept) {
  ModelBuilder builder = with(model_of(13, "Softmax", {"x"}, {"y"}), "axis", int64_t{1});
  builder = with(builder, "__mark", int64_t{1});
  builder.model.mutable_graph()->mutable_node(0)->mutable_attribute(0)->clear_type();
  EXPECT_EQ(refusal(builder), "");
  builder = with(builder, "mark", int64_t{1});
  EXPECT_NE(refusal(builder).find("no attribute mark"), std::string::npos);
}

// Later versions of the format are read as far as their opset is known: what they add are fields
// that are skipped.
TEST(Forms, LaterVersionsOfTheFormatAreRead) {
  ModelBuilder builder = model_of(26, "Relu", {"x"}, {"y"});
  builder.model.set_ir_version(99);
  builder.model.GetReflection()
      ->MutableUnknownFields(&builder.model)
      ->AddLengthDelimited(26, "abc");
  auto& node = *builder.model.mutable_graph()->mutable_node(0);
  node.GetReflection()->MutableUnknownFields(&node)->AddLengthDelimited(10, "abc");
  // The field in which the reader notes the opset of inlined nodes has no effect in a file.
  node.GetReflection()->MutableUnknownFields(&node)->AddVarint(100000, 5);
  EXPECT_EQ(refusal(builder), "");
  builder.model.mutable_opset_import(0)->set_version(27);
  EXPECT_NE(refusal(builder).find("TW-NET-0118"), std::string::npos) << refusal(builder);
}

}  // namespace
}  // namespace tputwin::test
