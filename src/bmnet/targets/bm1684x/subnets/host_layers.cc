// Layers that the host computes.
#include "bmnet/targets/bm1684x/subnets/host_layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "bmnet/targets/bm1684x/subnets/detectors.h"

namespace tputwin::net::bm1684x {
namespace {

// ---- The largest values and their positions ----

bool is_top(const TensorOp& op) { return is(op, Op::top_values) || is(op, Op::top_positions); }

const ::bmnet::TGTopParameter& top_of(const TensorOp& op) {
  return is(op, Op::top_values) ? op.tg_top_values_param() : op.tg_top_positions_param();
}

bool are_of_one_top(const TensorOp& a, const TensorOp& b) {
  return is_top(b) && a.bottom(0) == b.bottom(0) && a.type() != b.type() &&
         top_of(a).SerializeAsString() == top_of(b).SerializeAsString();
}

// Returns the operator for a layer of values or of positions, or for both.
TensorOp top_layer(const TensorOp& op, const TensorOp* other) {
  const auto& p = top_of(op);
  const bool is_position = is(op, Op::top_positions);
  if (is_position && other == nullptr && p.count() == 1) {
    TensorOp made = host_layer(
        op.name(),
        fmt::format("argmax axis={} keepdims=1 select_last_index={} smallest={} nan=unordered",
                    p.axis(), p.last() ? 1 : 0, p.smallest() ? 1 : 0));
    add_input(made, op.bottom(0), op.input_shape(0));
    add_result(made, op.top(0), op.output_shape(0));
    return made;
  }
  TensorOp made = host_layer(op.name(), fmt::format("topk axis={} k={} largest={}", p.axis(),
                                                    p.count(), p.smallest() ? 0 : 1));
  add_input(made, op.bottom(0), op.input_shape(0));
  const std::string second = other != nullptr ? other->top(0) : op.name() + "/unused";
  add_result(made, is_position ? second : op.top(0), op.output_shape(0));
  add_result(made, is_position ? op.top(0) : second, op.output_shape(0));
  return made;
}

void place_tops(std::vector<TensorOp>& ops) {
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!is_top(ops[i])) continue;
    const auto other = std::find_if(ops.begin() + static_cast<ptrdiff_t>(i) + 1, ops.end(),
                                    [&](const TensorOp& op) { return are_of_one_top(ops[i], op); });
    TensorOp made = top_layer(ops[i], other == ops.end() ? nullptr : &*other);
    if (other != ops.end()) ops.erase(other);
    ops[i] = std::move(made);
  }
}

// ---- Powers of two tensors ----

using TwoOperands = ::bmnet::TGArithmeticParameter;

// True for powers that are not 1 everywhere, as those of 1 and those with exponent 0 are.
bool is_power(const Network& network, const TensorOp& op) {
  const auto& p = op.tg_arithmetic_param();
  if (!is(op, Op::arithmetic) || p.operation() != TwoOperands::POW) return false;
  if (op.bottom_size() == 2) return true;
  const float one = p.reversed() ? 1 : 0;
  return !std::ranges::all_of(network.blobs.at(op.name())[0].data,
                              [&](float x) { return x == one; });
}

void place_powers(Network& network) {
  for (TensorOp& op : network.ops) {
    if (!is_power(network, op)) continue;
    const auto& p = op.tg_arithmetic_param();
    TensorOp made = host_layer(op.name(), "binary op=pow");
    const bool is_constant = op.bottom_size() == 1;
    const int first = p.reversed() ? 1 : 0;
    for (const int index : {first, 1 - first}) {
      if (index < op.bottom_size()) {
        add_input(made, op.bottom(index), op.input_shape(index));
      } else {
        made.mutable_tg_host_param()->add_constant(index == first ? 0 : 1);
      }
    }
    if (is_constant) network.blobs.at(op.name())[0].shape = dims(p.b_shape());
    add_result(made, op.top(0), op.output_shape(0));
    op = std::move(made);
  }
}

// ---- Reshapes ----

// The host sees a tensor in the shape in which it was made. Reshapes of what the host made, or of
// inputs, become its operators where it, or the user, sees the result.
void place_reshapes(Network& network) {
  std::set<std::string> seen;
  for (const TensorOp& op : network.ops)
    if (is(op, Op::host) || is(op, Op::end)) seen.insert(op.bottom().begin(), op.bottom().end());
  for (auto op = network.ops.rbegin(); op != network.ops.rend(); ++op) {
    if (!is(*op, Op::reshape) || !seen.contains(op->top(0))) continue;
    const TensorOp& maker = *network.producer(renamed_tensor(network, op->bottom(0)));
    if (!is(maker, Op::host) && !is(maker, Op::start)) continue;
    seen.insert(op->bottom(0));
    TensorOp made = host_layer(
        op->name(), fmt::format("reshape shape={}", fmt::join(op->output_shape(0).dim(), ",")));
    add_input(made, op->bottom(0), op->input_shape(0));
    add_result(made, op->top(0), op->output_shape(0));
    *op = std::move(made);
  }
}

}  // namespace

TensorOp host_layer(const std::string& name, std::string text) {
  TensorOp op;
  op.set_name(name);
  set_type(op, Op::host);
  op.mutable_tg_host_param()->set_text(std::move(text));
  return op;
}

void add_input(TensorOp& op, const std::string& tensor, const TensorShape& shape) {
  op.add_bottom(tensor);
  *op.add_input_shape() = shape;
}

void add_result(TensorOp& op, const std::string& tensor, const TensorShape& shape) {
  op.add_top(tensor);
  *op.add_output_shape() = shape;
  *op.mutable_tg_host_param()->add_result() = shape;
}

const std::string& renamed_tensor(const Network& network, const std::string& tensor) {
  const std::string* found = &tensor;
  for (const TensorOp* op = network.producer(*found); op != nullptr && is(*op, Op::reshape);
       op = network.producer(*found))
    found = &op->bottom(0);
  return *found;
}

bool has_host_layers(const Network& network) {
  return std::ranges::any_of(network.ops, [](const TensorOp& op) { return is(op, Op::host); });
}

Status place_on_host(Network& network) {
  place_tops(network.ops);
  place_powers(network);
  TW_RETURN_IF_ERROR(place_detectors(network));
  if (has_host_layers(network)) place_reshapes(network);
  return {};
}

// Takes layers of the chip as long as there are some whose inputs exist, then those of the host.
std::vector<size_t> order_by_place(const Network& network) {
  const std::vector<TensorOp>& ops = network.ops;
  std::vector<size_t> order, left;
  for (size_t i = 0; i + 1 < ops.size(); ++i) left.push_back(i);
  std::set<std::string> made;
  for (bool on_host = false; !left.empty(); on_host = !on_host) {
    std::vector<size_t> later;
    for (const size_t i : left) {
      const bool is_ready = std::ranges::all_of(
          ops[i].bottom(), [&](const std::string& t) { return made.contains(t); });
      if (is(ops[i], Op::host) != on_host || !is_ready) {
        later.push_back(i);
        continue;
      }
      made.insert(ops[i].top().begin(), ops[i].top().end());
      order.push_back(i);
    }
    left = std::move(later);
  }
  order.push_back(ops.size() - 1);
  return order;
}

}  // namespace tputwin::net::bm1684x
