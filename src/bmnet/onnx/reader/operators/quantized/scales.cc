// Scales of an axis, of blocks, or of a tensor, and integers that the net computes.
#include "bmnet/onnx/reader/operators/quantized/scales.h"

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {

using onnx::TensorProto;

std::vector<size_t> scale_of_each(const Node& node, const Dims& dims, const Constant& scale,
                                  const Constant* zero, size_t axis, int64_t block) {
  const auto count = static_cast<size_t>(elements(dims));
  node.require(zero == nullptr || zero->size() == scale.size(), "zero_point",
               zero == nullptr ? "" : text(zero->dims), "one for each scale");
  if (scale.size() == 1 && block == 0) return std::vector<size_t>(count, 0);
  node.require(block >= 0 && axis < dims.size(), "block_size", std::to_string(block),
               "at least 1, along an axis of the tensor");
  Dims blocks = dims;
  blocks[axis] = block == 0 ? dims[axis] : (dims[axis] + block - 1) / block;
  if (block == 0)
    node.require(static_cast<int64_t>(scale.size()) == dims[axis], "scale", text(scale.dims),
                 "one value, or one per index of the axis");
  else
    node.require(scale.dims == blocks, "scale", text(scale.dims),
                 "one for each block, " + text(blocks));
  const int64_t inner = run(dims, axis + 1, dims.size()), extent = dims[axis];
  std::vector<size_t> from;
  for (size_t i = 0; i < count; ++i) {
    const auto at = static_cast<int64_t>(i);
    const int64_t outer = at / inner / extent, along = at / inner % extent;
    from.push_back(static_cast<size_t>(
        block == 0 ? along : (outer * blocks[axis] + along / block) * inner + at % inner));
  }
  return from;
}

std::vector<size_t> scale_of_each(const Node& node, const Dims& dims, const Constant& scale,
                                  const Constant* zero) {
  const int64_t block = node.integer("block_size", 0);
  const bool has_axis = scale.size() != 1 || block != 0;
  const size_t axis = has_axis ? node.axis(node.integer("axis", 1), dims.size()) : 0;
  return scale_of_each(node, dims, scale, zero, axis, block);
}

int type_without_zero(const Node& node, int otherwise) {
  const auto given = static_cast<int>(node.integer("output_dtype", 0));
  return given != 0 && node.proto.op_type() == "QuantizeLinear" ? given : otherwise;
}

bool has_one_scale(const Node& node) {
  const Constant *scale = node.constant(1), *zero = node.constant(2);
  return scale != nullptr && scale->size() == 1 && node.integer("block_size", 0) == 0 &&
         (!node.has(2) || (zero != nullptr && zero->size() == 1));
}

namespace {

// Returns scales or zero points as floats that the first input's elements can be combined with.
std::string beside_elements(Node& node, Expansion& made, size_t input) {
  const Dims& x = node.dims();
  if (const Constant* constant = node.constant(input)) {
    if (constant->size() == 1) return made.real(static_cast<float>(constant->at(0)));
    std::vector<float> values;
    for (const size_t i : scale_of_each(node, x, *constant, nullptr))
      values.push_back(static_cast<float>(constant->at(i)));
    return made.reals(x, values);
  }
  const int64_t count = elements(node.dims(input));
  const bool has_axis = count != 1;
  node.require(node.integer("block_size", 0) == 0, "block_size",
               std::to_string(node.integer("block_size", 0)), "0 for a scale that is computed");
  const std::string real =
      made.add("Cast", {made.in(input)}, {{"to", int64_t{TensorProto::FLOAT}}});
  if (!has_axis) return made.add("Reshape", {real, made.integers({})});
  const size_t axis = node.axis(node.integer("axis", 1), x.size());
  node.require(count == x[axis], "scale", text(node.dims(input)),
               "one value, or one per index of the axis");
  Dims shape(x.size(), 1);
  shape[axis] = count;
  return made.add("Reshape", {real, made.integers(shape)});
}

}  // namespace

void quantize_by_scales(Node& node) {
  const Constant* zero = node.constant(2);
  int type = type_without_zero(node, TensorProto::UINT8);
  if (zero != nullptr) type = zero->type;
  if (node.has(2) && zero == nullptr) type = node.in(2).integer_type;
  const auto [least, most] = range_of(type);
  node.require(most != 0 && is_integer_type(type), "type", std::to_string(type),
               "integers of 4, 8 or 16 bits");
  Expansion made(node);
  std::string y =
      made.add("Round", {made.add("Div", {made.in(0), beside_elements(node, made, 1)})});
  if (node.has(2)) y = made.add("Add", {y, beside_elements(node, made, 2)});
  y = made.add("Clip",
               {y, made.real(static_cast<float>(least)), made.real(static_cast<float>(most))});
  made.set(made.as_integers(made.span(y, type, 0), type));
}

void dequantize_by_scales(Node& node) {
  Expansion made(node);
  std::string y = made.add("Cast", {made.in(0)}, {{"to", int64_t{TensorProto::FLOAT}}});
  if (node.has(2)) y = made.add("Sub", {y, beside_elements(node, made, 2)});
  made.set(made.add("Mul", {y, beside_elements(node, made, 1)}));
}

// ---- Integers of a quantized tensor ----

void import_real(Node& node) {
  Value x = node.in(0);
  x.quantization.reset();
  node.set(std::move(x));
}

void import_span(Node& node) {
  const auto type = static_cast<int>(node.integer("type", 0));
  node.graph.set_threshold(node.in(0).tensor, {1, node.integer("zero", 0), type});
  node.set(Value(node.in(0)));
}

// Its kind is that of kind_of_results().
void import_as_integers(Node& node) { node.set(Value(node.in(0))); }

void expand_cast_of_quantized(Node& node, int type) {
  const Quantization q = *node.in(0).quantization;
  node.require(is_integer_type(q.type), "type", std::to_string(q.type),
               "of integers; put a DequantizeLinear before it");
  Expansion made(node);
  if (type != q.type) {
    require_cast_type(node, type);
    const std::string integers = made.add("Cast", {made.in(0)}, {{"to", int64_t{q.type}}});
    return made.set(made.add("Cast", {integers}, {{"to", int64_t{type}}}));
  }
  const std::string steps = made.add("Div", {made.real_numbers(made.in(0)), made.real(q.scale)});
  std::string whole =
      made.span(made.add("Round", {made.span(steps, q.type, q.zero)}), q.type, q.zero);
  if (q.zero != 0)
    whole = made.span(made.add("Add", {whole, made.real(static_cast<float>(q.zero))}), q.type, 0);
  const std::string within = made.add("Clip", {whole, made.real(static_cast<float>(q.lowest())),
                                               made.real(static_cast<float>(q.highest()))});
  made.set(made.span(within, q.type, 0));
}

}  // namespace tputwin::net::onnx_reader
