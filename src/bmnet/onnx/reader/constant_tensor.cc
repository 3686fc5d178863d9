// Tensors with the values of constants: outputs of the model, and operands that must be tensors.
// The host computes them from an element x of the first input, for any x: c + 0 * 1^x.
#include <algorithm>
#include <cmath>

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {
namespace {

using Arithmetic = ::bmnet::TGArithmeticParameter;

// Returns the first element of input 0, as a tensor.
std::string first_element(Graph& graph, const std::string& name) {
  const std::string input = graph.network.inputs().at(0);
  const Dims one(graph.dims(input).size(), 1);
  TensorOp op = make_op(Op::crop);
  for (int axis = 0; axis < 4; ++axis) op.mutable_tg_crop_param()->add_offset(0);
  op.set_name(name + "/element");
  op.add_bottom(input);
  op.add_top(op.name());
  *op.add_output_shape() = make_shape(one);
  return graph.add(std::move(op), {});
}

// Returns x OP values, or values OP x if `reversed`. x is repeated to the extents of the values.
std::string with_values(Graph& graph, const std::string& x, const std::string& name,
                        Arithmetic::ArithmeticOp operation, bool reversed, const Dims& dims,
                        std::vector<float> values) {
  TensorOp op = make_op(Op::arithmetic);
  auto& p = *op.mutable_tg_arithmetic_param();
  p.set_operation(operation);
  p.set_is_b_const(true);
  p.set_reversed(reversed);
  *p.mutable_b_shape() = make_shape(dims, 4);
  op.set_name(name);
  op.add_bottom(graph.view(x, Dims(dims.size(), 1)));
  op.add_top(name);
  return graph.add(std::move(op), {{dims, std::move(values)}});
}

// Returns one element `count` times.
std::string repeated(Graph& graph, const std::string& element, const std::string& name,
                     int64_t count) {
  TensorOp op = make_op(Op::tile);
  op.mutable_tg_tile_param()->set_axis(3);
  op.mutable_tg_tile_param()->set_tiles(static_cast<int>(count));
  op.set_name(name);
  op.add_bottom(graph.view(element, {1, 1, 1, 1}));
  op.add_top(name);
  return graph.add(std::move(op), {});
}

// Many equal values are one value that is copied.
bool is_one_value(const std::vector<float>& values) {
  constexpr size_t kFew = 256;
  return values.size() > kFew &&
         std::ranges::all_of(values, [&](float v) { return v == values[0]; });
}

}  // namespace

std::string constant_tensor(Graph& graph, const std::string& name, const Constant& constant) {
  const Dims dims = net_dims(constant.dims), one(dims.size(), 1);
  const std::vector<float> values = constant.real();
  std::string free = name;
  while (graph.has_op(free) || graph.has_op(free + "/element")) free += "'";
  const std::string element = first_element(graph, free);
  const std::string ones =
      with_values(graph, element, free + "/one", Arithmetic::POW, true, one, {1});
  const std::string zero =
      with_values(graph, ones, free + "/zero", Arithmetic::MUL, false, one, {0});
  std::string result;
  if (is_one_value(values)) {
    const std::string value =
        with_values(graph, zero, free + "/value", Arithmetic::ADD, false, one, {values[0]});
    graph.constant_tensors[value] = values[0] == 0 ? 1 : std::fabs(values[0]);
    const std::string all = repeated(graph, value, free, static_cast<int64_t>(values.size()));
    graph.constant_tensors[all] = graph.constant_tensors[value];
    result = graph.view(all, dims);
  } else {
    result = with_values(graph, zero, free, Arithmetic::ADD, false, dims, values);
  }
  float most = 0;
  for (const float value : values) most = std::max(most, std::fabs(value));
  graph.constant_tensors[ones] = graph.constant_tensors[zero] = 1;
  graph.constant_tensors[result] = most > 0 ? most : 1;
  return result;
}

// 0 is the first extent of the first input `and` 0.
std::string integers_of_host(Graph& graph, const std::string& name, const Constant& constant) {
  std::string tensor = graph.network.inputs().at(0);
  const auto add = [&](const char* text, std::string_view what, const Dims& dims,
                       std::vector<Blob> blobs) {
    TensorOp op = make_op(Op::host);
    auto& p = *op.mutable_tg_host_param();
    p.set_text(text);
    if (!blobs.empty()) p.add_constant(1);
    *p.add_result() = make_shape(dims);
    std::string free = name + std::string(what);
    while (graph.has_op(free)) free += "'";
    op.set_name(free);
    op.add_bottom(tensor);
    op.add_top(free);
    tensor = graph.add(std::move(op), std::move(blobs));
  };
  const Dims dims = net_dims(constant.dims);
  add("shape start=0 end=1", "/extent", {1}, {});
  add("binary op=and", "/zero", {1}, {{{1}, {0.0f}}});
  if (dims.empty()) add("reshape", "/scalar", {}, {});
  add("binary op=add", "", dims, {{dims, constant.real()}});
  return tensor;
}

// The thresholds that calibration would choose.
void set_constant_thresholds(Graph& graph) {
  if (graph.thresholds.empty()) return;
  for (const auto& [tensor, most] : graph.constant_tensors) graph.thresholds.emplace(tensor, most);
}

}  // namespace tputwin::net::onnx_reader
