// Changes of ONNX models, in the graph or in a branch or body inside it.
#include <onnx/onnx_pb.h>

#include <cmath>
#include <random>

#include "fuzz/message_mutator.h"
#include "fuzz/onnx_seeds.h"

namespace tputwin::fuzz {
namespace {

using Random = std::mt19937_64;

onnx::ModelProto parse(std::span<const uint8_t> input) {
  onnx::ModelProto model;
  if (!model.ParseFromArray(input.data(), static_cast<int>(input.size()))) model.Clear();
  return model;
}

int any_of(int count, Random& random) {
  return static_cast<int>(random() % static_cast<size_t>(count));
}

template <class Value, size_t count>
Value pick(const Value (&values)[count], Random& random) {
  return values[random() % count];
}

// Returns an extent, an index or a parameter that is likely to find errors.
int64_t random_edge(Random& random) {
  static constexpr int64_t kValues[] = {-1, 0,  1,   2,          3,         4,         5,
                                        7,  16, 255, 2147483647, INT64_MIN, INT64_MAX, 1 << 20};
  return pick(kValues, random);
}

float random_real(Random& random) {
  static constexpr float kValues[] = {0.0f,  -0.0f, 0.5f, 1.0f,      -1.0f,    2.5f, 1e-40f,
                                      3e38f, -1e4f, 127,  -INFINITY, INFINITY, NAN};
  return pick(kValues, random);
}

int random_element(Random& random) {
  using Types = onnx::TensorProto;
  static constexpr int kTypes[] = {Types::FLOAT, Types::INT64, Types::INT32,   Types::BOOL,
                                   Types::UINT8, Types::INT8,  Types::FLOAT16, Types::DOUBLE};
  return pick(kTypes, random);
}

// ---- Attributes ----

std::string random_text(Random& random) {
  static constexpr const char* kTexts[] = {"nearest",
                                           "linear",
                                           "cubic",
                                           "reflect",
                                           "edge",
                                           "wrap",
                                           "constant",
                                           "add",
                                           "mul",
                                           "max",
                                           "min",
                                           "none",
                                           "DCR",
                                           "CRD",
                                           "half_pixel",
                                           "align_corners",
                                           "asymmetric",
                                           "floor",
                                           "SAME_UPPER",
                                           "SAME_LOWER",
                                           "VALID",
                                           "NOTSET",
                                           "bidirectional",
                                           "reverse",
                                           "tanh",
                                           "Relu",
                                           "ij,jk->ki",
                                           "...ij->...ji",
                                           ""};
  return pick(kTexts, random);
}

void add_attribute(onnx::NodeProto& node, Random& random) {
  static constexpr const char* kNames[] = {
      "axis",      "axes",      "keepdims", "to",         "group",      "strides",   "pads",
      "dilations", "perm",      "mode",     "alpha",      "beta",       "reduction", "ceil_mode",
      "auto_pad",  "inverse",   "onesided", "fmod",       "batch_dims", "exclusive", "largest",
      "blocksize", "direction", "upper",    "block_size", "transA",     "epsilon",   "num_outputs"};
  auto& a = *node.add_attribute();
  a.set_name(pick(kNames, random));
  switch (random() % 4) {
    case 0:
      a.set_type(onnx::AttributeProto::INTS);
      for (auto values = 1 + random() % 4; values > 0; --values) a.add_ints(random_edge(random));
      return;
    case 1:
      a.set_type(onnx::AttributeProto::STRING);
      return a.set_s(random_text(random));
    case 2:
      a.set_type(onnx::AttributeProto::FLOAT);
      return a.set_f(random_real(random));
    default:
      a.set_type(onnx::AttributeProto::INT);
      a.set_i(random_edge(random));
  }
}

void change_values(onnx::TensorProto& tensor, Random& random) {
  const auto kind = random() % 4;
  if (kind == 0 && !tensor.dims().empty())
    return tensor.set_dims(any_of(tensor.dims_size(), random), random_edge(random));
  if (kind == 1) return tensor.set_data_type(random_element(random));
  if (!tensor.int64_data().empty())
    return tensor.set_int64_data(any_of(tensor.int64_data_size(), random), random_edge(random));
  if (!tensor.int32_data().empty())
    return tensor.set_int32_data(any_of(tensor.int32_data_size(), random),
                                 static_cast<int32_t>(random_edge(random)));
  if (!tensor.float_data().empty())
    return tensor.set_float_data(any_of(tensor.float_data_size(), random), random_real(random));
  if (!tensor.dims().empty()) tensor.set_dims(0, random_edge(random));
}

void change_attribute(onnx::NodeProto& node, Random& random) {
  if (node.attribute().empty() || random() % 8 == 0) return add_attribute(node, random);
  auto& a = *node.mutable_attribute(any_of(node.attribute_size(), random));
  if (a.has_i()) a.set_i(random_edge(random));
  if (a.has_f()) a.set_f(random_real(random));
  if (a.has_s()) a.set_s(random_text(random));
  if (a.has_t()) change_values(*a.mutable_t(), random);
  if (!a.ints().empty()) a.set_ints(any_of(a.ints_size(), random), random_edge(random));
  if (a.type() == onnx::AttributeProto::INTS && random() % 4 == 0) a.add_ints(random_edge(random));
}

// ---- Nodes ----

std::string output_of(const onnx::NodeProto& node) {
  return node.output().empty() ? "" : node.output(0);
}

const char* random_type(Random& random) {
  static constexpr const char* kTypes[] = {
#define TW_ONNX(name, ...) #name,
#define TW_ONNX_EXPANDED(name, ...) #name,
#define TW_MICROSOFT(...)
#include "bmnet/onnx/operators.def"
  };
  return pick(kTypes, random);
}

// Returns a tensor of the graph: of a node, an input or an initializer.
std::string random_tensor(const onnx::GraphProto& graph, Random& random) {
  switch (random() % 4) {
    case 0:
      return graph.input().empty() ? "" : graph.input(any_of(graph.input_size(), random)).name();
    case 1:
      return graph.initializer().empty()
                 ? ""
                 : graph.initializer(any_of(graph.initializer_size(), random)).name();
    default:
      return output_of(graph.node(any_of(graph.node_size(), random)));
  }
}

// Adds a node between a node and one of its inputs.
void add_before(onnx::GraphProto& graph, int at, Random& random) {
  if (graph.node(at).input().empty()) return;
  const int input = any_of(graph.node(at).input_size(), random);
  auto& added = *graph.add_node();
  added.set_op_type(random_type(random));
  added.add_input(graph.node(at).input(input));
  for (auto more = random() % 3; more > 0; --more) added.add_input(random_tensor(graph, random));
  added.add_output("added" + std::to_string(random() % 1000));
  graph.mutable_node(at)->set_input(input, added.output(0));
  for (int i = graph.node_size() - 1; i > at; --i) graph.mutable_node()->SwapElements(i, i - 1);
}

void change_node(onnx::GraphProto& graph, Random& random) {
  if (graph.node().empty()) return;
  const int at = any_of(graph.node_size(), random);
  auto& node = *graph.mutable_node(at);
  switch (random() % 8) {
    case 0:
    case 1:
      return change_attribute(node, random);
    case 2:
      return node.set_op_type(graph.node(any_of(graph.node_size(), random)).op_type());
    case 3:
      return node.set_op_type(random_type(random));
    case 4:
      if (!node.input().empty())
        node.set_input(any_of(node.input_size(), random), random_tensor(graph, random));
      return;
    case 5:
      return graph.mutable_node()->SwapElements(at, any_of(graph.node_size(), random));
    case 6:
      return add_before(graph, at, random);
    default:
      node.add_input(random() % 2 == 0 ? "" : random_tensor(graph, random));
  }
}

// ---- Graphs ----

void change_input(onnx::GraphProto& graph, Random& random) {
  if (graph.input().empty()) return;
  auto& type = *graph.mutable_input(any_of(graph.input_size(), random))
                    ->mutable_type()
                    ->mutable_tensor_type();
  if (random() % 4 == 0) return type.set_elem_type(random_element(random));
  auto& shape = *type.mutable_shape();
  if (shape.dim().empty() || random() % 8 == 0)
    shape.add_dim()->set_dim_value(random_edge(random));
  else
    shape.mutable_dim(any_of(shape.dim_size(), random))->set_dim_value(random_edge(random));
}

// Makes any tensor an output.
void add_output(onnx::GraphProto& graph, Random& random) {
  if (!graph.node().empty()) graph.add_output()->set_name(random_tensor(graph, random));
}

// Returns the graph, or a branch or body of its nodes.
onnx::GraphProto& random_graph(onnx::GraphProto& graph, Random& random) {
  for (auto& node : *graph.mutable_node())
    for (auto& attribute : *node.mutable_attribute())
      if (attribute.has_g() && random() % 2 == 0)
        return random_graph(*attribute.mutable_g(), random);
  return graph;
}

}  // namespace

Bytes mutate_onnx(std::span<const uint8_t> input, uint64_t seed) {
  Random random(seed);
  testing::Rng rng(seed, 8);
  onnx::ModelProto model = parse(input);
  for (size_t rounds = 1 + random() % 3; rounds > 0; --rounds) {
    auto& graph = random_graph(*model.mutable_graph(), random);
    const auto kind = random() % 16;
    if (kind < 9)
      change_node(graph, random);
    else if (kind < 12 && !graph.initializer().empty())
      change_values(*graph.mutable_initializer(any_of(graph.initializer_size(), random)), random);
    else if (kind < 14)
      change_input(graph, random);
    else if (kind < 15)
      add_output(graph, random);
    else
      change_message(model, rng);
  }
  return bytes_of(model);
}

}  // namespace tputwin::fuzz
