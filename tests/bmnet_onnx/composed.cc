// Operators that are imported as nodes of others: functions, If, Loop, selections, recurrent
// layers, operators of com.microsoft. make test-onnx compares random ones with ONNX Runtime.
#include <cmath>
#include <functional>

#include "bmnet_onnx/calibrated.h"

namespace tputwin::test {
namespace {

using Dims = std::vector<int64_t>;

std::vector<float> results_of(const ModelBuilder& builder, const Blobs& inputs,
                              const std::string& output = "y") {
  auto network = import(builder.model);
  EXPECT_TRUE(network.ok()) << network.status().message();
  if (!network.ok()) return {};
  auto results = run_float(*network, inputs);
  EXPECT_TRUE(results.ok()) << results.status().message();
  return results.ok() ? results->at(output).data : std::vector<float>();
}

std::string refusal(const ModelBuilder& builder) {
  auto network = import(builder.model);
  return network.ok() ? "imported" : network.status().message();
}

void expect_near(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-5) << i;
}

onnx::GraphProto& graph_of(onnx::NodeProto& node, const char* name) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  return *attribute.mutable_g();
}

template <class Graph>
onnx::NodeProto& add_node(Graph& graph, const char* type, const std::vector<std::string>& inputs,
                          const std::string& output) {
  auto& node = *graph.add_node();
  node.set_op_type(type);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(output);
  return node;
}

// Returns the cosine of int8 and float results.
double int8_cosine(const ModelBuilder& builder, const Blobs& inputs) {
  auto network = import(builder.model);
  EXPECT_TRUE(network.ok()) << network.status().message();
  if (!network.ok()) return 0;
  auto expected = run_float(*network, inputs);
  auto net = quantized(*network, inputs);
  EXPECT_TRUE(expected.ok() && net.ok()) << net.status().message();
  if (!expected.ok() || !net.ok()) return 0;
  auto result = run_int8(*net, inputs);
  return result.ok() ? cosine(expected->at("y").data, result->at("y").data) : 0;
}

// ---- Selections ----

// Values that a condition does not choose may be infinite or no numbers.
TEST(Composed, WhereKeepsNothingOfWhatItDrops) {
  ModelBuilder builder;
  builder.input("x", {1, 4});
  builder.weights("zero", {}, {0});
  builder.weights("other", {}, {-5});
  builder.node("Log", {"x"}, {"log"});
  builder.node("Greater", {"x", "zero"}, {"positive"});
  builder.node("Where", {"positive", "log", "other"}, {"y"});
  builder.output("y");
  const Blobs inputs{{"x", {{1, 4}, {1, 0, -1, std::exp(1.0f)}}}};
  expect_near(results_of(builder, inputs), {0, -5, -5, 1});
}

TEST(Composed, TriluDropsInfinity) {
  ModelBuilder builder(14);
  builder.input("x", {2, 2});
  builder.node("Log", {"x"}, {"log"});
  builder.node("Trilu", {"log"}, {"y"});
  builder.output("y");
  expect_near(results_of(builder, {{"x", {{2, 2}, {1, 1, 0, 1}}}}), {0, 0, 0, 0});
}

// In int8 a true condition is 127/128 of its threshold, and still true.
TEST(Composed, ConditionsInInt8) {
  ModelBuilder builder;
  builder.input("x", {1, 8});
  builder.input("z", {1, 8});
  builder.weights("zero", {}, {0});
  builder.node("Less", {"x", "zero"}, {"negative"});
  builder.node("Not", {"negative"}, {"c"});
  builder.node("Where", {"c", "x", "z"}, {"y"});
  builder.output("y");
  const Blobs inputs{{"x", {{1, 8}, {-1, -0.5f, -0.25f, 0, 0.25f, 0.5f, 0.75f, 1}}},
                     {"z", {{1, 8}, {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f}}}};
  auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto net = quantized(*network, inputs);
  ASSERT_TRUE(net.ok()) << net.status().message();
  auto result = run_int8(*net, inputs);
  ASSERT_TRUE(result.ok()) << result.status().message();
  const std::vector<float> expected{0.1f, 0.2f, 0.3f, 0, 0.25f, 0.5f, 0.75f, 1};
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(result->at("y").data[i], expected[i], 0.02) << i;
}

// ---- Subgraphs and functions ----

TEST(Composed, IfTakesTheBranchOfTheConstant) {
  for (const int64_t which : {0, 1}) {
    ModelBuilder builder;
    builder.input("x", {1, 2});
    builder.integers("which", {}, {which}, onnx::TensorProto::BOOL);
    auto& node = builder.node("If", {"which"}, {"y"});
    for (const char* branch : {"then_branch", "else_branch"}) {
      auto& graph = graph_of(node, branch);
      add_node(graph, branch[0] == 't' ? "Neg" : "Abs", {"x"}, "inner");
      graph.add_output()->set_name("inner");
    }
    builder.output("y");
    expect_near(results_of(builder, {{"x", {{1, 2}, {-1, 2}}}}),
                which != 0 ? std::vector<float>{1, -2} : std::vector<float>{1, 2});
  }
}

// Returns a loop that doubles x until the number of the iteration reaches `last`.
ModelBuilder doubling(bool has_count, int64_t last) {
  ModelBuilder builder;
  builder.input("x", {1, 2});
  builder.integers("count", {}, {100});
  builder.integers("yes", {}, {1}, onnx::TensorProto::BOOL);
  builder.integers("last", {}, {last});
  auto& node = builder.node("Loop", {has_count ? "count" : "", "yes", "x"}, {"y", "all"});
  auto& body = graph_of(node, "body");
  for (const char* name : {"i", "goes_on", "state"}) body.add_input()->set_name(name);
  add_node(body, "Less", {"i", "last"}, "still");
  add_node(body, "Add", {"state", "state"}, "next");
  for (const char* name : {"still", "next", "state"}) body.add_output()->set_name(name);
  builder.output("y");
  builder.output("all");
  return builder;
}

TEST(Composed, LoopEndsByItsCondition) {
  for (const bool has_count : {true, false}) {
    const ModelBuilder builder = doubling(has_count, 2);
    const Blobs inputs{{"x", {{1, 2}, {1, -3}}}};
    expect_near(results_of(builder, inputs), {8, -24});
    expect_near(results_of(builder, inputs, "all"), {1, -3, 2, -6, 4, -12});
  }
}

TEST(Composed, LoopsWithoutAnEndAreRefused) {
  EXPECT_NE(refusal(doubling(false, 5000)).find("at most 1024"), std::string::npos);
  ModelBuilder builder = doubling(true, 2);
  auto& body = *builder.model.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_g();
  body.mutable_node(0)->set_input(0, "state");
  body.mutable_node(0)->set_input(1, "x");
  EXPECT_NE(refusal(builder).find("cond"), std::string::npos);
}

// A function that calls another, with an attribute that has a default.
TEST(Composed, FunctionsOfFunctions) {
  ModelBuilder builder(15);
  builder.input("x", {1, 2});
  for (const char* name : {"inner", "outer"}) {
    auto& function = *builder.model.add_functions();
    function.set_domain("own");
    function.set_name(name);
    function.add_input("a");
    function.add_output("b");
    for (const auto& [domain, version] : {std::pair("", 15), std::pair("own", 1)}) {
      auto& opset = *function.add_opset_import();
      opset.set_domain(domain);
      opset.set_version(version);
    }
    if (name[0] == 'i') {
      function.add_attribute("slope");
      auto& leaky = add_node(function, "LeakyRelu", {"a"}, "b");
      auto& alpha = *leaky.add_attribute();
      alpha.set_name("alpha");
      alpha.set_type(onnx::AttributeProto::FLOAT);
      alpha.set_ref_attr_name("slope");
    } else {
      auto& call = add_node(function, "inner", {"a"}, "c");
      call.set_domain("own");
      ModelBuilder::set(call, "slope", 0.5f);
      add_node(function, "Add", {"c", "a"}, "b");
    }
  }
  auto& import = *builder.model.add_opset_import();
  import.set_domain("own");
  import.set_version(1);
  for (const auto& [from, to] : {std::pair("x", "t"), std::pair("t", "y")})
    builder.node("outer", {from}, {to}).set_domain("own");
  builder.output("y");
  // f(x) = leaky(x) + x: 2 x above 0, 1.5 x below
  expect_near(results_of(builder, {{"x", {{1, 2}, {1, -1}}}}), {4, -2.25f});
}

// Adds y = softmax(x) by a function of opset 11, where a Softmax is over all axes from 1 on.
void add_old_softmax(ModelBuilder& builder) {
  auto& function = *builder.model.add_functions();
  function.set_domain("own");
  function.set_name("old");
  function.add_input("a");
  function.add_output("b");
  auto& opset = *function.add_opset_import();
  opset.set_domain("");
  opset.set_version(11);
  ModelBuilder::set(add_node(function, "Softmax", {"a"}, "b"), "axis", int64_t{1});
}

// A node of a function has the function's opset, also in a subgraph.
TEST(Composed, FunctionsKeepTheirOpset) {
  for (const bool in_branch : {false, true}) {
    ModelBuilder builder(13);
    builder.input("x", {1, 3, 2});
    builder.integers("yes", {}, {1}, onnx::TensorProto::BOOL);
    add_old_softmax(builder);
    if (in_branch) {
      auto& node = builder.node("If", {"yes"}, {"y"});
      for (const char* branch : {"then_branch", "else_branch"}) {
        auto& graph = graph_of(node, branch);
        add_node(graph, "old", {"x"}, "inner").set_domain("own");
        graph.add_output()->set_name("inner");
      }
    } else {
      builder.node("old", {"x"}, {"y"}).set_domain("own");
    }
    builder.output("y");
    expect_near(results_of(builder, {{"x", {{1, 3, 2}, std::vector<float>(6)}}}),
                std::vector<float>(6, 1.0f / 6));
  }
}

TEST(Composed, FunctionsOfUnknownOpsetsAreRefused) {
  ModelBuilder builder(13);
  builder.input("x", {1, 3, 2});
  add_old_softmax(builder);
  builder.model.mutable_functions(0)->mutable_opset_import(0)->set_version(99);
  builder.node("old", {"x"}, {"y"}).set_domain("own");
  builder.output("y");
  EXPECT_NE(refusal(builder).find("TW-NET-0118"), std::string::npos) << refusal(builder);
}

// ---- Recurrent layers ----

TEST(Composed, RecurrentFormsThatAreRefused) {
  struct Form {
    const char* word;
    std::function<void(ModelBuilder&, onnx::NodeProto&)> change;
  };
  const Form forms[] = {
      {"P = (1,5)",
       [](ModelBuilder& builder, onnx::NodeProto& node) {
         builder.weights("p", {1, 5}, std::vector<float>(5, 0.5f));
         for (const char* name : {"", "", "", "", "p"}) node.add_input(name);
       }},
      {"sequence_lens",
       [](ModelBuilder& builder, onnx::NodeProto& node) {
         builder.integers("lengths", {2}, {3, 2}, onnx::TensorProto::INT32);
         for (const char* name : {"", "lengths"}) node.add_input(name);
       }},
      {"clip",
       [](ModelBuilder&, onnx::NodeProto& node) { ModelBuilder::set(node, "clip", -1.0f); }},
  };
  for (const Form& form : forms) {
    ModelBuilder builder(14);
    builder.input("x", {3, 2, 1});
    builder.weights("w", {1, 8, 1}, random_values(8, 1));
    builder.weights("r", {1, 8, 2}, random_values(16, 2));
    auto& node = builder.node("LSTM", {"x", "w", "r"}, {"y"});
    ModelBuilder::set(node, "hidden_size", int64_t{2});
    builder.output("y");
    EXPECT_EQ(refusal(builder), "imported");
    form.change(builder, *builder.model.mutable_graph()->mutable_node(0));
    EXPECT_NE(refusal(builder).find(form.word), std::string::npos) << refusal(builder);
  }
}

// ---- Operators of com.microsoft ----

ModelBuilder with_microsoft(ModelBuilder builder) {
  auto& import = *builder.model.add_opset_import();
  import.set_domain("com.microsoft");
  import.set_version(1);
  return builder;
}

// Returns x -> Q -> QLinearAdd with itself -> DQ -> y, as ONNX Runtime's quantizer writes it.
ModelBuilder quantized_sum() {
  ModelBuilder builder = with_microsoft(ModelBuilder(13));
  builder.input("x", {1, 2, 2, 2});
  builder.weights("s", {}, {1.0f / 64});
  builder.weights("t", {}, {1.0f / 32});
  builder.integers("zero", {}, {0}, onnx::TensorProto::INT8);
  builder.node("QuantizeLinear", {"x", "s", "zero"}, {"q"});
  builder.node("QLinearAdd", {"q", "s", "zero", "q", "s", "zero", "t", "zero"}, {"sum"})
      .set_domain("com.microsoft");
  builder.node("DequantizeLinear", {"sum", "t", "zero"}, {"y"});
  builder.output("y");
  return builder;
}

TEST(Composed, QLinearAddKeepsItsScales) {
  const ModelBuilder builder = quantized_sum();
  auto net = own_int8(builder.model);
  ASSERT_TRUE(net.ok()) << net.status().message();
  EXPECT_EQ(tensor_threshold(*net, "y"), 4);
  const std::vector<float> x{0.5f, -1, 1.5f, 1.984375f, -2, 0.25f, 0.015625f, 1};
  auto result = run_int8(*net, {{"x", {{1, 2, 2, 2}, x}}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(result->at("y").data[i], 2 * x[i], 1.0 / 32);
}

// Four bits: the low half of a byte first; without zero points they are 8.
TEST(Composed, MatMulNBitsUnpacksItsBlocks) {
  ModelBuilder builder = with_microsoft(ModelBuilder(13));
  builder.input("x", {1, 16});
  std::vector<int64_t> bytes(8, 0x88);
  bytes[0] = 0x79;  // 1 and -1 after the zero point
  builder.integers("b", {1, 1, 8}, bytes, onnx::TensorProto::UINT8);
  builder.weights("s", {1}, {0.5f});
  auto& node = builder.node("MatMulNBits", {"x", "b", "s"}, {"y"});
  node.set_domain("com.microsoft");
  ModelBuilder::set(node, "K", int64_t{16});
  ModelBuilder::set(node, "N", int64_t{1});
  ModelBuilder::set(node, "bits", int64_t{4});
  ModelBuilder::set(node, "block_size", int64_t{16});
  builder.output("y");
  std::vector<float> x(16, 100);
  x[0] = 6, x[1] = 2;
  expect_near(results_of(builder, {{"x", {{1, 16}, x}}}), {2});
}

// ---- Beyond the fields of the chip's commands ----

// The patches of a vision transformer: a stride of 16 exceeds the chip's 15.
TEST(Composed, PatchesOfStrideSixteenRunOnTheChip) {
  ModelBuilder builder(13);
  builder.input("x", {1, 3, 48, 32});
  builder.weights("w", {8, 3, 16, 16}, random_values(8 * 3 * 256, 3, -0.05f, 0.05f));
  builder.weights("b", {8}, random_values(8, 4));
  ModelBuilder::set(builder.node("Conv", {"x", "w", "b"}, {"y"}), "strides", Dims{16, 16});
  builder.output("y");
  const Blobs inputs{{"x", {{1, 3, 48, 32}, random_values(3 * 48 * 32, 5)}}};
  EXPECT_GT(int8_cosine(builder, inputs), 0.999);
  const std::vector<float> w = random_values(8 * 3 * 256, 3, -0.05f, 0.05f),
                           x = inputs.at("x").data, b = random_values(8, 4);
  float sum = b[7];  // the last patch of the last channel
  for (size_t c = 0; c < 3; ++c)
    for (size_t h = 0; h < 16; ++h)
      for (size_t v = 0; v < 16; ++v)
        sum += w[((7 * 3 + c) * 16 + h) * 16 + v] * x[(c * 48 + 32 + h) * 32 + 16 + v];
  EXPECT_NEAR(results_of(builder, inputs).back(), sum, 1e-4);
}

TEST(Composed, FiveThousandChannelsRunOnTheChip) {
  ModelBuilder builder(13);
  builder.input("x", {1, 5000, 2, 3});
  builder.weights("w", {4, 5000, 1, 1}, random_values(20000, 3, -0.05f, 0.05f));
  builder.node("Conv", {"x", "w"}, {"y"});
  builder.output("y");
  const Blobs inputs{{"x", {{1, 5000, 2, 3}, random_values(30000, 5)}}};
  EXPECT_GT(int8_cosine(builder, inputs), 0.999);
}

// The map of three channels in a lane exceeds local memory: the channels are pooled in blocks.
TEST(Composed, MapsLargerThanLocalMemoryArePooled) {
  for (const char* type : {"GlobalAveragePool", "GlobalMaxPool"}) {
    ModelBuilder builder(13);
    builder.input("x", {1, 96, 160, 160});
    builder.node(type, {"x"}, {"y"});
    builder.output("y");
    const Blobs inputs{{"x", {{1, 96, 160, 160}, random_values(96 * 160 * 160, 5, 0, 1)}}};
    EXPECT_GT(int8_cosine(builder, inputs), 0.999) << type;
  }
}

// ---- Kinds: integers and booleans that are floats in the net ----

const Blobs& eight_values() {
  static const Blobs inputs{{"x", {{1, 8}, {-1, -0.5f, -0.25f, 0.125f, 0.25f, 0.5f, 0.75f, 1}}}};
  return inputs;
}

ModelBuilder positive_part() {
  ModelBuilder builder(13);
  builder.input("x", {1, 8});
  builder.weights("zero", {}, {0});
  builder.node("Greater", {"x", "zero"}, {"b"});
  return builder;
}

void cast(ModelBuilder& builder, const char* from, const char* to, int type) {
  ModelBuilder::set(builder.node("Cast", {from}, {to}), "to", int64_t{type});
}

TEST(Kinds, BooleansSurviveInt8) {
  ModelBuilder casts = positive_part();
  cast(casts, "b", "i", onnx::TensorProto::INT32);
  cast(casts, "i", "j", onnx::TensorProto::INT8);
  cast(casts, "j", "y", onnx::TensorProto::FLOAT);
  casts.output("y");
  EXPECT_GT(int8_cosine(casts, eight_values()), 0.999);
  for (const char* type : {"Xor", "Equal"}) {
    ModelBuilder builder = positive_part();
    builder.integers("c", {8}, {1, 0, 1, 0, 1, 0, 1, 0}, onnx::TensorProto::BOOL);
    builder.node(type, {"b", "c"}, {"d"});
    cast(builder, "d", "y", onnx::TensorProto::FLOAT);
    builder.output("y");
    EXPECT_GT(int8_cosine(builder, eight_values()), 0.999) << type;
  }
}

TEST(Kinds, DivisionOfIntegersIsRefused) {
  ModelBuilder builder(13);
  builder.input("x", {1, 8});
  cast(builder, "x", "i", onnx::TensorProto::INT32);
  builder.node("Add", {"i", "i"}, {"sum"});
  builder.integers("n", {}, {2}, onnx::TensorProto::INT32);
  builder.node("Div", {"sum", "n"}, {"q"});
  cast(builder, "q", "y", onnx::TensorProto::FLOAT);
  builder.output("y");
  EXPECT_NE(refusal(builder).find("fractions ONNX drops"), std::string::npos) << refusal(builder);
}

// Constants of integers have the range of their type, as in ONNX.
TEST(Kinds, FoldedIntegersWrap) {
  struct Case {
    const char* type;
    int element;
    int64_t a, b, expected;
  };
  const Case cases[] = {{"Sub", onnx::TensorProto::UINT8, 3, 4, 255},
                        {"Mul", onnx::TensorProto::INT32, 65537, 65537, 131073},
                        {"Sub", onnx::TensorProto::INT8, -128, 1, 127}};
  for (const Case& one : cases) {
    ModelBuilder builder(14);
    builder.input("x", {1});
    builder.integers("a", {1}, {one.a}, one.element);
    builder.integers("b", {1}, {one.b}, one.element);
    builder.node(one.type, {"a", "b"}, {"c"});
    cast(builder, "c", "d", onnx::TensorProto::FLOAT);
    builder.node("Add", {"x", "d"}, {"y"});
    builder.output("y");
    expect_near(results_of(builder, {{"x", {{1}, {0}}}}), {static_cast<float>(one.expected)});
  }
}

// ---- Forms of files that were read wrongly ----

// Two functions of one name differ by their overload (fields 8 and 13, of IR version 10).
TEST(Composed, OverloadsOfFunctions) {
  ModelBuilder builder(15);
  builder.input("x", {1, 2});
  const auto set_overload = [](auto& message, int field, const std::string& overload) {
    auto& unknown = *message.GetReflection()->MutableUnknownFields(&message);
    unknown.AddLengthDelimited(field, overload);
  };
  for (const char* type : {"Neg", "Exp"}) {
    auto& function = *builder.model.add_functions();
    function.set_domain("own");
    function.set_name("f");
    function.add_input("a");
    function.add_output("b");
    add_node(function, type, {"a"}, "b");
  }
  auto& node = builder.node("f", {"x"}, {"y"});
  node.set_domain("own");
  builder.output("y");
  EXPECT_NE(refusal(builder).find("overload"), std::string::npos) << refusal(builder);
  set_overload(*builder.model.mutable_functions(1), 13, "exp");
  expect_near(results_of(builder, {{"x", {{1, 2}, {0, 1}}}}), {0, -1});
  set_overload(node, 8, "exp");
  expect_near(results_of(builder, {{"x", {{1, 2}, {0, 1}}}}), {1, std::exp(1.0f)});
}

// Each function calls the next one twice: 2^30 nodes.
TEST(Composed, FunctionsAreLimitedByTheirNodes) {
  ModelBuilder builder(15);
  builder.input("x", {1, 2});
  for (int i = 0; i < 30; ++i) {
    auto& function = *builder.model.add_functions();
    function.set_domain("own");
    function.set_name("f" + std::to_string(i));
    function.add_input("a");
    function.add_output("c");
    const std::string next = i < 29 ? "f" + std::to_string(i + 1) : "Neg";
    for (const auto& [from, to] : {std::pair("a", "b"), std::pair("b", "c")})
      add_node(function, next.c_str(), {from}, to).set_domain(i < 29 ? "own" : "");
  }
  builder.node("f0", {"x"}, {"y"}).set_domain("own");
  builder.output("y");
  EXPECT_NE(refusal(builder).find("functions"), std::string::npos) << refusal(builder);
}

// B is transposed, so that its scales are those of its rows. Values by the formula.
TEST(Composed, QGemmHasAScaleForEachColumn) {
  ModelBuilder builder = with_microsoft(ModelBuilder(13));
  builder.input("x", {1, 2});
  builder.weights("one", {}, {1});
  builder.weights("scales", {2}, {1, 10});
  builder.integers("zero", {}, {0}, onnx::TensorProto::INT8);
  builder.integers("zeros", {2}, {0, 0}, onnx::TensorProto::INT8);
  builder.integers("b", {2, 2}, {1, 2, 3, 4}, onnx::TensorProto::INT8);
  builder.node("QuantizeLinear", {"x", "one", "zero"}, {"q"});
  auto& node = builder.node("QGemm", {"q", "one", "zero", "b", "scales", "zeros"}, {"y"});
  node.set_domain("com.microsoft");
  ModelBuilder::set(node, "transB", int64_t{1});
  builder.output("y");
  expect_near(results_of(builder, {{"x", {{1, 2}, {1, 1}}}}), {3, 70});
}

// Its opset decides over which axes it is: here over both of the last ones.
TEST(Composed, QLinearSoftmaxHasAnOpset) {
  ModelBuilder builder = with_microsoft(ModelBuilder(13));
  builder.input("x", {1, 2, 2});
  builder.weights("s", {}, {1.0f / 256});
  builder.integers("zero", {}, {0}, onnx::TensorProto::UINT8);
  builder.node("QuantizeLinear", {"x", "s", "zero"}, {"q"});
  auto& node = builder.node("QLinearSoftmax", {"q", "s", "zero", "s", "zero"}, {"r"});
  node.set_domain("com.microsoft");
  ModelBuilder::set(node, "axis", int64_t{1});
  ModelBuilder::set(node, "opset", int64_t{12});
  builder.node("DequantizeLinear", {"r", "s", "zero"}, {"y"});
  builder.output("y");
  expect_near(results_of(builder, {{"x", {{1, 2, 2}, {0, 0, 0, 0}}}}),
              {0.25f, 0.25f, 0.25f, 0.25f});
}

// ---- Gates: x * g(x) ----

// Returns x * g(x) as exporters write HardSwish, SiLU and GELU.
ModelBuilder gated(const std::string& form) {
  ModelBuilder builder(13);
  builder.input("x", {1, 3, 8, 8});
  builder.weights("half", {}, {0.5f});
  builder.weights("one", {}, {1});
  builder.weights("three", {1}, {3});
  builder.weights("zero", {}, {0});
  builder.weights("six", {}, {6});
  builder.weights("root", {}, {1.4142135f});
  if (form == "hard_swish") {
    builder.node("Add", {"x", "three"}, {"shifted"});
    builder.node("Clip", {"shifted", "zero", "six"}, {"g"});
  } else if (form == "silu") {
    builder.node("Sigmoid", {"x"}, {"g"});
  } else {
    builder.node("Div", {"x", "root"}, {"scaled"});
    builder.node("Erf", {"scaled"}, {"erf"});
    builder.node("Add", {"erf", "one"}, {"g"});
  }
  builder.node("Mul", {"x", "g"}, {"m"});
  if (form == "silu") builder.node("Identity", {"m"}, {"y"});
  if (form != "silu") builder.node("Mul", {"m", form == "gelu" ? "half" : "one"}, {"y"});
  builder.output("y");
  return builder;
}

float gated_value(const std::string& form, float x) {
  if (form == "hard_swish") return x * std::min(std::max(x + 3, 0.0f), 6.0f);
  if (form == "silu") return x / (1 + std::exp(-x));
  return 0.5f * x * (1 + std::erf(x / 1.4142135f));
}

size_t functions_of(const net::Network& network) {
  return static_cast<size_t>(
      std::ranges::count_if(network.ops, [](const auto& op) { return is(op, net::Op::function); }));
}

TEST(Gates, AreOneFunction) {
  for (const std::string form : {"hard_swish", "silu", "gelu"}) {
    const ModelBuilder builder = gated(form);
    auto network = import(builder.model);
    ASSERT_TRUE(network.ok()) << network.status().message();
    EXPECT_EQ(functions_of(*network), 1u) << form;
    for (const auto& op : network->ops) EXPECT_FALSE(is(op, net::Op::eltwise)) << form;
    const Blobs inputs{{"x", {{1, 3, 8, 8}, random_values(192, 7, -5, 5)}}};
    auto floats = run_float(*network, inputs);
    ASSERT_TRUE(floats.ok()) << floats.status().message();
    auto net = quantized(*network, inputs);
    ASSERT_TRUE(net.ok()) << net.status().message();
    auto result = run_int8(*net, inputs);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_GT(cosine(floats->at("y").data, result->at("y").data), 0.9995) << form;
    for (size_t i = 0; i < 192; ++i)
      EXPECT_NEAR(floats->at("y").data[i], gated_value(form, inputs.at("x").data[i]), 1e-4) << form;
  }
}

// A tensor that the graph has as an output, or that others read, stays.
TEST(Gates, KeepWhatOthersRead) {
  ModelBuilder builder = gated("silu");
  builder.output("g");
  auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  EXPECT_EQ(functions_of(*network), 0u);
}

}  // namespace
}  // namespace tputwin::test
