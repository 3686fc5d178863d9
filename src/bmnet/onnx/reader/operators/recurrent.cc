// LSTM, GRU and RNN, unrolled: one product for the inputs of all steps, then the steps one after
// the other.
#include <fmt/format.h>

#include <algorithm>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

constexpr int64_t kMostSteps = 1024;

// An activation with the parameters that it takes.
struct Activation {
  std::string name;
  float alpha = 0, beta = 0;
};

struct KnownActivation {
  std::string_view name;
  int parameters;  // 0; 1: alpha; 2: alpha and beta
  float alpha, beta;
};
constexpr KnownActivation kActivations[] = {{"Sigmoid", 0, 0, 0},
                                            {"Tanh", 0, 0, 0},
                                            {"Relu", 0, 0, 0},
                                            {"Softsign", 0, 0, 0},
                                            {"Softplus", 0, 0, 0},
                                            {"LeakyRelu", 1, 0.01f, 0},
                                            {"Elu", 1, 1, 0},
                                            {"ThresholdedRelu", 1, 1, 0},
                                            {"HardSigmoid", 2, 0.2f, 0.5f},
                                            {"ScaledTanh", 2, 1, 1},
                                            {"Affine", 2, 1, 0}};

// The extents of a recurrent node, and what its directions share.
struct Recurrent {
  Node& node;
  Expansion made;
  int64_t steps, batch, inputs, hidden, directions, gates;
  bool batch_first;
  std::vector<Activation> activations;  // of all directions
  float clip;                           // limit of what activations read; 0 for none
};

// The weights of a direction; input weights and recurrence weights have a row for each gate.
struct Direction {
  int64_t index;
  bool backward;
  std::vector<Activation> activations;
};

// The state of a direction: h, and c of an LSTM; "" for zeros.
struct State {
  std::string h, c;
};

// Rows [begin, end) of one direction's part of a constant.
std::string rows_of(Recurrent& r, size_t input, std::string_view what, int64_t direction,
                    int64_t begin, int64_t end, int64_t columns) {
  const Constant& all = r.node.weights(input, what);
  const std::vector<float> values = all.real();
  const int64_t rows = static_cast<int64_t>(values.size()) / columns / r.directions;
  const auto at = [&](int64_t row) { return values.begin() + (direction * rows + row) * columns; };
  const std::vector<float> part(at(begin), at(end));
  return r.made.reals({end - begin, columns}, part);
}

void require_size(const Recurrent& r, size_t input, std::string_view what, int64_t values) {
  const Constant& constant = r.node.weights(input, what);
  r.node.require(static_cast<int64_t>(constant.size()) == values, what, text(constant.dims),
                 fmt::format("{} values for {} directions, {} inputs and a hidden size of {}",
                             values, r.directions, r.inputs, r.hidden));
}

void require_supported(const Node& node, const Recurrent& r) {
  if (node.has(4))
    for (const int64_t length : node.weights(4, "sequence_lens").whole())
      node.require(length == r.steps, "sequence_lens", std::to_string(length),
                   fmt::format("all {} steps for every sample", r.steps));
  node.require(r.steps >= 1 && r.steps <= kMostSteps, "steps", std::to_string(r.steps),
               fmt::format("1 to {}", kMostSteps));
  node.require(r.clip >= 0, "clip", std::to_string(r.clip), "not negative");
}

// Returns the activations of all directions. Each takes the next values of activation_alpha and
// activation_beta if it has such parameters.
std::vector<Activation> activations_of(const Node& node, const std::vector<std::string>& defaults,
                                       int64_t directions) {
  std::vector<std::string> names = node.texts("activations");
  while (names.size() < defaults.size() * static_cast<size_t>(directions))
    names.push_back(defaults[names.size() % defaults.size()]);
  const std::vector<float> alphas = node.reals("activation_alpha"),
                           betas = node.reals("activation_beta");
  size_t alpha = 0, beta = 0;
  std::vector<Activation> result;
  for (const std::string& name : names) {
    const auto* known = std::ranges::find(kActivations, name, &KnownActivation::name);
    node.require(known != std::end(kActivations), "activations", name,
                 "one of those that ONNX lists for recurrent operators");
    Activation& made = result.emplace_back(Activation{name, known->alpha, known->beta});
    if (known->parameters > 0 && alpha < alphas.size()) made.alpha = alphas[alpha++];
    if (known->parameters > 1 && beta < betas.size()) made.beta = betas[beta++];
  }
  return result;
}

Recurrent recurrent_of(Node& node, int64_t gates, const std::vector<std::string>& defaults) {
  const Dims& x = node.dims();
  const Constant& w = node.weights(1, "W");
  node.require(x.size() == 3 && w.dims.size() == 3, "X, W", text(x), "three axes");
  const bool batch_first = node.integer("layout", 0) == 1;
  const int64_t directions = node.text("direction", "forward") == "bidirectional" ? 2 : 1;
  Recurrent r{node,
              Expansion(node),
              x[batch_first ? 1 : 0],
              x[batch_first ? 0 : 1],
              x[2],
              w.dims[1] / gates,
              directions,
              gates,
              batch_first,
              activations_of(node, defaults, directions),
              node.real("clip", 0)};
  node.require(r.hidden > 0 && r.inputs > 0 && r.batch > 0, "W", text(w.dims),
               "with rows and columns");
  require_supported(node, r);
  require_size(r, 1, "W", directions * gates * r.hidden * r.inputs);
  require_size(r, 2, "R", directions * gates * r.hidden * r.hidden);
  if (node.has(3)) require_size(r, 3, "B", directions * 2 * gates * r.hidden);
  if (node.has(7)) require_size(r, 7, "P", directions * 3 * r.hidden);
  return r;
}

// The inputs of all gates in every step: x * W^T + Wb, and Rb unless `recurrent_bias` is false for
// the gates from `first_without` on. One tensor (batch, gates * hidden) for each step.
std::vector<std::string> gate_inputs(Recurrent& r, const Direction& d,
                                     int64_t with_recurrent_bias) {
  Expansion& made = r.made;
  std::string x = made.in(0);
  if (r.batch_first) x = made.add("Transpose", {x}, {{"perm", Dims{1, 0, 2}}});
  x = made.add("Reshape", {x, made.integers({r.steps * r.batch, r.inputs})});
  const int64_t rows = r.gates * r.hidden;
  std::vector<std::string> operands{x, rows_of(r, 1, "W", d.index, 0, rows, r.inputs)};
  if (r.node.has(3)) {
    const std::vector<float> all = r.node.weights(3, "B").real();
    std::vector<float> bias(static_cast<size_t>(rows));
    for (int64_t i = 0; i < rows; ++i) {
      bias[i] = all[d.index * 2 * rows + i];
      if (i < with_recurrent_bias * r.hidden) bias[i] += all[d.index * 2 * rows + rows + i];
    }
    operands.push_back(made.reals({rows}, bias));
  }
  std::string all = made.add("Gemm", operands, {{"transB", int64_t{1}}});
  if (r.steps == 1) return {all};
  all = made.add("Reshape", {all, made.integers({r.steps, r.batch * rows})});
  std::vector<std::string> steps = made.add_many("Split", {all}, static_cast<size_t>(r.steps),
                                                 {{"axis", int64_t{0}}, {"num_outputs", r.steps}});
  const std::string shape = made.integers({r.batch, rows});
  for (std::string& step : steps) step = made.add("Reshape", {step, shape});
  return steps;
}

// h * R^T for the rows [begin, end) of R; "" if h is zero and there is no bias.
std::string recurrence(Recurrent& r, const std::string& h, const std::string& matrix,
                       const std::string& bias = "") {
  if (h.empty()) return bias;
  std::vector<std::string> operands{h, matrix};
  if (!bias.empty()) operands.push_back(bias);
  return r.made.add("Gemm", operands, {{"transB", int64_t{1}}});
}

std::string sum(Expansion& made, const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  return made.add("Add", {a, b});
}

std::vector<std::string> split(Recurrent& r, const std::string& x, const Dims& parts) {
  return r.made.add_many("Split", {x, r.made.integers(parts)}, parts.size(),
                         {{"axis", int64_t{1}}});
}

std::string function(Recurrent& r, const Direction& d, size_t which, std::string x) {
  const auto& [name, alpha, beta] = d.activations[which];
  Expansion& made = r.made;
  const bool is_of_cell = r.gates == 4 && which == 2;  // h(c), which ONNX Runtime does not clip
  if (r.clip > 0 && !is_of_cell) x = made.add("Clip", {x, made.real(-r.clip), made.real(r.clip)});
  if (name == "Affine")
    return made.add("Add", {made.add("Mul", {x, made.real(alpha)}), made.real(beta)});
  if (name == "ScaledTanh")
    return made.add("Mul",
                    {made.add("Tanh", {made.add("Mul", {x, made.real(beta)})}), made.real(alpha)});
  if (name == "HardSigmoid")
    return made.add("HardSigmoid", {x}, {{"alpha", alpha}, {"beta", beta}});
  if (name == "LeakyRelu" || name == "Elu" || name == "ThresholdedRelu")
    return made.add(name.c_str(), {x}, {{"alpha", alpha}});
  return made.add(name.c_str(), {x});
}

// The initial state of a direction: (batch, hidden).
std::string initial(Recurrent& r, const Direction& d, size_t input) {
  if (!r.node.has(input)) return "";
  const int64_t axis = r.batch_first ? 1 : 0;
  const std::string part =
      r.made.add("Slice", {r.made.in(input), r.made.integers({d.index}),
                           r.made.integers({d.index + 1}), r.made.integers({axis})});
  return r.made.add("Reshape", {part, r.made.integers({r.batch, r.hidden})});
}

// The states of one direction after each step, in the order of the steps.
template <class Step>
std::vector<State> states_of(Recurrent& r, const Direction& d, int64_t with_recurrent_bias,
                             const Step& step) {
  const std::vector<std::string> inputs = gate_inputs(r, d, with_recurrent_bias);
  State state{initial(r, d, 5), r.gates == 4 ? initial(r, d, 6) : ""};
  std::vector<State> states(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const size_t at = d.backward ? inputs.size() - 1 - i : i;
    state = step(inputs[at], state);
    states[at] = state;
  }
  return states;
}

// Joins tensors (batch, hidden) along axes that are added before them.
std::string joined(Recurrent& r, const std::vector<std::string>& tensors, int64_t axis,
                   const Dims& added) {
  std::vector<std::string> parts;
  for (const std::string& tensor : tensors)
    parts.push_back(added.empty() ? tensor
                                  : r.made.add("Unsqueeze", {tensor, r.made.integers(added)}));
  return parts.size() == 1 ? parts[0] : r.made.add("Concat", parts, {{"axis", axis}});
}

// Sets Y, and Y_h and Y_c: the states after the last step of each direction.
void set_outputs(Recurrent& r, const std::vector<std::vector<State>>& all) {
  const auto last = [&](size_t direction) -> const State& {
    const bool backward = direction == 1 || r.node.text("direction", "forward") == "reverse";
    return backward ? all[direction].front() : all[direction].back();
  };
  if (r.node.wants(0)) {
    std::vector<std::string> of_direction;
    for (const auto& states : all) {
      std::vector<std::string> h;
      for (const State& state : states) h.push_back(state.h);
      of_direction.push_back(joined(r, h, 0, {0, 1}));  // (steps, 1, batch, hidden)
    }
    std::string y = joined(r, of_direction, 1, {});
    if (r.batch_first) y = r.made.add("Transpose", {y}, {{"perm", Dims{2, 0, 1, 3}}});
    r.made.set(y, 0);
  }
  for (const size_t output : {size_t{1}, size_t{2}}) {
    if (!r.node.wants(output)) continue;
    std::vector<std::string> values;
    for (size_t d = 0; d < all.size(); ++d) values.push_back(output == 1 ? last(d).h : last(d).c);
    std::string y = joined(r, values, 0, {0});  // (directions, batch, hidden)
    if (r.batch_first) y = r.made.add("Transpose", {y}, {{"perm", Dims{1, 0, 2}}});
    r.made.set(y, output);
  }
}

// Calls states(direction) for each direction and sets the outputs.
template <class States>
void unroll(Recurrent& r, const States& states) {
  std::vector<std::vector<State>> all;
  const size_t functions = r.activations.size() / static_cast<size_t>(r.directions);
  for (int64_t i = 0; i < r.directions; ++i) {
    const auto first = r.activations.begin() + i * static_cast<int64_t>(functions);
    const bool backward = i == 1 || r.node.text("direction", "forward") == "reverse";
    all.push_back(
        states(Direction{i, backward, {first, first + static_cast<std::ptrdiff_t>(functions)}}));
  }
  set_outputs(r, all);
}

}  // namespace

// h = f(x W^T + h R^T + Wb + Rb)
void expand_rnn(Node& node) {
  Recurrent r = recurrent_of(node, 1, {"Tanh"});
  unroll(r, [&](const Direction& d) {
    const std::string matrix = rows_of(r, 2, "R", d.index, 0, r.hidden, r.hidden);
    return states_of(r, d, 1, [&](const std::string& x, const State& state) {
      return State{function(r, d, 0, sum(r.made, x, recurrence(r, state.h, matrix))), ""};
    });
  });
}

namespace {

// Peepholes through which the cell adds to the gates i, o and f.
struct Peepholes {
  std::string i, o, f;  // weights; "" for none
};

Peepholes peepholes_of(Recurrent& r, const Direction& d) {
  if (!r.node.has(7)) return {};
  const auto part = [&](int64_t gate) {
    return rows_of(r, 7, "P", d.index, gate * r.hidden, (gate + 1) * r.hidden, 1);
  };
  const auto row = [&](int64_t gate) {
    return r.made.add("Reshape", {part(gate), r.made.integers({1, r.hidden})});
  };
  return {row(0), row(1), row(2)};
}

// x + weights * c
std::string seen(Recurrent& r, const std::string& x, const std::string& weights,
                 const std::string& c) {
  if (weights.empty() || c.empty()) return x;
  return r.made.add("Add", {x, r.made.add("Mul", {c, weights})});
}

// A step of an LSTM whose gates are computed one by one: with peepholes, or with a forget gate that
// is what the input gate leaves, as in ONNX Runtime.
State step_of_gates(Recurrent& r, const Direction& d, const Peepholes& p, const std::string& all,
                    const State& state) {
  const auto gates = split(r, all, {r.hidden, r.hidden, r.hidden, r.hidden});
  const bool is_coupled = r.node.integer("input_forget", 0) != 0;
  const std::string i = function(r, d, 0, seen(r, gates[0], p.i, state.c));
  const std::string f = is_coupled ? r.made.add("Sub", {r.made.real(1), i})
                                   : function(r, d, 0, seen(r, gates[2], p.f, state.c));
  std::string c = r.made.add("Mul", {i, function(r, d, 1, gates[3])});
  if (!state.c.empty()) c = r.made.add("Add", {r.made.add("Mul", {f, state.c}), c});
  const std::string o = function(r, d, 0, seen(r, gates[1], p.o, c));
  return State{r.made.add("Mul", {o, function(r, d, 2, c)}), c};
}

}  // namespace

// Gates i, o, f, c: c = f * c + i * g(c'), h = o * h(c).
void expand_lstm(Node& node) {
  Recurrent r = recurrent_of(node, 4, {"Sigmoid", "Tanh", "Tanh"});
  const bool one_by_one = node.has(7) || node.integer("input_forget", 0) != 0;
  unroll(r, [&](const Direction& d) {
    const std::string matrix = rows_of(r, 2, "R", d.index, 0, 4 * r.hidden, r.hidden);
    const Peepholes peepholes = peepholes_of(r, d);
    return states_of(r, d, 4, [&](const std::string& x, const State& state) {
      const std::string all = sum(r.made, x, recurrence(r, state.h, matrix));
      if (one_by_one) return step_of_gates(r, d, peepholes, all, state);
      const auto parts = split(r, all, {3 * r.hidden, r.hidden});
      const auto gates = split(r, function(r, d, 0, parts[0]), {r.hidden, r.hidden, r.hidden});
      std::string c = r.made.add("Mul", {gates[0], function(r, d, 1, parts[1])});
      if (!state.c.empty()) c = r.made.add("Add", {r.made.add("Mul", {gates[2], state.c}), c});
      return State{r.made.add("Mul", {gates[1], function(r, d, 2, c)}), c};
    });
  });
}

namespace {

// The recurrence of a GRU's third gate: r * (h R^T + Rb) if it is linear before the reset, else
// (r * h) R^T.
std::string reset_recurrence(Recurrent& r, const Direction& d, const std::string& reset,
                             const std::string& h, bool linear) {
  const std::string matrix = rows_of(r, 2, "R", d.index, 2 * r.hidden, 3 * r.hidden, r.hidden);
  if (!linear) return h.empty() ? "" : recurrence(r, r.made.add("Mul", {reset, h}), matrix);
  std::string bias;
  if (r.node.has(3)) {
    const std::vector<float> all = r.node.weights(3, "B").real();
    const auto begin = all.begin() + d.index * 6 * r.hidden + 5 * r.hidden;
    bias = r.made.reals({r.hidden}, {begin, begin + r.hidden});
  }
  const std::string inner = recurrence(r, h, matrix, bias);
  return inner.empty() ? "" : r.made.add("Mul", {reset, inner});
}

}  // namespace

// Gates z, r, h: h = (1 - z) * h' + z * h = h' + z * (h - h').
void expand_gru(Node& node) {
  Recurrent r = recurrent_of(node, 3, {"Sigmoid", "Tanh"});
  const bool linear = node.integer("linear_before_reset", 0) != 0;
  unroll(r, [&](const Direction& d) {
    const std::string matrix = rows_of(r, 2, "R", d.index, 0, 2 * r.hidden, r.hidden);
    return states_of(r, d, linear ? 2 : 3, [&](const std::string& x, const State& state) {
      const auto inputs = split(r, x, {2 * r.hidden, r.hidden});
      const std::string all = sum(r.made, inputs[0], recurrence(r, state.h, matrix));
      const auto gates = split(r, function(r, d, 0, all), {r.hidden, r.hidden});
      const std::string rest = reset_recurrence(r, d, gates[1], state.h, linear);
      const std::string fresh = function(r, d, 1, sum(r.made, inputs[1], rest));
      const std::string change =
          state.h.empty() ? r.made.add("Neg", {fresh}) : r.made.add("Sub", {state.h, fresh});
      return State{r.made.add("Add", {fresh, r.made.add("Mul", {gates[0], change})}), ""};
    });
  });
}

}  // namespace tputwin::net::onnx_reader
