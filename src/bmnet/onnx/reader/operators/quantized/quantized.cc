// Quantized nets. The net holds the real values of integer tensors; scales become thresholds.
#include <fmt/format.h>

#include <cmath>

#include "bmnet/onnx/reader/bounds.h"
#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/operators/quantized/scales.h"
#include "bmnet/onnx/reader/small_floats.h"

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
  Quantization q{static_cast<float>(s.at(0)), 0, type_without_zero(node, type)};
  node.require(q.scale > 0 && std::isfinite(q.scale), "scale", fmt::format("{}", q.scale),
               "positive");
  if (node.has(zero)) {
    const Constant& z = node.weights(zero, "zero_point");
    node.require(z.size() == 1, "zero_point", text(z.dims), "one value");
    q.zero = z.whole()[0];
    q.type = z.type;
  }
  node.require(q.highest() != 0, "type", std::to_string(q.type),
               "integers of 4, 8 or 16 bits, or float8");
  return q;
}

// Returns (q - zero) * scale.
std::vector<float> dequantized(const Constant& q, const Constant& scale, const Constant* zero,
                               const std::vector<size_t>& from) {
  std::vector<float> values;
  for (size_t i = 0; i < q.size(); ++i) {
    const double offset = zero == nullptr ? 0 : zero->at(from[i]);
    values.push_back(static_cast<float>((q.at(i) - offset) * scale.at(from[i])));
  }
  return values;
}

// With one scale, or one per index of the axis.
std::vector<float> dequantized(const Node& node, const Constant& q, const Constant& scale,
                               const Constant* zero, size_t axis) {
  return dequantized(q, scale, zero, scale_of_each(node, q.dims, scale, zero, axis, 0));
}

// Returns the real values of the first input's integers. The net's tensor holds them already,
// except for bytes of an input and integers that the net computes.
Value real_of(Node& node, const Quantization& q, std::string_view what) {
  Value x = node.in(0);
  if (x.is_bytes || (!x.quantization && x.kind == ValueKind::integer)) {
    const int bytes = x.is_signed ? TensorProto::INT8 : TensorProto::UINT8;
    const int type = x.is_bytes ? bytes : x.integer_type;
    node.require(q.type == type, "type", std::to_string(q.type),
                 fmt::format("{}, as the integers are", type));
    const auto zero = static_cast<float>(q.zero);
    Value real{x.dims, nullptr, power(node, x.tensor, q.scale, -zero * q.scale, 1, what), {}};
    node.graph.set_threshold(x.tensor, {1, 0, type});
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
  if (!result.is_symmetric()) {
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
  if (!has_one_scale(node)) return quantize_by_scales(node);
  const Quantization q = quantization_of(node, 1, 2);
  node.require(!node.in(0).quantization, "x", node.proto.input(0), "floats");
  const auto readers = node.graph.quantized_by.find(node.proto.input(0));
  set_quantized(
      node, node.in(0), q,
      readers == node.graph.quantized_by.end() ? QuantizedBy::one_scale : readers->second);
}

namespace {

// True for the result of a DynamicQuantizeLinear, which has its input's floats.
bool is_dynamic(const Node& node) {
  const Value& x = node.in(0);
  const Constant *scale = node.constant(1), *zero = node.constant(2);
  return x.kind == ValueKind::real && !x.quantization && !x.is_bytes && scale != nullptr &&
         zero != nullptr && scale->size() == 1 && zero->size() == 1 && scale->at(0) == 1 &&
         zero->at(0) == 0;
}

}  // namespace

void import_dequantize_linear(Node& node) {
  const Value& x = node.in(0);
  if (is_dynamic(node)) return node.set(Value(x));
  const bool is_integer = x.kind == ValueKind::integer && x.integer_type != 0;
  node.require(x.quantization || x.is_bytes || is_integer, "x", node.proto.input(0),
               "integers that the net makes, or an input's bytes; feed the net floats");
  const int bytes = x.is_signed ? TensorProto::INT8 : TensorProto::UINT8;
  const int type = x.quantization ? x.quantization->type : is_integer ? x.integer_type : bytes;
  if (!has_one_scale(node) || range_of(type).second == 0) return dequantize_by_scales(node);
  node.set(real_of(node, quantization_of(node, 1, 2, type), ""));
}

ConstantPtr fold_dequantize_linear(const Node& node) {
  const Constant &q = node.weights(0, "x"), &scale = node.weights(1, "scale");
  const Constant* zero = node.constant(2);
  return make_reals(q.dims, dequantized(q, scale, zero, scale_of_each(node, q.dims, scale, zero)));
}

namespace {

// Returns the type's number that is nearest to x / scale + zero.
double quantized(double x, double scale, double zero, int type) {
  const double q = x / scale;
  if (!is_integer_type(type)) return to_float8(static_cast<float>(q), type, true);
  const auto [least, most] = range_of(type);
  const double whole = std::nearbyint(q) + zero;
  if (std::isnan(whole)) return 0;
  return std::clamp(whole, static_cast<double>(least), static_cast<double>(most));
}

}  // namespace

ConstantPtr fold_quantize_linear(const Node& node) {
  const Constant &x = node.weights(0, "x"), &scale = node.weights(1, "scale");
  const Constant* zero = node.constant(2);
  const auto given = static_cast<int>(node.integer("output_dtype", 0));
  const int type = zero != nullptr ? zero->type : given != 0 ? given : int{TensorProto::UINT8};
  node.require(range_of(type).second != 0, "type", std::to_string(type),
               "integers of 4, 8 or 16 bits, or float8");
  const std::vector<size_t> from = scale_of_each(node, x.dims, scale, zero);
  std::vector<double> values;
  for (size_t i = 0; i < x.size(); ++i)
    values.push_back(
        quantized(x.at(i), scale.at(from[i]), zero == nullptr ? 0 : zero->at(from[i]), type));
  return make_constant(x.dims, type, values);
}

namespace {

// Makes a QLinear operator a layer of floats between a DequantizeLinear and a QuantizeLinear: one
// that is expanded itself, or whose operands are tensors both.
void expand_between(Node& node, const char* type, const std::vector<float>* weights,
                    const std::vector<const char*>& attributes, const Constant* bias) {
  Expansion made(node);
  const auto with_zero = [&](const char* name, std::string x, size_t scale, size_t zero) {
    std::vector<std::string> inputs{std::move(x), made.in(scale)};
    if (node.has(zero)) inputs.push_back(made.in(zero));
    return made.add(name, inputs);
  };
  std::vector<std::string> operands{with_zero("DequantizeLinear", made.in(0), 1, 2)};
  operands.push_back(weights != nullptr ? made.reals(node.dims(3), *weights)
                                        : with_zero("DequantizeLinear", made.in(3), 4, 5));
  if (bias != nullptr) operands.push_back(made.reals(bias->dims, bias->reals));
  const std::string y = made.add(type, operands);
  for (const char* attribute : attributes) made.copy_attribute(attribute);
  made.set(with_zero("QuantizeLinear", y, 6, 7));
}

}  // namespace

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
  node.require(w.dims.size() == node.dims().size(), "w", text(w.dims), "as many axes as x");
  if (is_conv_of_parts(node, w))
    return expand_between(node, "Conv", &weights,
                          {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"},
                          bias.get());
  as_float(node, "Conv", real_of(node, from, "real"), make_reals(w.dims, weights), bias, to);
}

void import_qlinear_matmul(Node& node) {
  if (node.constant(3) == nullptr || node.constant(0) != nullptr || node.dims(3).size() > 2)
    return expand_between(node, "MatMul", nullptr, {}, nullptr);
  const Quantization from = quantization_of(node, 1, 2), to = quantization_of(node, 6, 7);
  const Constant &b = node.weights(3, "b"), &scale = node.weights(4, "b_scale");
  const size_t last = b.dims.empty() ? 0 : b.dims.size() - 1;
  as_float(node, "MatMul", real_of(node, from, "real"),
           make_reals(b.dims, dequantized(node, b, scale, node.constant(5), last)), nullptr, to);
}

}  // namespace tputwin::net::onnx_reader
