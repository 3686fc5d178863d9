// Operators of the host under construction, and which nodes become some.
#include "bmnet/onnx/reader/on_host.h"

#include "bmnet/onnx/reader/kinds.h"
#include "bmnet/onnx/reader/magnitudes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tputwin::net::onnx_reader {
namespace {

constexpr size_t kMostAxes = 8;
// Above 2^24, some integers are not fp32 numbers.
constexpr int64_t kExactInFloat = int64_t{1} << 24;

bool is_made_by_host(const Graph& graph, const std::string& tensor) {
  const TensorOp* maker = graph.network.producer(tensor);
  return maker != nullptr && is(*maker, Op::host);
}

// Returns true if the results of a node are elements of quantized inputs, of one scale.
bool keeps_scale(const Node& node) {
  constexpr std::string_view kMoves[] = {"Reshape",   "Flatten", "Squeeze", "Unsqueeze", "Slice",
                                         "Transpose", "Gather",  "Tile",    "Pad",       "Expand"};
  const std::string_view type = node.proto.op_type();
  if (type != "Concat") return std::ranges::find(kMoves, type) != std::end(kMoves);
  for (size_t i = 0; i < node.inputs(); ++i)
    if (!node.has(i) || node.in(i).quantization != node.in(0).quantization) return false;
  return true;
}

}  // namespace

bool has_open_extents(const Node& node) {
  for (size_t i = 0; i < node.inputs(); ++i)
    if (node.has(i) && node.constant(i) == nullptr && node.in(i).varies) return true;
  return false;
}

bool is_of_host(const Node& node) {
  bool any_tensor = false, all_on_host = true;
  for (size_t i = 0; i < node.inputs(); ++i) {
    if (!node.has(i) || node.constant(i) != nullptr) continue;
    const Value& value = node.in(i);
    if (value.varies) return true;
    any_tensor = true;
    const bool is_exact = value.on_host && value.kind == ValueKind::integer;
    if (is_exact && node.proto.op_type() != "Shape" && node.proto.op_type() != "Size") return true;
    all_on_host = all_on_host && value.on_host;
  }
  if (node.proto.op_type() == "Shape" || node.proto.op_type() == "Size") return false;
  // Other integers are computed on the chip only if their sums are numbers of fp32.
  const bool is_inexact = node.graph.has_subnets && any_tensor && may_exceed_fp32(node);
  return is_inexact || (any_tensor && all_on_host);
}

void HostCall::check_integers(const Constant& constant, const std::string& name) const {
  if (!constant.is_integer()) return;
  for (const int64_t value : constant.integers)
    node_.require(value >= -kExactInFloat && value <= kExactInFloat, name, std::to_string(value),
                  "integers from -2^24 to 2^24, which are numbers of fp32");
}

void HostCall::take(size_t input) {
  const std::string& name = node_.proto.input(static_cast<int>(input));
  node_.require(!node_.in(input).quantization || keeps_scale(node_), name, "quantized",
                "put a DequantizeLinear before it");
  take_real(input);
}

void HostCall::take_real(size_t input) {
  const Value& value = node_.in(input);
  const std::string& name = node_.proto.input(static_cast<int>(input));
  node_.require(value.dims.size() <= kMostAxes, "axes", std::to_string(value.dims.size()),
                "at most 8 on the host");
  if (value.constant != nullptr) {
    check_integers(*value.constant, name);
    return take_constant(value.dims, value.constant->real());
  }
  // A view of a result of the host has other extents than the result.
  const bool has_own_shape =
      is_made_by_host(node_.graph, value.tensor)
          ? value.varies || node_.graph.dims(value.tensor) == net_dims(value.dims)
          : node_.graph.dims(value.tensor) == value.dims;
  if (has_own_shape) return take(value.tensor, value.varies);
  const std::string list = fmt::format("{}", fmt::join(value.dims, ","));
  HostCall shaped(node_, value.dims.empty() ? "reshape" : "reshape shape=" + list);
  shaped.take(value.tensor, false);
  take(shaped.add({value.dims}, fmt::format("input{}", input))[0], false);
}

void HostCall::take_bounds(size_t input) {
  const Constant* constant = node_.constant(input);
  if (constant == nullptr) return take(input);
  std::vector<float> values;
  for (const int64_t value : constant->whole())
    values.push_back(static_cast<float>(std::clamp(value, -kExactInFloat, kExactInFloat)));
  take_constant(constant->dims, std::move(values));
}

void HostCall::take(const std::string& tensor, bool varies) {
  op_.add_bottom(tensor);
  if (varies) set_varies();
  ++inputs_;
}

void HostCall::take_constant(const Dims& dims, std::vector<float> values) {
  op_.mutable_tg_host_param()->add_constant(inputs_++);
  blobs_.push_back({dims, std::move(values)});
}

std::vector<std::string> HostCall::add(const std::vector<Dims>& results, std::string_view what) {
  node_.require(!op_.bottom().empty(), "inputs", "constants", "at least one tensor");
  for (const Dims& dims : results) {
    node_.require(elements(dims) > 0, "result", text(dims), "1 to 2^31 - 1 elements");
    *op_.mutable_tg_host_param()->add_result() = make_shape(net_dims(dims));
  }
  op_.mutable_tg_host_param()->set_varies(varies_);
  for (size_t i = 0; results.size() > 1 && i < results.size(); ++i)
    op_.add_top(fmt::format("{}{}/result{}", node_.label(), what, i));
  node_.add(std::move(op_), {}, what, std::move(blobs_));
  const auto& tops = node_.graph.network.ops.back().top();
  return {tops.begin(), tops.end()};
}

void HostCall::set(const Dims& result, ValueKind kind) { set(add({result})[0], result, kind, 0); }

void HostCall::set_elements(const Dims& result) {
  set(result, kind_of_results(node_).kind);
  if (auto& value = node_.outputs()[0]; value) value->on_host = true;
}

void HostCall::set_moved(const Dims& result) {
  const auto [kind, type] = kind_of_results(node_);
  set(result, kind);
  auto& value = node_.outputs()[0];
  if (value && node_.has(0)) value->quantization = node_.in(0).quantization;
  if (!value || kind != ValueKind::integer || !is_byte_type(type)) return;
  value->on_host = varies_;
  value->integer_type = type;
}

void HostCall::set(const std::string& tensor, const Dims& dims, ValueKind kind, size_t output) {
  node_.set(tensor, dims, output);
  if (output >= node_.outputs().size()) return;
  auto& value = node_.outputs()[output];
  if (!value) return;
  value->varies = varies_;
  value->kind = kind;
  // Moves of real numbers may go on on the chip, such as rows of an embedding.
  value->on_host = varies_ || kind == ValueKind::integer;
  if (kind != ValueKind::integer) return;
  const int type = kind_of_results(node_).integer_type;
  value->integer_type = type != 0 && bits_of(type) >= 32 ? type : onnx::TensorProto::INT64;
}

}  // namespace tputwin::net::onnx_reader
