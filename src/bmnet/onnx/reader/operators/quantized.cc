// Quantized nets. The net holds the real values of integer tensors; scales become thresholds.
#include <fmt/format.h>

#include <cmath>

#include "bmnet/onnx/reader/bounds.h"
#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {
namespace {

using onnx::TensorProto;

// Returns the quantization of a whole tensor from a scale and a zero point. `type` is used if there
// is no zero point.
Quantization quantization_of(const Node& node, size_t scale, size_t zero,
                             int type = TensorProto::UINT8) {
  const Constant& s = node.weights(scale, "scale");
  node.require(s.size() == 1, "scale", text(s.dims),
               "one value for the whole tensor; the chip has one threshold for it");
  // From opset 21 on the type may be given where there is no zero point.
  const auto given = static_cast<int>(node.integer("output_dtype", 0));
  Quantization q{static_cast<float>(s.at(0)), 0,
                 given != 0 && node.proto.op_type() == "QuantizeLinear" ? given : type};
  node.require(q.scale > 0 && std::isfinite(q.scale), "scale", fmt::format("{}", q.scale),
               "positive");
  if (node.has(zero)) {
    const Constant& z = node.weights(zero, "zero_point");
    node.require(z.size() == 1, "zero_point", text(z.dims), "one value");
    q.zero = z.whole()[0];
    q.type = z.type;
  }
  node.require(q.type == TensorProto::INT8 || q.type == TensorProto::UINT8, "type",
               std::to_string(q.type), "int8 or uint8");
  return q;
}

// Returns (q - zero) * scale, with a scale for each block of `block` elements along the axis.
std::vector<float> dequantized_blocks(const Node& node, const Constant& q, const Constant& scale,
                                      const Constant* zero, size_t axis, int64_t block) {
  Dims blocks = q.dims;
  node.require(block >= 1 && axis < q.dims.size(), "block_size", std::to_string(block),
               "at least 1, along an axis of the tensor");
  blocks[axis] = (q.dims[axis] + block - 1) / block;
  node.require(scale.dims == blocks && (zero == nullptr || zero->dims == blocks), "scale",
               text(scale.dims), "one for each block, " + text(blocks));
  const int64_t inner = run(q.dims, axis + 1, q.dims.size()), extent = q.dims[axis];
  std::vector<float> values;
  for (size_t i = 0; i < q.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const int64_t outer = at / inner / extent, along = at / inner % extent;
    const auto from =
        static_cast<size_t>((outer * blocks[axis] + along / block) * inner + at % inner);
    const double offset = zero == nullptr ? 0 : zero->at(from);
    values.push_back(static_cast<float>((q.at(i) - offset) * scale.at(from)));
  }
  return values;
}

// Returns (q - zero) * scale, with one scale, or one per index of an axis.
std::vector<float> dequantized(const Node& node, const Constant& q, const Constant& scale,
                               const Constant* zero, size_t axis) {
  const int64_t extent = scale.size() == 1 ? 1 : q.dims.empty() ? 1 : q.dims[axis];
  node.require(static_cast<int64_t>(scale.size()) == extent &&
                   (zero == nullptr || zero->size() == scale.size()),
               "scale", text(scale.dims), "one value, or one per index of the axis");
  const int64_t inner = scale.size() == 1 ? 1 : run(q.dims, axis + 1, q.dims.size());
  std::vector<float> values;
  for (size_t i = 0; i < q.size(); ++i) {
    const auto at = static_cast<size_t>(static_cast<int64_t>(i) / inner % extent);
    const double offset = zero == nullptr ? 0 : zero->at(at);
    values.push_back(static_cast<float>((q.at(i) - offset) * scale.at(at)));
  }
  return values;
}

size_t scale_axis(const Node& node, const Constant& q, const Constant& scale) {
  return scale.size() == 1 ? 0 : node.axis(node.integer("axis", 1), q.dims.size());
}

// Returns the real values of the first input's integers. The net's tensor holds them already,
// except for bytes of an input.
Value real_of(Node& node, const Quantization& q, std::string_view what) {
  Value x = node.in(0);
  if (x.is_bytes) {
    node.require(q.type == TensorProto::UINT8, "type", std::to_string(q.type),
                 "uint8, as the input's bytes are");
    const auto zero = static_cast<float>(q.zero);
    Value real{x.dims, nullptr, power(node, x.tensor, q.scale, -zero * q.scale, 1, what), {}};
    node.graph.set_threshold(x.tensor, {});
    node.graph.set_threshold(real.tensor, q);
    return real;
  }
  node.require(x.quantization && *x.quantization == q, "scale", fmt::format("{}", q.scale),
               "the scale and zero point that the integers were made with");
  x.quantization.reset();
  return x;
}

// An int8 tensor of the chip holds [-T, T * 127 / 128]. Where the integers of `q` reach less far,
// as those of an asymmetric type do on one side, values beyond that must be cut: exporters leave
// out the Relu or Clip that a zero point stands for. A tensor that has another threshold, or other
// readers, keeps its values; the integers become a tensor of their own.
bool must_cut(const Graph& graph, const std::string& tensor, const Quantization& q,
              QuantizedBy readers) {
  const auto known = graph.thresholds.find(graph.source_of_bytes(tensor));
  const bool is_other = known != graph.thresholds.end() && known->second != q.threshold();
  if (readers != QuantizedBy::one_scale || is_other) return true;
  const double threshold = q.threshold() * (1 - 1e-6);  // of a float
  const Bounds x = bounds_of(graph, tensor);
  const bool below = q.least() > -threshold && x.least < q.least();
  const bool above = q.most() < threshold * 127 / 128 && x.most > q.most();
  return below || above;
}

// Sets the node's result: the integers that `q` makes of `x`. The net's tensor holds real values.
// `what` is the name of the layer that cuts, behind the node's.
void set_quantized(Node& node, Value x, const Quantization& q, QuantizedBy readers,
                   std::string_view what = "") {
  x.quantization.reset();
  if (must_cut(node.graph, x.tensor, q, readers)) {
    // All readers cut: the widest of their ranges has every value that one of them keeps.
    if (readers == QuantizedBy::several_scales)
      node.graph.set_threshold(node.graph.source_of_bytes(x.tensor), q);
    TensorOp op = make_op(Op::clip);
    op.mutable_tg_clip_param()->set_min(static_cast<float>(q.least()));
    op.mutable_tg_clip_param()->set_max(static_cast<float>(q.most()));
    const std::string y = node.add(std::move(op), {node.view(x.tensor, net_dims(x.dims))}, what);
    node.set(y, x.dims);
    if (!node.outputs()[0]) return;
    x = *node.outputs()[0];
  }
  node.graph.set_threshold(x.tensor, q);
  x.quantization = q;
  node.set(std::move(x));
}

// Imports a linear layer of a QLinear operator as a float node: x, weights and bias are real. The
// result has the threshold of its scale.
void as_float(Node& node, const std::string& type, Value x, ConstantPtr weights, ConstantPtr bias,
              const Quantization& result) {
  onnx::NodeProto proto = node.proto;
  proto.set_op_type(type);
  const Value w{weights->dims, weights, "", {}};
  const Value b{bias != nullptr ? bias->dims : Dims(), bias, "", {}};
  std::vector<const Value*> inputs{&x, &w};
  if (bias != nullptr) inputs.push_back(&b);
  while (proto.input_size() > static_cast<int>(inputs.size())) proto.mutable_input()->RemoveLast();
  // Clipping by the integers is a layer of its own; its result has the output's name.
  if (result.zero != result.lowest() + 128) {
    if (proto.name().empty()) proto.set_name(proto.output(0));
    proto.set_output(0, proto.output(0) + "/real");
  }
  const std::set<std::string> wanted(proto.output().begin(), proto.output().end());
  Node inner(node.graph, proto, node.opset, inputs, "", wanted);
  find_operator("", type)->import(inner);
  set_quantized(node, *inner.outputs()[0], result, QuantizedBy::one_scale, "cut");
}

}  // namespace

void import_quantize_linear(Node& node) {
  const Quantization q = quantization_of(node, 1, 2);
  node.require(!node.in(0).quantization, "x", node.proto.input(0), "floats");
  const auto readers = node.graph.quantized_by.find(node.proto.input(0));
  set_quantized(
      node, node.in(0), q,
      readers == node.graph.quantized_by.end() ? QuantizedBy::one_scale : readers->second);
}

void import_dequantize_linear(Node& node) {
  const Value& x = node.in(0);
  node.require(x.quantization || x.is_bytes, "x", node.proto.input(0),
               "integers that a QuantizeLinear or QLinear operator made, or an input's bytes; feed "
               "the net floats");
  const int type = x.quantization ? x.quantization->type : static_cast<int>(TensorProto::UINT8);
  node.set(real_of(node, quantization_of(node, 1, 2, type), ""));
}

ConstantPtr fold_dequantize_linear(const Node& node) {
  const Constant &q = node.weights(0, "x"), &scale = node.weights(1, "scale");
  if (const int64_t block = node.integer("block_size", 0); block != 0)
    return make_reals(q.dims,
                      dequantized_blocks(node, q, scale, node.constant(2),
                                         node.axis(node.integer("axis", 1), q.dims.size()), block));
  return make_reals(q.dims,
                    dequantized(node, q, scale, node.constant(2), scale_axis(node, q, scale)));
}

ConstantPtr fold_quantize_linear(const Node& node) {
  const Constant &x = node.weights(0, "x"), &scale = node.weights(1, "scale");
  const Constant* zero = node.constant(2);
  const size_t axis = scale_axis(node, x, scale);
  const auto given = static_cast<int>(node.integer("output_dtype", 0));
  const int type = zero != nullptr ? zero->type : given != 0 ? given : int{TensorProto::UINT8};
  node.require(type == TensorProto::INT8 || type == TensorProto::UINT8, "type",
               std::to_string(type), "int8 or uint8");
  const double least = type == TensorProto::INT8 ? -128 : 0, most = least + 255;
  const int64_t extent = scale.size() == 1 ? 1 : x.dims[axis];
  node.require(static_cast<int64_t>(scale.size()) == extent &&
                   (zero == nullptr || zero->size() == scale.size()),
               "scale", text(scale.dims), "one value, or one per index of the axis");
  const int64_t inner = scale.size() == 1 ? 1 : run(x.dims, axis + 1, x.dims.size());
  std::vector<int64_t> values;
  for (size_t i = 0; i < x.size(); ++i) {
    const auto at = static_cast<size_t>(static_cast<int64_t>(i) / inner % extent);
    const double q = std::nearbyint(x.at(i) / scale.at(at)) + (zero == nullptr ? 0 : zero->at(at));
    values.push_back(static_cast<int64_t>(std::isnan(q) ? 0 : std::clamp(q, least, most)));
  }
  return make_integers(x.dims, std::move(values), type);
}

void import_qlinear_conv(Node& node) {
  const Quantization from = quantization_of(node, 1, 2), to = quantization_of(node, 6, 7);
  const Constant &w = node.weights(3, "w"), &scale = node.weights(4, "w_scale");
  ConstantPtr bias;
  if (node.has(8)) {
    const Constant& b = node.weights(8, "B");
    std::vector<float> values;
    for (size_t i = 0; i < b.size(); ++i)
      values.push_back(static_cast<float>(b.at(i) * from.scale *
                                          scale.at(scale.size() == 1 ? 0 : i % scale.size())));
    bias = make_reals(b.dims, std::move(values));
  }
  const std::vector<float> weights = dequantized(node, w, scale, node.constant(5), 0);
  as_float(node, "Conv", real_of(node, from, "real"), make_reals(w.dims, weights), bias, to);
}

void import_qlinear_matmul(Node& node) {
  const Quantization from = quantization_of(node, 1, 2), to = quantization_of(node, 6, 7);
  const Constant &b = node.weights(3, "b"), &scale = node.weights(4, "b_scale");
  const size_t last = b.dims.empty() ? 0 : b.dims.size() - 1;
  as_float(node, "MatMul", real_of(node, from, "real"),
           make_reals(b.dims, dequantized(node, b, scale, node.constant(5), last)), nullptr, to);
}

}  // namespace tputwin::net::onnx_reader
