// Random models of operators that are made of others: many operands, booleans, subgraphs, local
// functions, recurrent layers, Einsum; and other axes of Pad, Resize, MatMul.
#include <cmath>

#include "onnx_runtime/draft.h"

namespace tputwin::test {
namespace {

// ---- Several operands ----

// One to four operands, of which some are repeated and some are constants.
Kind of_many(const char* type) {
  return {type, 8, [=](Draft& d) {
            const Dims dims = d.any();
            const bool all_alike = d.rng.chance(1, 3);
            std::vector<std::string> names{d.input("x", dims)};
            for (int64_t i = d.range(0, 3); i > 0; --i) {
              Dims other = dims;
              for (int64_t& extent : other)
                if (!all_alike && d.rng.chance(1, 3)) extent = 1;
              const std::string name = fmt::format("i{}", i);
              names.push_back(d.rng.chance(1, 3) ? d.weights(name, other) : d.input(name, other));
            }
            for (size_t i = names.size(); i-- > 1;) std::swap(names[i], names[d.rng.below(i + 1)]);
            d.builder.node(type, names, {"y"});
          }};
}

// ---- Booleans ----

// A condition on x: a comparison with a constant or another tensor, whose values are sometimes
// equal.
std::string condition(Draft& d, const std::string& x, const Dims& dims, const std::string& name) {
  const std::string low = d.rng.pick({"Greater", "Less"});
  const std::string type = d.opset >= 12 && d.rng.coin()
                               ? std::string(d.rng.pick({"GreaterOrEqual", "LessOrEqual", "Equal"}))
                               : low;
  const std::string whole = name + "/whole", other = name + "/other";
  d.builder.node("Floor", {x}, {whole});
  Dims extents = dims;
  for (int64_t& extent : extents)
    if (d.rng.coin()) extent = 1;
  std::vector<float> values;
  for (int64_t i = 0; i < count(extents); ++i)
    values.push_back(static_cast<float>(d.range(0, 4)) - 2);
  d.builder.weights(other, extents, values);
  d.builder.node(type, d.rng.coin() ? std::vector{whole, other} : std::vector{other, whole},
                 {name});
  return name;
}

void cast_to_float(Draft& d, const std::string& from) {
  set(d.builder.node("Cast", {from}, {"y"}), "to", int64_t{onnx::TensorProto::FLOAT});
}

void logic(Draft& d) {
  const Dims dims = d.any();
  const std::string x = d.input("x", dims);
  const std::string a = condition(d, x, dims, "a"), b = condition(d, x, dims, "b");
  if (d.rng.chance(1, 3))
    d.builder.node("Not", {a}, {"z"});
  else
    d.builder.node(d.rng.pick({"And", "Or", "Xor"}), {a, b}, {"z"});
  cast_to_float(d, "z");
}

void where(Draft& d) {
  const Dims dims = d.any();
  const std::string x = d.input("x", dims);
  Dims extents = dims;
  for (int64_t& extent : extents)
    if (d.rng.chance(1, 3)) extent = 1;
  // the logarithm of what is not chosen is NaN or infinite
  const bool is_log = d.rng.coin();
  if (is_log) d.builder.node("Log", {x}, {"log"});
  const std::string chosen = is_log ? "log" : x;
  const std::string other = d.rng.coin() ? d.weights("w", extents) : d.input("z", extents);
  if (!is_log) {
    const std::string c = condition(d, x, dims, "c");
    d.builder.node("Where",
                   d.rng.coin() ? std::vector{c, chosen, other} : std::vector{c, other, chosen},
                   {"y"});
    return;
  }
  d.builder.weights("zero", {}, {0});
  d.builder.node("Greater", {x, "zero"}, {"c"});
  d.builder.node("Where", {"c", chosen, other}, {"y"});
}

// A mask before a Softmax, as exporters write it.
void masked_softmax(Draft& d) {
  const int64_t n = d.range(2, 6);
  const std::string x = d.input("x", {d.range(1, 2), d.range(1, 3), n, n});
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) kept.push_back(i == j || d.rng.coin());
  d.builder.integers("mask", {n, n}, kept, onnx::TensorProto::BOOL);
  d.builder.weights("least", {}, {d.rng.coin() ? -INFINITY : -1e9f});
  d.builder.node("Where", {"mask", x, "least"}, {"scores"});
  set(d.builder.node("Softmax", {"scores"}, {"y"}), "axis", int64_t{-1});
}

void trilu(Draft& d) {
  const Dims dims = d.any(2);
  std::vector<std::string> names{d.input("x", dims)};
  if (d.rng.coin()) {
    d.builder.integers("k", {}, {d.range(0, 4) - 2});
    names.push_back("k");
  }
  set(d.builder.node("Trilu", names, {"y"}), "upper", int64_t{d.rng.coin()});
}

void cum_sum(Draft& d) {
  Dims dims = d.any();
  const int64_t axis = d.axis(dims.size());
  // Beyond the largest matrix of ones.
  if (dims.size() < 3 && d.rng.chance(1, 4))
    dims[static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(dims.size()) : axis)] = 4100;
  d.builder.integers("axis", {}, {axis});
  auto& node = d.builder.node("CumSum", {d.input("x", dims), "axis"}, {"y"});
  set(node, "exclusive", int64_t{d.rng.coin()});
  set(node, "reverse", int64_t{d.rng.coin()});
}

void cast(Draft& d) {
  using Types = onnx::TensorProto;
  constexpr int kTypes[] = {Types::INT8,  Types::UINT8, Types::INT16, Types::UINT16,
                            Types::INT32, Types::INT64, Types::BOOL};
  const int64_t to = kTypes[d.range(0, 6)];
  // Whole numbers that bf16 holds, or fractions.
  const bool whole = d.rng.coin();
  const float most = whole ? 250.0f : 3.0f;
  set(d.builder.node("Cast", {d.input("x", d.any(), -most, most)}, {"i"}), "to", to);
  for (float& value : d.inputs["x"].data) value = whole ? std::nearbyint(value) : value;
  cast_to_float(d, "i");
}

// ---- Other axes and constants ----

void matmul_of_constant(Draft& d) {
  const int64_t m = d.range(1, 5), k = d.range(1, 6), n = d.range(1, 5), heads = d.range(1, 3);
  const bool is_left = d.rng.coin(), has_three = d.rng.coin();
  Dims left{m, k}, right{k, n};
  if (has_three || !is_left) left.insert(left.begin(), heads);
  if (has_three || is_left) right.insert(right.begin(), heads);
  const std::string a = is_left ? d.weights("a", left) : d.input("a", left);
  const std::string b = is_left ? d.input("b", right) : d.weights("b", right);
  d.builder.node("MatMul", {a, b}, {"y"});
}

void gemm_of_tensors(Draft& d) {
  const int64_t m = d.range(1, 4), k = d.range(1, 7), n = d.range(1, 7);
  const bool turns_a = d.rng.coin(), turns_b = d.rng.coin();
  std::vector<std::string> names{d.input("a", turns_a ? Dims{k, m} : Dims{m, k}),
                                 d.input("b", turns_b ? Dims{n, k} : Dims{k, n})};
  if (d.rng.coin()) names.push_back(d.rng.coin() ? d.weights("c", {n}) : d.input("c", {m, 1}));
  auto& node = d.builder.node("Gemm", names, {"y"});
  set(node, "transA", int64_t{turns_a});
  set(node, "transB", int64_t{turns_b});
  if (d.rng.coin()) set(node, "alpha", d.real(0.5f, 2));
  if (d.rng.coin()) set(node, "beta", d.real(0.5f, 2));
}

void concat_of_constants(Draft& d) {
  const Dims x = d.any(2);
  const auto axis = d.rng.below(x.size());
  std::vector<std::string> names{d.input("x", x)};
  for (int64_t i = d.range(1, 2); i > 0; --i) {
    Dims other = x;
    other[axis] = d.range(1, 3);
    names.push_back(d.weights(fmt::format("w{}", i), other));
  }
  for (size_t i = names.size(); i-- > 1;) std::swap(names[i], names[d.rng.below(i + 1)]);
  set(d.builder.node("Concat", names, {"y"}), "axis", static_cast<int64_t>(axis));
}

void pad_others(Draft& d) {
  const Dims x = d.map();
  Dims pads;
  for (int i = 0; i < 8; ++i) pads.push_back(d.range(0, 2));
  const bool keeps_samples = d.rng.coin();
  if (keeps_samples) pads[0] = pads[4] = 0;
  std::vector<std::string> names{d.input("x", x), d.integers("p", pads)};
  if (d.rng.coin()) names.push_back(d.weights("v", {}));
  d.builder.node("Pad", names, {"y"});
}

void resize_others(Draft& d) {
  const Dims x{1, d.range(2, 6), d.range(2, 6), d.range(1, 4)};
  const std::string in = d.input("x", x);
  auto& node = d.builder.node(
      "Resize", {in, "", "", d.integers("sizes", {1, d.range(2, 9), d.range(2, 9), x[3]})}, {"y"});
  set(node, "mode", std::string(d.rng.pick({"nearest", "linear"})));
  set(node, "coordinate_transformation_mode",
      std::string(d.rng.pick({"half_pixel", "asymmetric"})));
}

void lp_normalization(Draft& d) {
  const Dims x = d.any(2);
  auto& node = d.builder.node("LpNormalization", {d.input("x", x, 0.1f, 3)}, {"y"});
  set(node, "axis", d.axis(x.size()));
  set(node, "p", d.range(1, 2));
}

void global_lp_pool(Draft& d) {
  set(d.builder.node("GlobalLpPool", {d.input("x", d.map())}, {"y"}), "p", d.range(1, 2));
}

// ---- Beyond the fields of the chip's commands ----

void conv_of_blocks(Draft& d) {
  const int64_t stride = d.range(16, 18),
                kernel = d.rng.coin() ? stride : stride + d.range(0, 3) - 1;
  const int64_t groups = d.range(1, 2), channels = groups * d.range(1, 2);
  const bool one_axis = d.rng.chance(1, 3);
  Dims x{d.range(1, 2), channels, stride * d.range(2, 3) + d.range(0, 2),
         stride * d.range(2, 3) + d.range(0, 2)};
  Dims w{groups * d.range(1, 3), channels / groups, kernel, kernel};
  if (one_axis) x.pop_back(), w.pop_back();
  std::vector<std::string> names{d.input("x", x), d.weights("w", w)};
  if (d.rng.coin()) names.push_back(d.weights("b", {w[0]}));
  auto& node = d.builder.node("Conv", names, {"y"});
  set(node, "group", groups);
  set(node, "strides", one_axis ? Dims{stride} : Dims{stride, d.rng.coin() ? stride : 3});
  if (d.rng.coin())
    set(node, "pads", one_axis ? Dims{1, 2} : Dims{d.range(0, 2), d.range(0, 2), 1, 2});
}

void conv_of_phases(Draft& d) {
  const int64_t kernel = d.range(2, 3), dilation = d.range(17, 24), groups = d.range(1, 2);
  const bool one_axis = d.rng.chance(1, 3);
  Dims x{d.range(1, 2), groups * d.range(1, 2), 2 * dilation + d.range(1, 9), d.range(1, 9)};
  Dims w{groups * d.range(1, 2), x[1] / groups, kernel, 1};
  Dims dilations{dilation, 1}, pads{d.range(0, 26), 0, d.range(0, 26), 0};
  if (d.rng.coin()) w[3] = 3, dilations[1] = dilation, pads[1] = pads[3] = dilation;
  if (one_axis) {
    x.pop_back(), w.pop_back();
    dilations.pop_back();
    pads = {pads[0], pads[2]};
  }
  std::vector<std::string> names{d.input("x", x), d.weights("w", w)};
  if (d.rng.coin()) names.push_back(d.weights("b", {w[0]}));
  auto& node = d.builder.node("Conv", names, {"y"});
  set(node, "group", groups);
  set(node, "dilations", dilations);
  set(node, "pads", pads);
}

void conv_of_large_pads(Draft& d) {
  const int64_t kernel = d.range(33, 35);
  auto& node = d.builder.node("Conv",
                              {d.input("x", {1, 1, d.range(3, 9), d.range(3, 9)}),
                               d.weights("w", {d.range(1, 2), 1, kernel, kernel})},
                              {"y"});
  set(node, "pads", Dims{16, 17, kernel - 17, kernel - 16});
}

void conv_of_many_channels(Draft& d) {
  const int64_t channels = 4096 + 4 * d.range(1, 60);
  d.builder.node("Conv",
                 {d.input("x", {1, channels, d.range(1, 2), d.range(1, 3)}),
                  d.weights("w", {d.range(1, 2), channels, 1, 1}, -0.1f, 0.1f)},
                 {"y"});
}

void large_pool(Draft& d) {
  const int64_t size = d.range(16, 20);
  const std::string type = d.rng.pick({"MaxPool", "AveragePool"});
  auto& node = d.builder.node(
      type, {d.input("x", {1, d.range(1, 3), size * d.range(1, 3) + d.range(0, 2), size * 2})},
      {"y"});
  set(node, "kernel_shape", Dims{size, size});
  set(node, "strides", Dims{size, size});
}

// ---- Recurrent layers ----

Kind recurrent(const char* type, int64_t gates, bool has_cell) {
  return {type, 7, [=](Draft& d) {
            const int64_t steps = d.range(1, 4), batch = d.range(1, 3), inputs = d.range(1, 5),
                          hidden = d.range(1, 5);
            const std::string direction = d.rng.pick({"forward", "reverse", "bidirectional"});
            const int64_t directions = direction == "bidirectional" ? 2 : 1;
            const bool has_bias = d.rng.coin(), has_state = d.rng.coin();
            std::vector<std::string> names{
                d.input("x", {steps, batch, inputs}),
                d.weights("w", {directions, gates * hidden, inputs}),
                d.weights("r", {directions, gates * hidden, hidden}),
                has_bias ? d.weights("b", {directions, 2 * gates * hidden}) : "",
                "",
                has_state ? d.input("h", {directions, batch, hidden}) : ""};
            if (has_cell)
              names.push_back(has_state ? d.input("c", {directions, batch, hidden}) : "");
            const std::string all = d.rng.pick({"y", "y", ""});
            std::vector<std::string> outputs{all, all.empty() || d.rng.coin() ? "last" : ""};
            if (has_cell && d.rng.coin()) outputs.push_back("cell");
            auto& node = d.builder.node(type, names, outputs);
            set(node, "hidden_size", hidden);
            set(node, "direction", direction);
            if (gates == 3 && d.rng.coin()) set(node, "linear_before_reset", int64_t{1});
            for (size_t i = 1; i < outputs.size(); ++i)
              if (!outputs[i].empty() && (i == 2 || !all.empty())) d.builder.output(outputs[i]);
            if (all.empty()) d.builder.node("Identity", {"last"}, {"y"});
          }};
}

void einsum(Draft& d) {
  static constexpr const char* kEquations[] = {
      "ij,jk->ik",       "bij,bjk->bik",    "bij,bkj->bik", "bhid,bhjd->bhij",
      "bhij,bhjd->bhid", "bhij,bjhd->bihd", "ij->ji",       "bij->bj",
      "i,j->ij",         "bi,bi->b",        "bij,jk",       "bhwc,hkc->bhwk",
      "nchw->nhwc",      "bqnd,bknd->bnqk", "ij,ij->ij",    "ij->"};
  const std::string equation = kEquations[d.rng.below(std::size(kEquations))];
  std::map<char, int64_t> extents;
  std::vector<std::string> names;
  std::string operand;
  const auto add = [&] {
    Dims dims;
    for (const char label : operand)
      dims.push_back(extents.try_emplace(label, d.range(1, 5)).first->second);
    const std::string name = fmt::format("i{}", names.size());
    names.push_back(names.empty() || d.rng.coin() ? d.input(name, dims) : d.weights(name, dims));
    operand.clear();
  };
  for (const char c : equation.substr(0, equation.find("->")))
    c == ',' ? add() : operand.push_back(c);
  add();
  set(d.builder.node("Einsum", names, {"y"}), "equation", equation);
  d.shape = " " + equation + d.shape;
}

// ---- Subgraphs ----

onnx::GraphProto& graph_of(onnx::NodeProto& node, const char* name) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  attribute.mutable_g()->set_name(name);
  return *attribute.mutable_g();
}

onnx::ValueInfoProto value(const std::string& name, int type) {
  onnx::ValueInfoProto info;
  info.set_name(name);
  info.mutable_type()->mutable_tensor_type()->set_elem_type(type);
  return info;
}

void add_node(onnx::GraphProto& graph, const char* type, std::initializer_list<const char*> inputs,
              const char* output) {
  auto& node = *graph.add_node();
  node.set_op_type(type);
  for (const char* input : inputs) node.add_input(input);
  node.add_output(output);
}

void branches(Draft& d) {
  const std::string x = d.input("x", d.any());
  d.builder.integers("which", {}, {d.rng.coin()}, onnx::TensorProto::BOOL);
  auto& node = d.builder.node("If", {"which"}, {"z"});
  for (const char* branch : {"then_branch", "else_branch"}) {
    auto& graph = graph_of(node, branch);
    add_node(graph, d.rng.pick({"Tanh", "Abs", "Neg"}), {"x"}, "inner");
    add_node(graph, "Add", {"inner", "x"}, "out");
    *graph.add_output() = value("out", onnx::TensorProto::FLOAT);
  }
  d.builder.node("Relu", {"z"}, {"y"});
}

// y = f(f(... x)); the number of the iteration is added.
void loop(Draft& d) {
  const std::string x = d.input("x", d.any(1, 3));
  d.builder.integers("count", {}, {d.range(1, 4)});
  d.builder.integers("yes", {}, {1}, onnx::TensorProto::BOOL);
  const bool collects = d.rng.coin();
  auto& node = d.builder.node(
      "Loop", {"count", "yes", x},
      collects ? std::vector<std::string>{"y", "all"} : std::vector<std::string>{"y"});
  auto& body = graph_of(node, "body");
  *body.add_input() = value("i", onnx::TensorProto::INT64);
  *body.add_input() = value("goes_on", onnx::TensorProto::BOOL);
  for (auto& scalar : *body.mutable_input())
    scalar.mutable_type()->mutable_tensor_type()->mutable_shape();
  *body.add_input() = value("state", onnx::TensorProto::FLOAT);
  add_node(body, "Identity", {"goes_on"}, "still");
  add_node(body, "Cast", {"i"}, "number");
  set(*body.mutable_node()->rbegin(), "to", int64_t{onnx::TensorProto::FLOAT});
  add_node(body, d.rng.pick({"Sigmoid", "Abs", "Neg"}), {"state"}, "inner");
  add_node(body, "Add", {"inner", "number"}, "next");
  *body.add_output() = value("still", onnx::TensorProto::BOOL);
  *body.add_output() = value("next", onnx::TensorProto::FLOAT);
  if (!collects) return;
  add_node(body, "Mul", {"inner", "inner"}, "square");
  *body.add_output() = value("square", onnx::TensorProto::FLOAT);
  d.builder.output("all");
}

// A local function with an attribute, called twice.
void function(Draft& d) {
  const std::string x = d.input("x", d.any());
  auto& own = *d.builder.model.add_functions();
  own.set_domain("local");
  own.set_name("leaky");
  own.add_input("a");
  own.add_output("b");
  own.add_attribute("slope");
  auto& opset = *own.add_opset_import();
  opset.set_domain("");
  opset.set_version(d.opset);
  auto& leaky = *own.add_node();
  leaky.set_op_type("LeakyRelu");
  leaky.add_input("a");
  leaky.add_output("c");
  auto& alpha = *leaky.add_attribute();
  alpha.set_name("alpha");
  alpha.set_type(onnx::AttributeProto::FLOAT);
  alpha.set_ref_attr_name("slope");
  auto& add = *own.add_node();
  add.set_op_type("Add");
  add.add_input("a");
  add.add_input("c");
  add.add_output("b");
  auto& import = *d.builder.model.add_opset_import();
  import.set_domain("local");
  import.set_version(1);
  for (const auto& [from, to] : {std::pair("x", "c"), std::pair("c", "y")}) {
    auto& call = d.builder.node("leaky", {from}, {to});
    call.set_domain("local");
    set(call, "slope", d.real(0.1f, 0.9f));
  }
}

}  // namespace

std::vector<Kind> kinds_of_parts() {
  return {of_many("Sum"),
          of_many("Mean"),
          of_many("Max"),
          of_many("Min"),
          {"logic", 9, logic},
          {"Where", 9, where},
          {"masked-Softmax", 13, masked_softmax},
          {"Trilu", 14, trilu},
          {"CumSum", 11, cum_sum},
          {"Cast", 9, cast},
          {"MatMul-constant", 7, matmul_of_constant},
          {"Gemm-tensors", 11, gemm_of_tensors},
          {"Concat-constants", 7, concat_of_constants},
          {"Pad-others", 13, pad_others},
          {"Resize-others", 13, resize_others},
          {"LpNormalization", 7, lp_normalization},
          {"GlobalLpPool", 7, global_lp_pool},
          {"Conv-blocks", 7, conv_of_blocks},
          {"Conv-phases", 7, conv_of_phases},
          {"Conv-pads", 7, conv_of_large_pads},
          {"Conv-channels", 7, conv_of_many_channels},
          {"Pool-large", 8, large_pool},
          recurrent("RNN", 1, false),
          recurrent("GRU", 3, false),
          recurrent("LSTM", 4, true),
          {"Einsum", 12, einsum},
          {"If", 11, branches},
          {"Loop", 11, loop},
          {"function", 15, function}};
}

}  // namespace tputwin::test
