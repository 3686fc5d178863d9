// Functions of nodes for importers.
#include "bmnet/onnx/reader/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors/bmnet.h"
#include "bmnet/ir/infer.h"

namespace tputwin::net::onnx_reader {

std::string Node::label() const {
  if (!proto.name().empty()) return proto.name();
  return proto.output().empty() ? proto.op_type() : proto.output(0);
}

std::string Node::where() const { return "node " + label() + " (" + proto.op_type() + ")"; }

void Node::refuse(std::string_view what, const std::string& value, std::string why) const {
  throw Refusal{
      Error(errors::net_onnx_operator).in(where()).argument(what, value).detail(std::move(why))};
}

// ---- Attributes ----

const onnx::AttributeProto* Node::find(std::string_view attribute) const {
  for (const auto& a : proto.attribute())
    if (a.name() == attribute) return &a;
  return nullptr;
}

int64_t Node::integer(std::string_view attribute, int64_t otherwise) const {
  const auto* found = find(attribute);
  return found == nullptr ? otherwise : found->i();
}

float Node::real(std::string_view attribute, float otherwise) const {
  const auto* found = find(attribute);
  return found == nullptr ? otherwise : found->f();
}

std::string Node::text(std::string_view attribute, const std::string& otherwise) const {
  const auto* found = find(attribute);
  return found == nullptr ? otherwise : found->s();
}

Dims Node::integers(std::string_view attribute) const {
  const auto* found = find(attribute);
  if (found == nullptr) return {};
  return {found->ints().begin(), found->ints().end()};
}

std::vector<float> Node::reals(std::string_view attribute) const {
  const auto* found = find(attribute);
  if (found == nullptr) return {};
  return {found->floats().begin(), found->floats().end()};
}

std::vector<std::string> Node::texts(std::string_view attribute) const {
  const auto* found = find(attribute);
  if (found == nullptr) return {};
  return {found->strings().begin(), found->strings().end()};
}

ConstantPtr Node::tensor_attribute(std::string_view attribute) const {
  const auto* found = find(attribute);
  return found == nullptr ? nullptr : read_tensor(found->t(), folder_);
}

size_t Node::axis(int64_t value, size_t axes) const {
  const auto count = static_cast<int64_t>(axes);
  require(value >= -count && value < count, "axis", std::to_string(value),
          fmt::format("the shape has {} axes", axes));
  return static_cast<size_t>(value < 0 ? value + count : value);
}

// ---- Inputs ----

const Value& Node::in(size_t input) const {
  if (!has(input)) refuse("input", std::to_string(input), "it is missing");
  return *inputs_[input];
}

bool Node::is_constant() const {
  for (size_t i = 0; i < inputs(); ++i)
    if (has(i) && constant(i) == nullptr) return false;
  return true;
}

const Constant* Node::constant(size_t input) const {
  return has(input) ? inputs_[input]->constant.get() : nullptr;
}

int64_t Node::whole(size_t input, std::string_view what) const {
  const Constant& constant = weights(input, what);
  require(constant.size() == 1, what, onnx_reader::text(constant.dims), "one value");
  return constant.whole()[0];
}

const Constant& Node::weights(size_t input, std::string_view what) const {
  if (const Constant* found = constant(input)) return *found;
  if (has(input) && (in(input).varies || in(input).extents || !in(input).largest.empty()))
    refuse(what, proto.input(static_cast<int>(input)),
           "it must be a constant, and it depends on extents that are known at run time only; cut "
           "the net before it, and let the program do the rest");
  refuse(what, has(input) ? proto.input(static_cast<int>(input)) : "missing",
         "it must be a constant: an initializer, or computed of constants; make it one when "
         "exporting");
}

std::optional<Dims> Node::list(size_t input, std::string_view attribute) const {
  if (has(input)) return weights(input, attribute).whole();
  if (find(attribute) == nullptr) return std::nullopt;
  return integers(attribute);
}

std::string Node::tensor(size_t input) const { return tensor(input, net_dims(dims(input))); }

std::string Node::tensor(size_t input, const Dims& wanted) const {
  const Value& value = in(input);
  if (value.constant == nullptr) return graph.view(value.tensor, wanted);
  std::string& tensor = graph.tensors_of_constants[value.constant.get()];
  if (tensor.empty()) {
    const std::string& name = proto.input(static_cast<int>(input));
    require(value.constant->size() > 0, "input", name, "a constant with elements");
    tensor = constant_tensor(graph, name, *value.constant);
  }
  return graph.view(tensor, wanted);
}

// ---- The net ----

// Refuses weights that are not finite. The message names the constant that they come from.
void Node::refuse_infinite(const TensorOp& op, const std::vector<Blob>& blobs) const {
  const auto is_wrong = [&](float v) { return !is_allowed_weight(op, v); };
  if (std::ranges::none_of(blobs,
                           [&](const Blob& b) { return std::ranges::any_of(b.data, is_wrong); }))
    return;
  for (size_t i = 0; i < inputs(); ++i) {
    if (constant(i) == nullptr || constant(i)->is_integer()) continue;
    const auto& values = constant(i)->reals;
    const auto wrong = std::ranges::find_if(values, is_wrong);
    if (wrong != values.end())
      refuse(proto.input(static_cast<int>(i)), fmt::format("{}", *wrong),
             fmt::format("weights must be finite numbers; element {} is none",
                         wrong - values.begin()));
  }
}

std::string Node::add(TensorOp op, std::initializer_list<std::string> bottoms,
                      std::string_view what, std::vector<Blob> blobs) {
  for (const std::string& bottom : bottoms) op.add_bottom(bottom);
  refuse_infinite(op, blobs);
  std::string own = label();
  if (!what.empty()) own += "/" + std::string(what);
  std::string free = own;
  while (graph.has_op(free)) free += "'";
  op.set_name(free);
  if (op.top().empty()) op.add_top(own + "/result");
  try {
    return graph.add(std::move(op), std::move(blobs));
  } catch (const Refusal& refusal) {
    const Error& e = refusal.error;
    refuse(e.argument().empty() ? "operation" : e.argument(), e.value(),
           std::string(e.info().rule) + (e.detail().empty() ? "" : "; " + e.detail()));
  }
}

// ---- Results ----

// A double slash keeps the names apart from those of models.
std::string Node::fresh_name(std::string_view what) {
  // The last node of an expansion has the label of the node that it stands for.
  std::string name;
  do {
    name = fmt::format("{}//{}{}", label(), what, ++fresh_names_);
  } while (!graph.fresh_names.insert(name).second);
  return name;
}

bool Node::wants(size_t output) const {
  if (output >= outputs_.size()) return false;
  const std::string& name = proto.output(static_cast<int>(output));
  return !name.empty() && wanted_.contains(name);
}

void Node::set(Value value, size_t output) {
  if (wants(output)) outputs_[output] = std::move(value);
}

void Node::set(ConstantPtr constant, size_t output) {
  Dims dims = constant->dims;
  set(Value{std::move(dims), std::move(constant), "", {}}, output);
}

void Node::set(const std::string& tensor, const Dims& dims, size_t output) {
  if (!wants(output)) return;
  std::string result = tensor;
  const bool is_ours =
      graph.network.ops.size() > first_op_ && graph.network.ops.back().top(0) == tensor &&
      graph.network.ops.back().top_size() == 1 && !is(graph.network.ops.back(), Op::start);
  const std::string& wanted = proto.output(static_cast<int>(output));
  if (is_ours && !graph.has_name(wanted)) {
    graph.rename_last(label(), 0, wanted);
    result = wanted;
  }
  set(Value{dims, nullptr, std::move(result), {}}, output);
}

void Node::set_parts(const std::vector<Dims>& dims) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!wants(i)) continue;
    graph.rename_last(label(), static_cast<int>(i), proto.output(static_cast<int>(i)));
    set(Value{dims[i], nullptr, graph.network.ops.back().top(static_cast<int>(i)), {}}, i);
  }
}

// ---- Shared by importers ----

TensorOp make_op(Op type) {
  TensorOp op;
  set_type(op, type);
  return op;
}

int64_t run(const Dims& dims, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t i = begin; i < std::min(end, dims.size()); ++i) product *= dims[i];
  return product;
}

Dims permuted(const Dims& dims, const std::vector<size_t>& order) {
  Dims result;
  for (size_t axis : order) result.push_back(dims[axis]);
  return result;
}

std::string transposed(Node& node, std::string tensor, const Dims& dims,
                       const std::vector<size_t>& order, std::string_view what) {
  // Axes of one element are dropped. Neighbours that stay neighbours are merged.
  std::vector<size_t> now;
  for (size_t axis = 0; axis < dims.size(); ++axis)
    if (dims[axis] != 1) now.push_back(axis);
  std::vector<size_t> wanted;
  for (size_t axis : order)
    if (dims[axis] != 1) wanted.push_back(axis);
  const auto extent = [&](const std::vector<size_t>& axes, size_t begin, size_t end) {
    int64_t product = 1;
    for (size_t i = begin; i < end; ++i) product *= dims[axes[i]];
    return product;
  };
  size_t done = 0;
  for (int step = 0; now != wanted; ++step) {
    while (now[done] == wanted[done]) ++done;
    // The block that belongs here is moved to the position: (front, skipped, block, rest).
    const auto from = static_cast<size_t>(std::ranges::find(now, wanted[done]) - now.begin());
    size_t end = from + 1;
    while (end < now.size() && now[end] == wanted[done + end - from]) ++end;
    TensorOp op = make_op(Op::permute);
    for (uint32_t axis : {0u, 2u, 1u, 3u}) op.mutable_tg_permute_param()->add_order(axis);
    const std::string flat =
        node.view(tensor, {extent(now, 0, done), extent(now, done, from), extent(now, from, end),
                           extent(now, end, now.size())});
    std::string part(what);
    if (step > 0) part += "/step" + std::to_string(step);
    tensor = node.add(std::move(op), {flat}, part);
    std::rotate(now.begin() + static_cast<std::ptrdiff_t>(done),
                now.begin() + static_cast<std::ptrdiff_t>(from),
                now.begin() + static_cast<std::ptrdiff_t>(end));
    done += end - from;
    if (done >= now.size()) break;
  }
  return tensor;
}

Dims broadcast(const Node& node, const Dims& a, const Dims& b) {
  Dims result(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < result.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    node.require(x == y || x == 1 || y == 1, "shapes", text(a) + " and " + text(b),
                 "extents are equal or 1, from the last axis on");
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

std::string unary(Node& node, const std::string& tensor, std::string_view function,
                  std::vector<float> arguments, std::string_view what) {
  TensorOp op = make_op(Op::function);
  op.mutable_tg_function_param()->set_name(std::string(function));
  for (float argument : arguments) op.mutable_tg_function_param()->add_arg(argument);
  return node.add(std::move(op), {tensor}, what);
}

std::string power(Node& node, const std::string& tensor, float scale, float shift, float exponent,
                  std::string_view what) {
  TensorOp op = make_op(Op::power);
  auto& p = *op.mutable_tg_power_param();
  p.set_scale(scale);
  p.set_shift(shift);
  p.set_power(exponent);
  return node.add(std::move(op), {tensor}, what);
}

std::string scaled(Node& node, const std::string& tensor, std::vector<float> factor,
                   std::vector<float> offset, std::string_view what) {
  TensorOp op = make_op(Op::scale);
  op.mutable_tg_scale_param()->set_bias_term(true);
  const auto channels = static_cast<int64_t>(factor.size());
  return node.add(std::move(op), {tensor}, what,
                  {{{channels}, std::move(factor)}, {{channels}, std::move(offset)}});
}

int64_t channels_of(const Node& node) {
  node.require(node.dims().size() >= 2, "axes", std::to_string(node.dims().size()),
               "samples, channels, and any others");
  return node.dims()[1];
}

void require_cast_type(const Node& node, int type) {
  node.require(is_cast_type(type), "to", std::to_string(type),
               "a type of numbers of 8 bits or more, and not float8; weights of other types are "
               "read with a DequantizeLinear");
}

}  // namespace tputwin::net::onnx_reader
