// Bodies of functions, If and Loop: their opsets, loops without iterations, and branches of
// constants.
#include "bmnet_onnx/support.h"

namespace tputwin::test::bodies {
namespace {

using onnx::TensorProto;

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

onnx::FunctionProto& add_function(ModelBuilder& builder, const char* name, int64_t opset) {
  auto& function = *builder.model.add_functions();
  function.set_name(name);
  function.set_domain("local");
  function.add_input("X");
  function.add_output("Y");
  auto& import = *function.add_opset_import();
  import.set_version(opset);
  return function;
}

// A function of opset 11, whose Softmax of axis 1 is over axes 1 and 2, is called in the branch of
// an If in a function of opset 13. The model's opset is 11.
ModelBuilder nested(int64_t outer, int64_t inner) {
  ModelBuilder builder(11);
  auto& call_domain = *builder.model.add_opset_import();
  call_domain.set_domain("local");
  call_domain.set_version(1);
  ModelBuilder::set(add_node(add_function(builder, "Inner", inner), "Softmax", {"X"}, "Y"), "axis",
                    int64_t{1});
  auto& function = add_function(builder, "Outer", outer);
  auto& condition = add_node(function, "Constant", {}, "condition");
  auto& value = *condition.add_attribute();
  value.set_name("value");
  value.set_type(onnx::AttributeProto::TENSOR);
  value.mutable_t()->set_data_type(TensorProto::BOOL);
  value.mutable_t()->add_int32_data(1);
  auto& choice = add_node(function, "If", {"condition"}, "Y");
  for (const char* branch : {"then_branch", "else_branch"}) {
    auto& graph = graph_of(choice, branch);
    add_node(graph, "Inner", {"X"}, "t").set_domain("local");
    graph.add_output()->set_name("t");
  }
  builder.input("x", {1, 2, 2});
  builder.node("Outer", {"x"}, {"y"}).set_domain("local");
  builder.output("y");
  return builder;
}

TEST(Bodies, KeepTheOpsetOfTheirFunction) {
  for (const int64_t outer : {11, 13})
    for (const int64_t inner : {11, 13}) {
      auto network = import(nested(outer, inner).model);
      ASSERT_TRUE(network.ok()) << network.status().message();
      auto result = run_float(*network, {{"x", {{1, 2, 2}, {0, 0, 0, 0}}}});
      ASSERT_TRUE(result.ok()) << result.status().message();
      EXPECT_FLOAT_EQ(result->at("y").data[0], inner == 11 ? 0.25f : 0.5f) << outer << inner;
    }
}

// y is what a loop of `count` iterations leaves of x, which each doubles, and "all" what it
// collects.
ModelBuilder loop(int64_t count) {
  ModelBuilder builder(13);
  builder.input("x", {3});
  builder.integers("count", {}, {count});
  builder.node("Loop", {"count", "", "x"}, {"last", "all"});
  auto& node = *builder.model.mutable_graph()->mutable_node(0);
  auto& body = graph_of(node, "body");
  for (const char* name : {"i", "go", "s"}) body.add_input()->set_name(name);
  add_node(body, "Identity", {"go"}, "still");
  add_node(body, "Add", {"s", "s"}, "twice");
  add_node(body, "Neg", {"twice"}, "collected");
  for (const char* name : {"still", "twice", "collected"}) {
    auto& output = *body.add_output();
    output.set_name(name);
    auto& type = *output.mutable_type()->mutable_tensor_type();
    type.set_elem_type(TensorProto::FLOAT);
    type.mutable_shape()->add_dim()->set_dim_value(3);
  }
  builder.integers("axes", {1}, {0});
  builder.node("Unsqueeze", {"last", "axes"}, {"row"});
  ModelBuilder::set(builder.node("Concat", {"all", "row"}, {"y"}), "axis", int64_t{0});
  builder.output("y");
  return builder;
}

TEST(Bodies, LoopsWithoutIterations) {
  const std::vector<float> expected[] = {{1, 2, 3}, {-2, -4, -6, 2, 4, 6}};
  for (const int64_t count : {0, 1}) {
    auto network = import(loop(count).model);
    ASSERT_TRUE(network.ok()) << network.status().message();
    auto result = run_float(*network, {{"x", {{3}, {1, 2, 3}}}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->at("y").data, expected[count]);
  }
}

TEST(Bodies, BranchesOfConstants) {
  for (const int64_t taken : {0, 1}) {
    ModelBuilder builder(13);
    builder.input("x", {2});
    builder.integers("condition", {}, {taken}, TensorProto::BOOL);
    auto& node = builder.node("If", {"condition"}, {"c"});
    for (const char* branch : {"then_branch", "else_branch"}) {
      auto& graph = graph_of(node, branch);
      auto& tensor = *graph.add_initializer();
      tensor.set_name("k");
      tensor.set_data_type(TensorProto::FLOAT);
      tensor.add_dims(1);
      tensor.add_float_data(branch[0] == 't' ? 10 : 20);
      graph.add_output()->set_name("k");
    }
    builder.node("Add", {"x", "c"}, {"y"});
    builder.output("y");
    auto network = import(builder.model);
    ASSERT_TRUE(network.ok()) << network.status().message();
    auto result = run_float(*network, {{"x", {{2}, {1, 2}}}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_FLOAT_EQ(result->at("y").data[1], taken != 0 ? 12.0f : 22.0f);
  }
}

// y = x + x if the condition holds, else -x; z = 3 x, else x. The else branch has `rows` rows.
ModelBuilder chosen_by_tensor(int64_t rows) {
  ModelBuilder builder(13);
  builder.input("x", {2, 3});
  builder.input("c", {1});
  builder.weights("half", {}, {0.5f});
  builder.weights("three", {}, {3});
  builder.integers("shape", {2}, {rows, 6 / rows});
  builder.node("Greater", {"c", "half"}, {"condition"});
  auto& node = builder.node("If", {"condition"}, {"y", "z"});
  auto& then_graph = graph_of(node, "then_branch");
  add_node(then_graph, "Add", {"x", "x"}, "a");
  add_node(then_graph, "Mul", {"x", "three"}, "b");
  auto& else_graph = graph_of(node, "else_branch");
  add_node(else_graph, "Reshape", {"x", "shape"}, "v");
  add_node(else_graph, "Neg", {"v"}, "a");
  add_node(else_graph, "Identity", {"x"}, "b");
  for (const char* name : {"a", "b"}) {
    then_graph.add_output()->set_name(name);
    else_graph.add_output()->set_name(name);
  }
  builder.output("y");
  builder.output("z");
  return builder;
}

TEST(Bodies, BranchesOfTensors) {
  auto network = import(chosen_by_tensor(2).model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  for (const float c : {0.0f, 1.0f}) {
    auto result = run_float(*network, {{"x", {{2, 3}, {1, 2, 3, 4, 5, -6}}}, {"c", {{1}, {c}}}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    const std::vector<float> y[] = {{-1, -2, -3, -4, -5, 6}, {2, 4, 6, 8, 10, -12}},
                             z[] = {{1, 2, 3, 4, 5, -6}, {3, 6, 9, 12, 15, -18}};
    EXPECT_EQ(result->at("y").data, y[c > 0.5f]);
    EXPECT_EQ(result->at("z").data, z[c > 0.5f]);
  }
}

TEST(Bodies, BranchesOfOtherShapesAreRefused) {
  auto network = import(chosen_by_tensor(3).model);
  ASSERT_FALSE(network.ok());
  EXPECT_NE(network.status().message().find("dims of else_branch"), std::string::npos)
      << network.status().message();
}

// Each row is added to a sum that begins with s; every sum is a row of the second output.
ModelBuilder scanned(int64_t opset) {
  ModelBuilder builder(opset);
  builder.input("x", {2, 3});
  builder.weights("s", {3}, {1, 2, 3});
  auto& node = builder.node("Scan", {"s", "x"}, {"last", "y"});
  ModelBuilder::set(node, "num_scan_inputs", int64_t{1});
  auto& body = graph_of(node, "body");
  for (const char* name : {"sum", "row"}) body.add_input()->set_name(name);
  add_node(body, "Add", {"sum", "row"}, "next");
  add_node(body, "Neg", {"next"}, "out");
  for (const char* name : {"next", "out"}) body.add_output()->set_name(name);
  builder.output("last");
  builder.output("y");
  return builder;
}

TEST(Bodies, ScanIsUnrolled) {
  auto network = import(scanned(13).model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto result = run_float(*network, {{"x", {{2, 3}, {1, 2, 3, 10, 20, 30}}}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->at("last").data, (std::vector<float>{12, 24, 36}));
  EXPECT_EQ(result->at("y").data, (std::vector<float>{-2, -4, -6, -12, -24, -36}));
}

TEST(Bodies, ScansThatAreRefused) {
  const auto why = [](const ModelBuilder& builder) {
    auto network = import(builder.model);
    return network.ok() ? "imported" : network.status().message();
  };
  EXPECT_NE(why(scanned(8)).find("opset 8 has none such"), std::string::npos) << why(scanned(8));
  ModelBuilder all = scanned(13);
  auto& node = *all.model.mutable_graph()->mutable_node(0);
  node.mutable_attribute(0)->set_i(3);
  EXPECT_NE(why(all).find("num_scan_inputs = 3"), std::string::npos) << why(all);
}

}  // namespace
}  // namespace tputwin::test::bodies
